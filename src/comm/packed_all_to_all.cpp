#include <algorithm>
#include <climits>
#include <cstring>
#include <optional>

#include "base/checked.hpp"
#include "comm/agreement.hpp"
#include "comm/communicator_state.hpp"
#include "comm/datatype.hpp"
#include "comm/environment.hpp"
#include "comm/exchange_checks.hpp"
#include "comm/exchanges.hpp"
#include "comm/mpi_check.hpp"
#include "comm/split_messages.hpp"

namespace weft::comm {
namespace {

/// Blocks of one side, one for each rank, in the type that an MPI call wants.
template <class Count, class Displacement>
struct Side {
  std::vector<Count> counts;
  std::vector<Displacement> displacements;
};

template <class Count, class Displacement>
Side<Count, Displacement> side_of(const std::vector<Block>& blocks) {
  Side<Count, Displacement> side;
  for (const Block& block : blocks) {
    side.counts.push_back(checked_cast<Count>(block.count));
    side.displacements.push_back(checked_cast<Displacement>(block.offset));
  }
  return side;
}

/// One block for each rank, in rank order; those that are not given have no elements.
std::vector<Block> by_rank(std::span<const Block> given, int ranks, std::int64_t element_bytes) {
  std::vector<Block> blocks(static_cast<std::size_t>(ranks));
  std::vector<bool> seen(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) blocks[static_cast<std::size_t>(rank)].peer = rank;
  for (const Block& block : given) {
    require_block(block.peer, block.offset, block.count, ranks, element_bytes);
    require_single(seen, block.peer);
    // Where nothing moves the offset means nothing, so it must not decide whether the counts fit.
    if (block.count > 0) blocks[static_cast<std::size_t>(block.peer)] = block;
  }
  return blocks;
}

std::vector<std::int64_t> counts_of(const std::vector<Block>& blocks) {
  std::vector<std::int64_t> counts;
  for (const Block& block : blocks) counts.push_back(block.count);
  return counts;
}

/// The largest number that one call of MPI_Alltoallv would have to carry.
std::int64_t largest(const std::vector<Block>& blocks) {
  std::int64_t most = 0;
  for (const Block& block : blocks) most = std::max({most, block.offset, block.count});
  return most;
}

/// Step k sends to rank + k and receives from rank - k: all ranks are busy in every step. The own
/// block is no message.
std::vector<Transfer> cyclic_transfers(const std::vector<Block>& send,
                                       const std::vector<Block>& recv, int rank) {
  const int ranks = static_cast<int>(send.size());
  std::vector<Transfer> transfers;
  for (int step = 1; step < ranks; ++step) {
    const Block& to = send[static_cast<std::size_t>((rank + step) % ranks)];
    const Block& from = recv[static_cast<std::size_t>((rank - step + ranks) % ranks)];
    transfers.push_back({.send_peer = to.peer,
                         .send_offset = to.offset,
                         .send_count = to.count,
                         .recv_peer = from.peer,
                         .recv_offset = from.offset,
                         .recv_count = from.count});
  }
  return transfers;
}

Traffic traffic_of(const std::vector<Block>& send, int rank, std::int64_t element_bytes) {
  Traffic total;
  for (const Block& block : send) {
    if (block.peer == rank || block.count == 0) continue;
    total.bytes += block.count * element_bytes;
    total.messages += 1;
  }
  return total;
}

enum class Form { alltoallv, alltoallv_c, split, copy };

}  // namespace

struct PackedAllToAll::Body {
  Communicator comm;
  std::int64_t element_bytes = 1;
  Form form = Form::copy;
  Block own_send;
  Block own_recv;
  Datatype element;
  Side<int, int> send;
  Side<int, int> recv;
#if MPI_VERSION >= 4
  Side<MPI_Count, MPI_Aint> large_send;
  Side<MPI_Count, MPI_Aint> large_recv;
#endif
  std::optional<SplitMessages> split;
  Traffic traffic;

