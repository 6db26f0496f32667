#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/memory.hpp"
#include "run/rank_program.hpp"

namespace weft::run {

/// Throws unless the caller's memory has these bytes and is aligned to 64.
void require_workspace(const void* memory, std::int64_t bytes, std::int64_t least);

/// A plan bound to FFT plans, exchanges and workspace. Transforms one array at a time, stage by
/// stage, so that stages of another lane can run in between.
class Execution {
 public:
  /// Collective over `comm` of plan.problem.ranks ranks. All succeed or all throw the same error.
  /// Concurrent lanes have different numbers. `spectrum`: from chirp_spectrum(), for a plan that
  /// convolves.
  Execution(const Plan& plan, const comm::Communicator& comm, const kernel::LocalOptions& local,
            bool own_workspace, int number,
            const std::shared_ptr<const kernel::LineSpectrum>& spectrum);

  /// Workspace of this rank, in addition to the caller's arrays.
  std::int64_t workspace_bytes() const { return workspace_bytes_ + shared_bytes_; }
  /// Returns false until use_workspace() if the lane has no own workspace.
  bool has_workspace() const { return workspace_ != nullptr || workspace_bytes_ == 0; }
  void use_workspace(void* memory, std::int64_t bytes);

  bool is_shared() const { return shared_ != nullptr; }
  std::size_t stage_count() const { return programs_[0].stage_count(); }
  std::vector<StepRecord> empty_records(const Variant& variant) const;

  /// Begins a transform. `records`, unless null, has the size of empty_records().
  void begin(const Variant& variant, const void* in, void* out, StageProgress& progress,
             StepRecord* records);
  bool is_busy() const { return program_ != nullptr; }
  /// Executes the next stage; the last one ends the transform.
  void execute_stage();
  /// Cancels the transform under way. Nothing has left this rank yet.
  void call_off() { program_ = nullptr; }

 private:
  static std::size_t index(const Variant& v) {
    return (v.direction == Direction::backward ? 2 : 0) + (v.in_place ? 1 : 0);
  }
  void make_programs(const Plan& plan, int rank, const kernel::LocalOptions& local,
                     const std::shared_ptr<const kernel::LineSpectrum>& spectrum);

  std::vector<RankProgram> programs_;  ///< by index()
  BufferSizes sizes_{};
  std::int64_t workspace_bytes_ = 0;  ///< private to this process
  std::int64_t shared_bytes_ = 0;     ///< in node memory
  AlignedBuffer memory_;
  std::unique_ptr<SharedBuffers> shared_;  ///< only with a shared exchange
  std::vector<void*> buffers_;             ///< the pointers of a run
  char* workspace_ = nullptr;
  kernel::ScratchSize scratch_size_;
  int threads_ = 1;

  // the transform that is under way
  const RankProgram* program_ = nullptr;
  std::size_t next_stage_ = 0;
  StageProgress* progress_ = nullptr;
  StepRecord* records_ = nullptr;
};

}  // namespace weft::run
