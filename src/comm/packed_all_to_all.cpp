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
#include "comm/message_queue.hpp"
#include "comm/mpi_check.hpp"
#include "comm/pending.hpp"

namespace weft::comm {
namespace {

/// Blocks of one side, one for each rank, in the types of an MPI call.
template <class Count, class Displacement>
struct PackedSide {
  std::vector<Count> counts;
  std::vector<Displacement> displacements;
};

template <class Count, class Displacement>
PackedSide<Count, Displacement> side_of(const std::vector<Block>& blocks) {
  PackedSide<Count, Displacement> side;
  for (const Block& block : blocks) {
    side.counts.push_back(checked_cast<Count>(block.count));
    side.displacements.push_back(checked_cast<Displacement>(block.offset));
  }
  return side;
}

/// Returns one block for each rank, in rank order; missing blocks have no elements.
std::vector<Block> by_rank(std::span<const Block> given, int ranks, std::int64_t element_bytes) {
  std::vector<Block> blocks(static_cast<std::size_t>(ranks));
  std::vector<bool> seen(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) blocks[static_cast<std::size_t>(rank)].peer = rank;
  for (const Block& block : given) {
    require_block(block.peer, block.offset, block.count, ranks, element_bytes);
    require_single(seen, block.peer);
    // The offset of an empty block has no meaning. It must not influence whether displacements fit.
    if (block.count > 0) blocks[static_cast<std::size_t>(block.peer)] = block;
  }
  return blocks;
}

/// Returns the largest count or displacement in one call of MPI_Alltoallv.
std::int64_t largest(const std::vector<Block>& blocks) {
  std::int64_t most = 0;
  for (const Block& block : blocks) most = std::max({most, block.offset, block.count});
  return most;
}

StridedBlock row_of(const Block& block) { return {block.peer, block.offset, {block.count}, {1}}; }

/// Makes cyclic steps. Step k sends to rank + k and receives from rank - k, so all ranks are busy
/// in every step. The own block is not sent.
std::vector<MessageStep> cyclic_steps(const std::vector<Block>& send,
                                      const std::vector<Block>& recv, int rank) {
  const int ranks = static_cast<int>(send.size());
  std::vector<MessageStep> steps;
  for (int step = 1; step < ranks; ++step)
    steps.push_back({0, row_of(send[static_cast<std::size_t>((rank + step) % ranks)]),
                     row_of(recv[static_cast<std::size_t>((rank - step + ranks) % ranks)])});
  return steps;
}

/// Returns the common size of contiguous blocks; 0 if sizes differ or there are gaps.
std::int64_t equal_step(const std::vector<Block>& blocks) {
  const std::int64_t count = blocks[0].count;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (blocks[i].count != count || blocks[i].offset != static_cast<std::int64_t>(i) * count)
      return 0;
  return count;
}

MessageTraffic traffic_of(const std::vector<Block>& send, int rank, std::int64_t element_bytes) {
  MessageTraffic total;
  for (const Block& block : send) {
    if (block.peer == rank || block.count == 0) continue;
    total.bytes += block.count * element_bytes;
    total.messages += 1;
  }
  return total;
}

enum class Form { alltoall, alltoallv, alltoallv_c, split, copy };

}  // namespace

struct PackedAllToAll::Body {
  Communicator comm;
  std::int64_t element_bytes = 1;
  Form form = Form::copy;
  Block own_send;
  Block own_recv;
  Datatype element;
  PackedSide<int, int> send;
  PackedSide<int, int> recv;
#if MPI_VERSION >= 4
  PackedSide<MPI_Count, MPI_Aint> large_send;
  PackedSide<MPI_Count, MPI_Aint> large_recv;
#endif
  std::optional<MessageQueue> split;
  int step = 0;  ///< elements from block to block, with Form::alltoall
  MessageTraffic traffic;
  PendingCall pending;

