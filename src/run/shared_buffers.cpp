#include "run/shared_buffers.hpp"

namespace weft::run {
namespace {

std::array<std::int64_t, shared_count> offsets_of(const BufferSizes& sizes) {
  std::array<std::int64_t, shared_count> offsets{};
  std::int64_t next = 0;
  for (int i = 0; i < shared_count; ++i) {
    offsets[i] = next;
    next += sizes[first_shared + i];
  }
  return offsets;
}

std::int64_t shared_bytes(const BufferSizes& sizes) {
  std::int64_t bytes = 0;
  for (int i = 0; i < shared_count; ++i) bytes += sizes[first_shared + i];
  return bytes;
}

/// Numbers of the arrays that are shown to others.
constexpr int shown_source = 0;
constexpr int shown_target = 1;

}  // namespace

SharedBuffers::SharedBuffers(const comm::Communicator& comm, const BufferSizes& sizes)
    : rank_(comm.rank()),
      offsets_(comm.all_gather_values(offsets_of(sizes))),
      workspace_(comm, shared_bytes(sizes)) {}

std::size_t SharedBuffers::pointers() const {
  return buffer_count + shared_count * offsets_.size();
}

void* SharedBuffers::workspace_of(int rank, int buffer) const {
  return workspace_.data_of(rank) +
         offsets_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(buffer - first_shared)];
}

void SharedBuffers::show(int which, int buffer, const void* array, std::int64_t bytes,
                         void** buffers) {
  const bool shows = bytes > 0 && comm::NodeWorkspace::can_show(array, bytes);
  buffers[buffer] = shows ? const_cast<void*>(array) : workspace_of(rank_, buffer);
  workspace_.show(
      which, shows ? array : nullptr,
      offsets_[static_cast<std::size_t>(rank_)][static_cast<std::size_t>(buffer - first_shared)]);
}

void SharedBuffers::begin(void** buffers, const BufferSizes& bytes) {
  workspace_.hand_over().wait();
  const auto ranks = static_cast<std::int64_t>(offsets_.size());
  for (const int buffer : {even_buffer, odd_buffer}) {
    for (int rank = 0; rank < ranks; ++rank)
      buffers[first_peer_buffer(buffer, ranks) + rank] = workspace_of(rank, buffer);
    buffers[buffer] = workspace_of(rank_, buffer);
  }
  show(shown_source, source_buffer, buffers[input_buffer], bytes[source_buffer], buffers);
  show(shown_target, target_buffer, buffers[output_buffer], bytes[target_buffer], buffers);
}

void SharedBuffers::find_shown(void** buffers) {
  const auto ranks = static_cast<std::int64_t>(offsets_.size());
  for (int rank = 0; rank < ranks; ++rank) {
    buffers[first_peer_buffer(source_buffer, ranks) + rank] = workspace_.shown(shown_source, rank);
    buffers[first_peer_buffer(target_buffer, ranks) + rank] = workspace_.shown(shown_target, rank);
  }
}

void SharedBuffers::end(bool wait) {
  workspace_.hand_over().arrive();
  if (wait) workspace_.hand_over().wait();
}

}  // namespace weft::run
