#include "comm/exposed_memory.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "base/memory.hpp"
#include "base/rounding.hpp"
#include "comm/agreement.hpp"
#include "comm/communicator_state.hpp"
#include "comm/datatype.hpp"
#include "comm/exchange_checks.hpp"
#include "comm/mpi_check.hpp"

namespace weft::comm {
namespace {

constexpr std::int64_t alignment = AlignedBuffer::alignment_bytes;
/// The most bytes of one put, as of one message. Larger puts could need larger buffers of MPI.
constexpr std::int64_t put_bytes_max = std::int64_t{1} << 30;

std::int64_t bytes_to_alignment(const void* address) {
  return (alignment -
          static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) % alignment)) %
         alignment;
}

/// Messages of one byte, by which ranks tell some peers that they have come to a point.
class Signals {
 public:
  /// Collective over `comm`: this rank is in `from` of each rank in `to`.
  Signals(const Communicator& comm, const std::vector<int>& to, const std::vector<int>& from,
          int tag)
      : received_(from.size()),
        messages_(comm, steps_of(to, from), 1, {.at_once = 0, .tag = tag}) {}
  /// Sends the signals, and returns when those for this rank have arrived.
  void exchange() {
    messages_.start(0, &sent_, received_.data());
    messages_.finish();
  }

 private:
  static std::vector<MessageStep> steps_of(const std::vector<int>& to,
                                           const std::vector<int>& from) {
    std::vector<MessageStep> steps;
    for (const int peer : from) steps.push_back({.recv = {peer, std::ssize(steps), {1}, {1}}});
    for (const int peer : to) steps.push_back({.send = {peer, 0, {1}, {1}}});
    return steps;
  }

  char sent_ = 0;
  std::vector<char> received_;
  Messages messages_;
};

}  // namespace

struct ExposedMemory::Body {
  AlignedBuffer alone;  ///< used instead of a window if there is only one rank
  std::shared_ptr<Window> window;
  void* data = nullptr;
  std::int64_t start = 0;  ///< bytes of the window before the data
  std::int64_t bytes = 0;

  ~Body() {
    if (!window) return;
    window->dropped = true;
    count_memory(-bytes);
  }
};

ExposedMemory::ExposedMemory(const Communicator& comm, std::int64_t bytes)
    : body_(std::make_shared<Body>()) {
  if (comm.size() == 1) {
    body_->alone = AlignedBuffer(bytes);
    body_->data = body_->alone.data();
    return;
  }
  together(comm, [&] { require_memory(bytes, "the memory that other ranks put blocks into"); });
  free_dropped_windows(comm);
  auto made = std::make_shared<Window>();
  void* base = nullptr;
  // Sizes are multiples of the alignment. Otherwise MPICH's ranks disagree about the addresses of a
  // window.
  const std::int64_t whole = rounded_up(bytes, alignment);
  check_mpi(MPI_Win_allocate(checked_cast<MPI_Aint>(whole + alignment),
                             1,  // displacement unit: bytes
                             MPI_INFO_NULL, usable(comm.state()), &base, &made->win),
            "MPI_Win_allocate");
  check_mpi(MPI_Win_set_errhandler(made->win, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  // Signals separate the puts of one exchange from those of the next, so this lock lasts until the
  // window is freed.
  check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, made->win), "MPI_Win_lock_all");
  made->is_locked = true;
  comm.state().windows.push_back(made);
  body_->window = std::move(made);
  body_->bytes = bytes;
  count_memory(bytes);
  body_->start = bytes_to_alignment(base);
  body_->data = static_cast<char*>(base) + body_->start;
}

void* ExposedMemory::data() const { return body_ ? body_->data : nullptr; }

struct Puts::Body {
  struct Put {
    int peer = 0;
    int count = 0;
    std::int64_t from_byte = 0;
    std::int64_t to_byte = 0;  ///< in the window of the peer
  };

  Communicator comm;
  ExposedMemory memory;
  std::int64_t element_bytes = 1;
  Datatype element;
  std::vector<Put> puts;           ///< in the order of chunks
  std::vector<std::size_t> until;  ///< for each chunk: number of puts up to its end
  std::vector<int> receivers;
  std::optional<Signals> ready;  ///< of receivers: their memory may be overwritten
  std::optional<Signals> done;   ///< of senders: their blocks have arrived
  MessageTraffic traffic;
  bool is_open = false;

  MPI_Win window() const { return memory.body().window->win; }
  void add(const Block& block, std::int64_t to_byte, std::int64_t limit);
  void open();
};

