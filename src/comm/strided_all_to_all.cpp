#include <cstring>
#include <string>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "comm/agreement.hpp"
#include "comm/communicator_state.hpp"
#include "comm/datatype.hpp"
#include "comm/exchange_checks.hpp"
#include "comm/exchanges.hpp"
#include "comm/mpi_check.hpp"
#include "comm/pending.hpp"

namespace weft::comm {
namespace {

/// Returns one box for each rank, in rank order; nullptr for missing or empty boxes.
std::vector<const StridedBlock*> by_rank(std::span<const StridedBlock> given, int ranks,
                                         std::int64_t element_bytes) {
  std::vector<const StridedBlock*> blocks(static_cast<std::size_t>(ranks), nullptr);
  std::vector<bool> seen(static_cast<std::size_t>(ranks));
  for (const StridedBlock& block : given) {
    if (block.extents.size() != block.strides.size()) {
      throw Error(ErrorCode::internal, "a strided box has " + std::to_string(block.extents.size()) +
                                           " extents and " + std::to_string(block.strides.size()) +
                                           " strides");
    }
    for (const std::int64_t extent : block.extents)
      require_block(block.peer, 0, extent, ranks, element_bytes);
    const std::int64_t volume = volume_of(block);
    require_block(block.peer, block.offset, volume, ranks, element_bytes);
    require_single(seen, block.peer);
    if (volume > 0) blocks[static_cast<std::size_t>(block.peer)] = &block;
  }
  return blocks;
}

std::vector<std::int64_t> volumes_of(const std::vector<const StridedBlock*>& blocks) {
  std::vector<std::int64_t> volumes;
  for (const StridedBlock* block : blocks)
    volumes.push_back(block == nullptr ? 0 : volume_of(*block));
  return volumes;
}

/// Arguments of MPI_Alltoallw for one side. An empty box has count 0 and type MPI_BYTE, because
/// some MPI libraries handle datatypes without elements wrongly.
struct StridedSide {
  std::vector<int> counts;
  std::vector<int> displacements;
  std::vector<MPI_Datatype> types;
  std::vector<Datatype> owned;
};

StridedSide side_of(const std::vector<const StridedBlock*>& blocks, std::int64_t element_bytes,
                    std::int64_t limit) {
  StridedSide side;
  side.displacements.assign(blocks.size(), 0);  // the datatypes contain the starts of their boxes
  for (const StridedBlock* block : blocks) {
    if (block == nullptr) {
      side.counts.push_back(0);
      side.types.push_back(MPI_BYTE);
      continue;
    }
    side.owned.push_back(
        strided_type(block->offset, block->extents, block->strides, element_bytes, limit));
    side.counts.push_back(1);
    side.types.push_back(side.owned.back().get());
  }
  return side;
}

/// Copies a strided box to a strided box of the same extents, without MPI.
void copy_box(const char* source, const std::int64_t* source_strides, char* target,
              const std::int64_t* target_strides, const std::int64_t* extents, std::size_t axes,
              std::int64_t element_bytes) {
  if (axes == 0) {
    std::memcpy(target, source, static_cast<std::size_t>(element_bytes));
    return;
  }
  const bool is_row = axes == 1 && source_strides[0] == 1 && target_strides[0] == 1;
  if (is_row) {
    std::memcpy(target, source, static_cast<std::size_t>(extents[0] * element_bytes));
    return;
  }
  for (std::int64_t i = 0; i < extents[0]; ++i) {
    copy_box(source + i * source_strides[0] * element_bytes, source_strides + 1,
             target + i * target_strides[0] * element_bytes, target_strides + 1, extents + 1,
             axes - 1, element_bytes);
  }
}

}  // namespace

struct StridedAllToAll::Body {
  Communicator comm;
  std::int64_t element_bytes = 1;
  StridedSide send;
  StridedSide recv;
  StridedBlock own_send;  ///< used if there is only one rank
  StridedBlock own_recv;
  bool copies = false;
  MessageTraffic traffic;
  PendingCall pending;

  void copy(const void* source, void* target) const;
};

StridedAllToAll::StridedAllToAll(const Communicator& comm, std::span<const StridedBlock> send,
                                 std::span<const StridedBlock> recv, std::int64_t element_bytes) {
  auto body = std::make_shared<Body>();
  std::vector<const StridedBlock*> send_blocks;
  std::vector<const StridedBlock*> recv_blocks;
  together(comm, [&] {
    require_element(element_bytes);
    send_blocks = by_rank(send, comm.size(), element_bytes);
    recv_blocks = by_rank(recv, comm.size(), element_bytes);
  });
  const std::vector<std::int64_t> volumes = volumes_of(send_blocks);
  require_matching(comm, volumes, volumes_of(recv_blocks));
  body->comm = comm;
  body->element_bytes = element_bytes;
  if (comm.is_solo()) {
    body->copies = send_blocks[0] != nullptr;
    if (body->copies) {
      body->own_send = *send_blocks[0];
      body->own_recv = *recv_blocks[0];
      if (body->own_send.extents != body->own_recv.extents) {
        throw Error(ErrorCode::internal,
                    "a strided box is sent and received with different extents");
      }
    }
  } else {
    const std::int64_t limit = agreed_count_limit(comm);
    together(comm, [&] {
      body->send = side_of(send_blocks, element_bytes, limit);
      body->recv = side_of(recv_blocks, element_bytes, limit);
    });
    for (int peer = 0; peer < comm.size(); ++peer) {
      const std::int64_t volume = volumes[static_cast<std::size_t>(peer)];
      if (peer == comm.rank() || volume == 0) continue;
      body->traffic.bytes += volume * element_bytes;
      body->traffic.messages += 1;
    }
  }
  body_ = std::move(body);
}

void StridedAllToAll::Body::copy(const void* source, void* target) const {
  if (!copies) return;
  copy_box(static_cast<const char*>(source) + own_send.offset * element_bytes,
           own_send.strides.data(), static_cast<char*>(target) + own_recv.offset * element_bytes,
           own_recv.strides.data(), own_send.extents.data(), own_send.extents.size(),
           element_bytes);
}

void StridedAllToAll::execute(const void* send, void* recv) const {
  const Body& body = *body_;
  if (body.comm.is_solo()) return body.copy(send, recv);
  check_mpi(MPI_Alltoallw(send, body.send.counts.data(), body.send.displacements.data(),
                          body.send.types.data(),  //
                          recv, body.recv.counts.data(), body.recv.displacements.data(),
                          body.recv.types.data(), usable(body.comm.state())),
            "MPI_Alltoallw");
}

void StridedAllToAll::start(const void* send, void* recv) const {
  Body& body = *body_;
  if (body.comm.is_solo()) return body.copy(send, recv);
  const DistinctBuffers buffers(send, recv, !body.send.owned.empty());
  check_mpi(
      MPI_Ialltoallw(buffers.send, body.send.counts.data(), body.send.displacements.data(),
                     body.send.types.data(),  //
                     buffers.recv, body.recv.counts.data(), body.recv.displacements.data(),
                     body.recv.types.data(), usable(body.comm.state()), body.pending.request()),
      "MPI_Ialltoallw");
}

bool StridedAllToAll::test() const { return body_->pending.test(); }
void StridedAllToAll::wait() const { body_->pending.wait(); }

MessageTraffic StridedAllToAll::traffic() const { return body_->traffic; }

}  // namespace weft::comm