  void choose_form(const std::vector<Block>& send_blocks, const std::vector<Block>& recv_blocks);
  void copy_own(const void* source, void* target) const;
};

void PackedAllToAll::Body::choose_form(const std::vector<Block>& send_blocks,
                                       const std::vector<Block>& recv_blocks) {
  if (comm.is_solo()) return;
  const std::int64_t limit = agreed_count_limit(comm);
  const bool fits = comm.max(std::max(largest(send_blocks), largest(recv_blocks))) <= limit;
  traffic = traffic_of(send_blocks, comm.rank(), element_bytes);
  element = element_type(element_bytes);
  if (fits) {
    form = Form::alltoallv;
    send = side_of<int, int>(send_blocks);
    recv = side_of<int, int>(recv_blocks);
    return;
  }
#if MPI_VERSION >= 4
  if (limit == INT_MAX) {  // a limit lowered for a test asks for splitting
    form = Form::alltoallv_c;
    large_send = side_of<MPI_Count, MPI_Aint>(send_blocks);
    large_recv = side_of<MPI_Count, MPI_Aint>(recv_blocks);
    return;
  }
#endif
  form = Form::split;
  split.emplace(comm, cyclic_transfers(send_blocks, recv_blocks, comm.rank()), element_bytes,
                limit);
  traffic = split->traffic();
}

void PackedAllToAll::Body::copy_own(const void* source, void* target) const {
  if (own_send.count == 0) return;
  std::memcpy(static_cast<char*>(target) + own_recv.offset * element_bytes,
              static_cast<const char*>(source) + own_send.offset * element_bytes,
              static_cast<std::size_t>(own_send.count * element_bytes));
}

PackedAllToAll::PackedAllToAll(const Communicator& comm, std::span<const Block> send,
                               std::span<const Block> recv, std::int64_t element_bytes) {
  auto body = std::make_shared<Body>();
  std::vector<Block> send_blocks;
  std::vector<Block> recv_blocks;
  together(comm, [&] {
    require_element(element_bytes);
    send_blocks = by_rank(send, comm.size(), element_bytes);
    recv_blocks = by_rank(recv, comm.size(), element_bytes);
  });
  require_matching(comm, counts_of(send_blocks), counts_of(recv_blocks));
  body->comm = comm;
  body->element_bytes = element_bytes;
  body->own_send = send_blocks[static_cast<std::size_t>(comm.rank())];
  body->own_recv = recv_blocks[static_cast<std::size_t>(comm.rank())];
  body->choose_form(send_blocks, recv_blocks);
  body_ = std::move(body);
}

void PackedAllToAll::execute(const void* send, void* recv) const {
  const Body& body = *body_;
  switch (body.form) {
    case Form::alltoallv:
      check_mpi(MPI_Alltoallv(send, body.send.counts.data(), body.send.displacements.data(),
                              body.element.get(),  //
                              recv, body.recv.counts.data(), body.recv.displacements.data(),
                              body.element.get(), usable(body.comm.state())),
                "MPI_Alltoallv");
      return;
    case Form::alltoallv_c:
#if MPI_VERSION >= 4
      check_mpi(
          MPI_Alltoallv_c(send, body.large_send.counts.data(), body.large_send.displacements.data(),
                          body.element.get(),  //
                          recv, body.large_recv.counts.data(), body.large_recv.displacements.data(),
                          body.element.get(), usable(body.comm.state())),
          "MPI_Alltoallv_c");
#endif
      return;
    case Form::split:
      body.copy_own(send, recv);
      body.split->execute(send, recv);
      return;
    case Form::copy:
      body.copy_own(send, recv);
      return;
  }
}

Traffic PackedAllToAll::traffic() const { return body_->traffic; }

const char* PackedAllToAll::form() const {
  switch (body_->form) {
    case Form::alltoallv:
      return "alltoallv";
    case Form::alltoallv_c:
      return "alltoallv_c";
    case Form::split:
      return "split";
    case Form::copy:
      break;
  }
  return "copy";
}

}  // namespace weft::comm