namespace {

/// Returns one block for each rank, of one chunk. A rank without a block gets an empty one.
std::vector<Block> by_rank(std::span<const ChunkedBlock> blocks, int chunk,
                           const Communicator& comm, std::int64_t element_bytes) {
  std::vector<Block> found(static_cast<std::size_t>(comm.size()));
  std::vector<bool> seen(found.size());
  for (const ChunkedBlock& each : blocks) {
    if (each.chunk != chunk || each.block.count == 0) continue;
    const Block& block = each.block;
    require_block(block.peer, block.offset, block.count, comm.size(), element_bytes);
    require_single(seen, block.peer);
    if (block.peer == comm.rank())
      throw Error(ErrorCode::internal, "an exchange is planned wrongly: rank " +
                                           std::to_string(block.peer) + " puts a block to itself");
    found[static_cast<std::size_t>(block.peer)] = block;
  }
  return found;
}

/// Returns the peers of all blocks that are not empty, in all chunks. Each peer is listed once.
std::vector<int> peers_of(std::span<const ChunkedBlock> blocks) {
  std::vector<int> peers;
  for (const ChunkedBlock& each : blocks)
    if (each.block.count > 0) peers.push_back(each.block.peer);
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
}

}  // namespace

void Puts::Body::add(const Block& block, std::int64_t to_byte, std::int64_t limit) {
  const std::int64_t most = std::clamp<std::int64_t>(put_bytes_max / element_bytes, 1, limit);
  for (std::int64_t done = 0; done < block.count; done += most) {
    puts.push_back({block.peer, checked_cast<int>(std::min(most, block.count - done)),
                    (block.offset + done) * element_bytes, to_byte + done * element_bytes});
    traffic.messages += 1;
  }
  traffic.bytes += block.count * element_bytes;
}

Puts::Puts(const Communicator& comm, ExposedMemory memory, int chunks,
           std::span<const ChunkedBlock> send, std::span<const ChunkedBlock> recv,
           std::int64_t element_bytes, int tag)
    : body_(std::make_shared<Body>()) {
  body_->comm = comm;
  body_->memory = std::move(memory);
  body_->element_bytes = element_bytes;
  together(comm, [&] { require_element(element_bytes); });
  const std::int64_t limit = agreed_count_limit(comm);
  const auto ranks = static_cast<std::size_t>(comm.size());
  for (int chunk = 0; chunk < chunks; ++chunk) {
    std::vector<Block> sent;
    std::vector<Block> expected;
    together(comm, [&] {
      sent = by_rank(send, chunk, comm, element_bytes);
      expected = by_rank(recv, chunk, comm, element_bytes);
    });
    require_matching(comm, counts_of(sent), counts_of(expected));
    // Only the receiver knows where a block begins in its window. It sends this position to the
    // sender.
    std::vector<std::int64_t> positions(ranks, 0);
    for (std::size_t peer = 0; peer < ranks; ++peer)
      positions[peer] = body_->memory.body().start + expected[peer].offset * element_bytes;
    const std::vector<std::int64_t> positions_of_peers = comm.all_to_all(positions);
    // Each rank begins with the next rank, so that not all ranks put to the same rank first.
    for (std::size_t step = 1; step < ranks; ++step) {
      const std::size_t peer = (static_cast<std::size_t>(comm.rank()) + step) % ranks;
      body_->add(sent[peer], positions_of_peers[peer], limit);
    }
    body_->until.push_back(body_->puts.size());
  }
  if (comm.size() == 1) return;
  together(comm, [&] { body_->element = element_type(element_bytes); });
  body_->receivers = peers_of(send);
  const std::vector<int> senders = peers_of(recv);
  body_->ready.emplace(comm, senders, body_->receivers, tag);
  body_->done.emplace(comm, body_->receivers, senders, tag);
}

void Puts::Body::open() {
  if (comm.size() == 1) return;
  usable(comm.state());  // throws if MPI_Finalize has freed the communicator, and so the window
  is_open = true;
  // Orders this rank's accesses to its memory before the puts of others.
  check_mpi(MPI_Win_sync(window()), "MPI_Win_sync");
  ready->exchange();
}

void Puts::start(int chunk, const void* send) const {
  Body& body = *body_;
  if (chunk == 0) body.open();
  const auto number = static_cast<std::size_t>(chunk);
  for (std::size_t i = number == 0 ? 0 : body.until[number - 1]; i < body.until[number]; ++i) {
    const Body::Put& put = body.puts[i];
    check_mpi(MPI_Put(static_cast<const char*>(send) + put.from_byte, put.count,
                      body.element.get(),                                       //
                      put.peer, static_cast<MPI_Aint>(put.to_byte), put.count,  //
                      body.element.get(), body.window()),
              "MPI_Put", put.peer);
  }
}

void Puts::finish() const {
  Body& body = *body_;
  if (!body.is_open) return;
  body.is_open = false;
  for (const int peer : body.receivers)
    check_mpi(MPI_Win_flush(peer, body.window()), "MPI_Win_flush", peer);
  body.done->exchange();
  check_mpi(MPI_Win_sync(body.window()), "MPI_Win_sync");
}

MessageTraffic Puts::traffic() const { return body_->traffic; }

}  // namespace weft::comm
