#include "run/transform.hpp"

#include <algorithm>

#include <weft/error.hpp>

#include "comm/agreement.hpp"
#include "comm/node_memory.hpp"

namespace weft::run {
namespace {

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + AlignedBuffer::alignment_bytes - 1) / AlignedBuffer::alignment_bytes *
         AlignedBuffer::alignment_bytes;
}

}  // namespace

Transform::Transform(const Plan& plan, const comm::Communicator& comm, const Options& options)
    : threads_(options.local.threads) {
  comm::together(comm, [&] {
    for (const Direction direction : {Direction::forward, Direction::backward})
      for (const bool in_place : {false, true}) {
        Program program(plan, {direction, in_place}, comm.rank(), options.local);
        for (int buffer = 0; buffer < buffer_count; ++buffer)
          sizes_[buffer] = std::max(sizes_[buffer], program.buffer_bytes()[buffer]);
        scratch_size_.grow_to(program.scratch_size());
        auto records = program.empty_records();
        programs_.push_back({std::move(program), std::move(records)});
      }
    scratch_size_.plane_bytes = aligned(scratch_size_.plane_bytes);
    sizes_[input_buffer] = sizes_[output_buffer] = 0;
    for (int buffer = 0; buffer < buffer_count; ++buffer) {
      sizes_[buffer] = aligned(sizes_[buffer]);
      if (buffer < first_shared) workspace_bytes_ += sizes_[buffer];
    }
    shared_bytes_ = SharedBuffers::bytes(sizes_, plan.exchanges.size());
    workspace_bytes_ += threads_ * scratch_size_.thread_bytes();
  });
  if (options.own_workspace) {
    comm::require_memory_together(comm, workspace_bytes_ + shared_bytes_,
                                  "the workspace of a transform");
    comm::together(comm, [&] {
      memory_ = AlignedBuffer(workspace_bytes_);
      workspace_ = memory_.as<char>();
    });
  }
  exchange::Means means{comm};
  if (programs_[0].program.is_shared()) {
    shared_ = std::make_unique<SharedBuffers>(comm, sizes_, plan.exchanges.size());
    means.hand_over = &shared_->hand_over();
  }
  buffers_.resize(shared_ ? shared_->pointers() : std::size_t{buffer_count});
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    Program& out_of_place = programs_[index({direction, false})].program;
    out_of_place.connect(means);
    programs_[index({direction, true})].program.connect_like(out_of_place);
  }
  last_record_ = &programs_[0].records;
}

void Transform::use_workspace(void* memory, std::int64_t bytes) {
  if (bytes < workspace_bytes())
    throw Error(ErrorCode::invalid_argument, "a workspace must have at least workspace_bytes() = " +
                                                 std::to_string(workspace_bytes()) +
                                                 " bytes; given " + std::to_string(bytes));
  if (memory == nullptr && workspace_bytes_ > 0)
    throw Error(ErrorCode::invalid_argument, "a workspace must not be a null pointer");
  if (reinterpret_cast<std::uintptr_t>(memory) % AlignedBuffer::alignment_bytes != 0)
    throw Error(ErrorCode::invalid_argument,
                "a workspace must be aligned to 64 bytes; the one given is not");
  memory_ = AlignedBuffer();
  workspace_ = static_cast<char*>(memory);
}

void Transform::execute(Direction direction, const void* in, void* out, bool in_place) {
  buffers_[input_buffer] = const_cast<void*>(in);
  buffers_[output_buffer] = out;
  char* next = workspace_;
  for (int buffer = send_buffer; buffer < first_shared; ++buffer) {
    buffers_[static_cast<std::size_t>(buffer)] = next;
    next += sizes_[buffer];
  }
  Bound& bound = programs_[index({direction, in_place})];
  const kernel::Scratch scratch(scratch_size_, next);
  bound.program.execute(buffers_.data(), scratch, shared_.get(),
                        recording_ ? bound.records.data() : nullptr);
  if (recording_) last_record_ = &bound.records;
}

}  // namespace weft::run
