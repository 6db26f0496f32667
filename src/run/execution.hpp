#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/memory.hpp"
#include "run/rank_program.hpp"

namespace weft::run {

/// Throws unless the caller's memory has at least `least` bytes and is aligned to 64.
void require_workspace(const void* memory, std::int64_t bytes, std::int64_t least);

/// Returns the programs of an execution: for each direction one out of place, then one in place.
/// See program_number().
std::vector<RankProgram> programs_of(const Plan& plan, int rank, const kernel::LocalOptions& local,
                                     const std::shared_ptr<const kernel::LineSpectrum>& spectrum);

/// Programs bound to FFT plans, exchanges and workspace. An Execution transforms one array at a
/// time, stage by stage. Several Executions whose stages alternate are called lanes.
class Execution {
 public:
  /// Collective over `comm`. All ranks succeed, or all throw the same error. `make` makes the
  /// programs of this rank: pairs as those of programs_of(), or a single program. Concurrent lanes
  /// must have different numbers.
  Execution(const comm::Communicator& comm, int threads, bool own_workspace, int number,
            const std::function<std::vector<RankProgram>()>& make);

  /// Workspace of this rank, in addition to the caller's arrays.
  std::int64_t workspace_bytes() const { return workspace_bytes_ + shared_bytes_ + exposed_bytes_; }
  /// Returns whether the lane has its own workspace, or that of use_workspace(), or needs none.
  bool has_workspace() const { return workspace_ != nullptr || workspace_bytes_ == 0; }
  void use_workspace(void* memory, std::int64_t bytes);

  std::size_t stage_count() const { return programs_[0].stage_count(); }
  /// Returns the records of one of the programs, empty.
  std::vector<StepRecord> empty_records(std::size_t program) const {
    return programs_[program].empty_records();
  }

  /// Begins a transform by one of the programs. `records`, unless null, has the size of
  /// empty_records().
  void begin(std::size_t program, const void* in, void* out, StageProgress& progress,
             StepRecord* records);
  bool is_busy() const { return program_ != nullptr; }
  /// Executes the next stage; the last one ends the transform.
  void execute_stage();
  /// Cancels the transform under way. No message of this transform may be under way.
  void call_off() { program_ = nullptr; }

  /// The next three functions are for a stage that works on several lanes together. They return
  /// this lane's program and data, and change to the next stage.
  const RankProgram& program(std::size_t number) const { return programs_[number]; }
  Context context() const;
  void end_stage();

 private:
  std::vector<RankProgram> programs_;
  BufferSizes sizes_{};
  std::int64_t workspace_bytes_ = 0;  ///< private to this process
  std::int64_t shared_bytes_ = 0;     ///< in node memory
  std::int64_t exposed_bytes_ = 0;    ///< in windows
  AlignedBuffer memory_;
  std::unique_ptr<SharedBuffers> shared_;     ///< only with a shared exchange
  std::vector<comm::ExposedMemory> exposed_;  ///< from first_exposed on; only if blocks are put
  std::vector<void*> buffers_;                ///< pointers to the buffers, during a run
  char* workspace_ = nullptr;
  kernel::ScratchSize scratch_size_;
  int threads_ = 1;

  // The following members describe the transform that is under way.
  const RankProgram* program_ = nullptr;
  std::size_t next_stage_ = 0;
  StageProgress* progress_ = nullptr;
  StepRecord* records_ = nullptr;
};

/// Returns the number of a variant's program among programs_of().
inline std::size_t program_number(const Variant& v) {
  return (v.direction == Direction::backward ? 2 : 0) + (v.in_place ? 1 : 0);
}

}  // namespace weft::run
