#include "run/shared_buffers.hpp"

#include <algorithm>
#include <utility>

#include <weft/error.hpp>

namespace weft::run {
namespace {

/// The positions of the buffers in the workspace. Source and target are workspace too if other
/// ranks cannot access the caller's arrays. The source overlaps the even buffer, because data for
/// the even buffer are read from the same place of the source. The target also overlaps the even
/// buffer, unless a run needs both.
struct Regions {
  std::array<std::int64_t, shared_count> offsets{};
  std::int64_t bytes = 0;
};

Regions regions_of(const BufferSizes& sizes) {
  const bool apart = sizes[apart_target] > 0;
  Regions regions;
  regions.bytes = std::max(sizes[even_buffer], sizes[source_buffer]);
  if (!apart) regions.bytes = std::max(regions.bytes, sizes[target_buffer]);
  const auto add = [&](int buffer) {
    regions.offsets[static_cast<std::size_t>(buffer - first_shared)] = regions.bytes;
    regions.bytes += sizes[static_cast<std::size_t>(buffer)];
  };
  add(odd_buffer);
  add(arrival_buffer);
  if (apart) add(target_buffer);
  return regions;
}

/// Numbers of the arrays that other ranks can access.
constexpr int shown_source = 0;
constexpr int shown_target = 1;

}  // namespace

std::int64_t SharedBuffers::bytes(const BufferSizes& sizes) { return regions_of(sizes).bytes; }

SharedBuffers::SharedBuffers(const comm::Communicator& comm, const BufferSizes& sizes)
    : SharedBuffers(comm, comm.node_group(), sizes) {}

SharedBuffers::SharedBuffers(const comm::Communicator& comm, const comm::Communicator& node,
                             const BufferSizes& sizes)
    : ranks_(comm.size()),
      first_rank_(comm.rank() - node.rank()),
      rank_(node.rank()),
      offsets_(node.all_gather_values(regions_of(sizes).offsets)),
      workspace_(node, bytes(sizes)) {}

SharedBuffers::SharedBuffers(std::vector<char*> memory, const std::vector<BufferSizes>& sizes,
                             int rank)
    : ranks_(static_cast<int>(sizes.size())), rank_(rank), workspace_(std::move(memory), rank) {
  for (const BufferSizes& of_rank : sizes) offsets_.push_back(regions_of(of_rank).offsets);
}

std::size_t SharedBuffers::pointers() const {
  return buffer_count + shared_count * static_cast<std::size_t>(ranks_);
}

void* SharedBuffers::workspace_of(int rank, int buffer) const {
  return workspace_.data_of(rank) +
         offsets_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(buffer - first_shared)];
}

void SharedBuffers::show(int which, int buffer, const void* array, std::int64_t bytes,
                         void** buffers) {
  const bool shows = bytes > 0 && workspace_.can_show(array, bytes);
  buffers[buffer] = shows ? const_cast<void*>(array) : workspace_of(rank_, buffer);
  workspace_.show(
      which, shows ? array : nullptr,
      offsets_[static_cast<std::size_t>(rank_)][static_cast<std::size_t>(buffer - first_shared)]);
}

void SharedBuffers::begin(void** buffers, const BufferSizes& bytes, int call) {
  workspace_.hand_over().wait();
  workspace_.announce(call_ = call);
  for (const int buffer : {even_buffer, odd_buffer, arrival_buffer}) {
    for (int rank = 0; rank < members(); ++rank)
      buffers[peer_buffer(buffer, rank)] = workspace_of(rank, buffer);
    buffers[buffer] = workspace_of(rank_, buffer);
  }
  show(shown_source, source_buffer, buffers[input_buffer], bytes[source_buffer], buffers);
  show(shown_target, target_buffer, buffers[output_buffer], bytes[target_buffer], buffers);
}

void SharedBuffers::find_shown(void** buffers) {
  for (int rank = 0; rank < members(); ++rank)
    if (workspace_.announced(rank) != call_)
      throw Error(ErrorCode::disagreement,
                  "all ranks must make the same call; some run forward and others backward");
  for (int rank = 0; rank < members(); ++rank) {
    if (rank == rank_) continue;  // this rank uses the numbers of its own buffers
    buffers[peer_buffer(source_buffer, rank)] = workspace_.shown(shown_source, rank);
    buffers[peer_buffer(target_buffer, rank)] = workspace_.shown(shown_target, rank);
  }
}

void SharedBuffers::end(bool wait) {
  workspace_.hand_over().arrive();
  if (wait) workspace_.hand_over().wait();
}

}  // namespace weft::run