  void choose_form(const std::vector<Block>& send_blocks, const std::vector<Block>& recv_blocks);
  bool agrees_on_step(const std::vector<Block>& send_blocks, const std::vector<Block>& recv_blocks);
  void copy_own(const void* source, void* target) const;
  void call(const void* from, void* to) const;
  void start_call(const void* from, void* to);
};

/// Sets `step`, and returns whether MPI_Alltoall is enough. It is enough if all blocks of all ranks
/// have one size above 0, without gaps. Collective.
bool PackedAllToAll::Body::agrees_on_step(const std::vector<Block>& send_blocks,
                                          const std::vector<Block>& recv_blocks) {
  std::int64_t mine = equal_step(send_blocks);
  if (mine != equal_step(recv_blocks)) mine = 0;
  const bool same = comm.min(mine) == comm.max(mine);
  step = same ? static_cast<int>(mine) : 0;
  return step > 0;
}

void PackedAllToAll::Body::choose_form(const std::vector<Block>& send_blocks,
                                       const std::vector<Block>& recv_blocks) {
  if (comm.is_solo()) return;
  const std::int64_t limit = agreed_count_limit(comm);
  const bool fits = comm.max(std::max(largest(send_blocks), largest(recv_blocks))) <= limit;
  traffic = traffic_of(send_blocks, comm.rank(), element_bytes);
  element = element_type(element_bytes);
  if (fits && agrees_on_step(send_blocks, recv_blocks)) {
    form = Form::alltoall;
    return;
  }
  if (fits) {
    form = Form::alltoallv;
    send = side_of<int, int>(send_blocks);
    recv = side_of<int, int>(recv_blocks);
    return;
  }
#if MPI_VERSION >= 4
  if (limit == INT_MAX) {  // a test that lowers the limit wants blocks to be split
    form = Form::alltoallv_c;
    large_send = side_of<MPI_Count, MPI_Aint>(send_blocks);
    large_recv = side_of<MPI_Count, MPI_Aint>(recv_blocks);
    return;
  }
#endif
  form = Form::split;
  split.emplace(comm, cyclic_steps(send_blocks, recv_blocks, comm.rank()), element_bytes, limit,
                MessageOptions{});
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

void PackedAllToAll::Body::call(const void* from, void* to) const {
  const MPI_Datatype type = element.get();
  MPI_Comm group = usable(comm.state());
  if (form == Form::alltoall) {
    check_mpi(MPI_Alltoall(from, step, type, to, step, type, group), "MPI_Alltoall");
  } else if (form == Form::alltoallv) {
    check_mpi(MPI_Alltoallv(from, send.counts.data(), send.displacements.data(), type,  //
                            to, recv.counts.data(), recv.displacements.data(), type, group),
              "MPI_Alltoallv");
  } else {
#if MPI_VERSION >= 4
    check_mpi(
        MPI_Alltoallv_c(from, large_send.counts.data(), large_send.displacements.data(), type,  //
                        to, large_recv.counts.data(), large_recv.displacements.data(), type, group),
        "MPI_Alltoallv_c");
#endif
  }
}

void PackedAllToAll::Body::start_call(const void* from, void* to) {
  const MPI_Datatype type = element.get();
  MPI_Comm group = usable(comm.state());
  MPI_Request* request = pending.request();
  if (form == Form::alltoall) {
    check_mpi(MPI_Ialltoall(from, step, type, to, step, type, group, request), "MPI_Ialltoall");
  } else if (form == Form::alltoallv) {
    check_mpi(
        MPI_Ialltoallv(from, send.counts.data(), send.displacements.data(), type,  //
                       to, recv.counts.data(), recv.displacements.data(), type, group, request),
        "MPI_Ialltoallv");
  } else {
#if MPI_VERSION >= 4
    check_mpi(MPI_Ialltoallv_c(from, large_send.counts.data(), large_send.displacements.data(),
                               type,  //
                               to, large_recv.counts.data(), large_recv.displacements.data(), type,
                               group, request),
              "MPI_Ialltoallv_c");
#endif
  }
}

void PackedAllToAll::execute(const void* send, void* recv) const {
  const Body& body = *body_;
  if (body.form == Form::copy) return body.copy_own(send, recv);
  if (body.form != Form::split) return body.call(send, recv);
  start(send, recv);
  wait();
}

void PackedAllToAll::start(const void* send, void* recv) const {
  Body& body = *body_;
  if (body.form == Form::copy || body.form == Form::split) {
    body.copy_own(send, recv);
    if (body.split) body.split->start(0, send, recv);
    return;
  }
  const bool sends = body.traffic.bytes > 0 || body.own_send.count > 0;
  const DistinctBuffers buffers(send, recv, sends);
  body.start_call(buffers.send, buffers.recv);
}

bool PackedAllToAll::test() const {
  Body& body = *body_;
  if (!body.split) return body.pending.test();
  body.split->progress();
  return body.split->is_idle();
}

void PackedAllToAll::wait() const {
  Body& body = *body_;
  if (body.split) return body.split->finish();
  body.pending.wait();
}

MessageTraffic PackedAllToAll::traffic() const { return body_->traffic; }

const char* PackedAllToAll::form() const {
  switch (body_->form) {
    case Form::alltoall:
      return "alltoall";
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
