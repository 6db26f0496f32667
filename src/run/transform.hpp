#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "run/execution.hpp"
#include "run/gate.hpp"

namespace weft::run {

/// A plan bound to a communicator, FFT plans and workspace: runs both ways, in and out of place.
class Transform {
 public:
  struct Options {
    kernel::LocalOptions local;
    bool own_workspace = true;  ///< else use_workspace() comes before the first run
  };

  /// Collective over `comm` of plan.problem.ranks ranks. All succeed or all throw the same error.
  Transform(const Plan& plan, const comm::Communicator& comm, const Options& options);

  /// Workspace of this rank, besides the caller's arrays.
  std::int64_t workspace_bytes() const {
    return execution_.workspace_bytes() +
           (second_execution_ ? second_execution_->workspace_bytes() : 0);
  }
  /// False until use_workspace() where the transform has none of its own.
  bool has_workspace() const { return execution_.has_workspace(); }
  /// Works in the caller's memory from now on: at least workspace_bytes(), 64-byte aligned. Local.
  void use_workspace(void* memory, std::int64_t bytes);

  /// Collective; the caller has checked the arrays on all ranks, `in_place` is the same on all. Or
  /// he does so in the meantime, where can_wait_at_gate(), and `gate` opens when he has.
  void execute(const Variant& variant, const void* in, void* out, Gate* gate = nullptr);
  /// True when, out of place, the stage before the first exchange changes nothing that others see,
  /// and of the caller's nothing but the output.
  bool can_wait_at_gate() const;

  /// Transforms one array after the other, each while the one before it is exchanged, where messages
  /// move it and the workspace is weft's own: the first call with more than one array makes a second
  /// workspace. Collective, as execute; the number of arrays is the same on all ranks.
  void execute_many(const Variant& variant, std::span<const void* const> in,
                    std::span<void* const> out);

  void set_recording(bool on) { recording_ = on; }
  bool recording() const { return recording_; }
  /// The steps of the last run while recording; of several arrays, one after the other.
  const std::vector<StepRecord>& record() const { return records_; }

 private:
  StepRecord* make_records(const Variant& variant, std::size_t arrays);
  bool can_overlap() const;
  void take_turns(const Variant& variant, std::span<const void* const> in,
                  std::span<void* const> out, std::span<Execution* const> executions,
                  StepRecord* records);

  Plan plan_;
  comm::Communicator comm_;
  Options options_;
  std::shared_ptr<const kernel::LineSpectrum> spectrum_;  ///< where the plan convolves
  Execution execution_;
  std::optional<Execution> second_execution_;
  StageProgress progress_;
  bool recording_ = false;
  std::vector<StepRecord> records_;
};

}  // namespace weft::run
