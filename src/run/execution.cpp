#include "run/execution.hpp"

#include <algorithm>

#include <weft/error.hpp>

#include "comm/agreement.hpp"
#include "comm/node_memory.hpp"

namespace weft::run {
std::vector<RankProgram> programs_of(const Plan& plan, int rank, const kernel::LocalOptions& local,
                                     const std::shared_ptr<const kernel::LineSpectrum>& spectrum) {
  std::vector<RankProgram> programs;
  for (const Direction direction : {Direction::forward, Direction::backward})
    for (const bool in_place : {false, true})
      programs.emplace_back(plan, Variant{direction, in_place}, rank, local, spectrum);
  return programs;
}

Execution::Execution(const comm::Communicator& comm, int threads, bool own_workspace, int number,
                     const std::function<std::vector<RankProgram>()>& make)
    : threads_(threads) {
  comm::together(comm, [&] {
    programs_ = make();
    for (const RankProgram& program : programs_) {
      for (int buffer = 0; buffer < buffer_count; ++buffer)
        sizes_[buffer] = std::max(sizes_[buffer], program.buffer_bytes()[buffer]);
      scratch_size_.grow_to(program.scratch_size());
    }
    scratch_size_.plane_bytes = AlignedBuffer::aligned(scratch_size_.plane_bytes);
    sizes_[input_buffer] = sizes_[output_buffer] = 0;
    for (int buffer = 0; buffer < buffer_count; ++buffer) {
      sizes_[buffer] = AlignedBuffer::aligned(sizes_[buffer]);
      if (buffer < first_exposed) workspace_bytes_ += sizes_[buffer];
      if (buffer >= first_exposed && buffer < first_shared) exposed_bytes_ += sizes_[buffer];
    }
    workspace_bytes_ += AlignedBuffer::aligned(threads_ * scratch_size_.thread_bytes());
    shared_bytes_ = SharedBuffers::bytes(sizes_);
  });
  if (own_workspace) {
    comm::require_memory_together(comm, workspace_bytes(), "the workspace of a transform");
    comm::together(comm, [&] {
      memory_ = AlignedBuffer(workspace_bytes_);
      workspace_ = memory_.as<char>();
    });
  }
  exchange::ExchangeResources resources{comm, nullptr, number};
  if (programs_[0].is_shared()) {
    // If one node lacks memory, all ranks throw.
    comm::together(comm, [&] { shared_ = std::make_unique<SharedBuffers>(comm, sizes_); });
    resources.hand_over = &shared_->hand_over();
  }
  if (programs_[0].is_exposed()) {
    // The second exposed buffer has 0 bytes if no exchange is in chunks.
    for (int buffer = first_exposed; buffer < first_shared; ++buffer)
      if (comm.max(sizes_[buffer]) > 0) exposed_.emplace_back(comm, sizes_[buffer]);
    resources.exposed = exposed_;
    resources.first_exposed = first_exposed;
  }
  buffers_.resize(shared_ ? shared_->pointers() : std::size_t{buffer_count});
  for (std::size_t i = 0; i < programs_.size(); ++i)
    if (i % 2 == 0)  // program i + 1 is for the same direction in place
      programs_[i].connect(resources);
    else
      programs_[i].connect_like(programs_[i - 1]);
}

void require_workspace(const void* memory, std::int64_t bytes, std::int64_t least) {
  if (bytes < least)
    throw Error(ErrorCode::invalid_argument,
                "a workspace must have at least workspace_bytes() = " + std::to_string(least) +
                    " bytes; given " + std::to_string(bytes));
  if (memory == nullptr && least > 0)
    throw Error(ErrorCode::invalid_argument, "a workspace must not be a null pointer");
  if (reinterpret_cast<std::uintptr_t>(memory) % AlignedBuffer::alignment_bytes != 0)
    throw Error(ErrorCode::invalid_argument,
                "a workspace must be aligned to 64 bytes; the one given is not");
}

void Execution::use_workspace(void* memory, std::int64_t bytes) {
  require_workspace(memory, bytes, workspace_bytes());
  memory_ = AlignedBuffer();
  workspace_ = static_cast<char*>(memory);
}

void Execution::begin(std::size_t program, const void* in, void* out, StageProgress& progress,
                      StepRecord* records) {
  buffers_[input_buffer] = const_cast<void*>(in);
  buffers_[output_buffer] = out;
  char* next = workspace_;
  for (int buffer = work_buffer; buffer < first_exposed; ++buffer) {
    buffers_[static_cast<std::size_t>(buffer)] = next;
    next += sizes_[buffer];
  }
  for (std::size_t i = 0; i < exposed_.size(); ++i)
    buffers_[first_exposed + i] = exposed_[i].data();
  program_ = &programs_[program];
  next_stage_ = 0;
  progress_ = &progress;
  records_ = records;
  program_->begin(buffers_.data(), shared_.get());
}

Context Execution::context() const {
  const std::int64_t scratch_bytes =
      AlignedBuffer::aligned(threads_ * scratch_size_.thread_bytes());
  return {const_cast<void**>(buffers_.data()),
          kernel::Scratch(
              scratch_size_,
              workspace_ == nullptr ? nullptr : workspace_ + workspace_bytes_ - scratch_bytes,
              progress_),
          *progress_, shared_.get(), records_};
}

void Execution::execute_stage() {
  program_->execute_stage(next_stage_, context());
  end_stage();
}

void Execution::end_stage() {
  if (++next_stage_ < program_->stage_count()) return;
  program_->end(shared_.get());
  program_ = nullptr;
}

}  // namespace weft::run
