#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "run/execution.hpp"
#include "run/gate.hpp"

namespace weft::run {

/// A plan bound to a communicator, FFT plans and workspace. Runs in both directions, in and out of
/// place.
class Transform {
 public:
  struct Options {
    kernel::LocalOptions local;
    bool own_workspace = true;  ///< false: use_workspace() comes before the first run
  };

  /// Collective over `comm`, which has plan.problem.ranks ranks. All ranks succeed, or all throw
  /// the same error.
  Transform(const Plan& plan, const comm::Communicator& comm, const Options& options);

  /// Workspace of this rank, in addition to the caller's arrays.
  std::int64_t workspace_bytes() const {
    return execution_.workspace_bytes() +
           (second_execution_ ? second_execution_->workspace_bytes() : 0);
  }
  /// Returns whether the transform can run: it has its own workspace, or the workspace has been
  /// set, or it needs none.
  bool has_workspace() const { return execution_.has_workspace(); }
  /// Sets the caller's memory as the workspace: at least workspace_bytes(), 64-byte aligned. Local.
  /// If the problem has several components, the second workspace takes a part of this memory.
  void use_workspace(void* memory, std::int64_t bytes);

  /// Runs one transform. `variant` is the same on all ranks. The caller has checked the arrays on
  /// all ranks. If can_wait_at_gate() is true, the caller may instead check the arrays during the
  /// run, and `gate` opens after this check. Collective.
  void execute(const Variant& variant, const void* in, void* out, Gate* gate = nullptr);
  /// Returns whether a run out of place can wait at a gate before its first exchange. Until then it
  /// changes no memory of other ranks, and of the caller's arrays only the output.
  bool can_wait_at_gate() const;

  /// Transforms one array after the other. If no exchange uses node memory, and there is a second
  /// workspace, each array is transformed while the array before it is exchanged. For a problem
  /// with several components, the constructor makes the second workspace. Otherwise the first call
  /// with more than one array allocates it, if the workspace is weft's own. Collective, as
  /// execute(); the number of arrays is the same on all ranks.
  void execute_many(const Variant& variant, std::span<const void* const> in,
                    std::span<void* const> out);

  void set_recording(bool on) { recording_ = on; }
  bool recording() const { return recording_; }
  /// Returns the steps of the last recorded run; for several arrays, one array after the other.
  const std::vector<StepRecord>& record() const { return records_; }

 private:
  std::vector<RankProgram> made_programs() const;
  StepRecord* make_records(const Variant& variant, std::size_t arrays);
  bool has_pipeline() const;
  void take_turns(const Variant& variant, std::span<const void* const> in,
                  std::span<void* const> out, std::span<Execution* const> executions,
                  StepRecord* records);

  Plan plan_;
  comm::Communicator comm_;
  Options options_;
  bool exchanges_can_overlap_;
  std::shared_ptr<const kernel::LineSpectrum> spectrum_;  ///< null unless the plan convolves
  Execution execution_;
  std::optional<Execution> second_execution_;
  StageProgress progress_;
  bool recording_ = false;
  std::vector<StepRecord> records_;
};

}  // namespace weft::run
