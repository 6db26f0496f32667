#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/memory.hpp"
#include "run/program.hpp"

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
  std::int64_t workspace_bytes() const { return workspace_bytes_ + shared_bytes_; }
  /// False until use_workspace() where the transform has none of its own.
  bool has_workspace() const { return workspace_ != nullptr || workspace_bytes_ == 0; }
  /// Works in the caller's memory from now on: at least workspace_bytes(), 64-byte aligned. Local.
  void use_workspace(void* memory, std::int64_t bytes);

  /// Collective; the caller has checked the arrays on all ranks, `in_place` is the same on all.
  void execute(Direction direction, const void* in, void* out, bool in_place);

  void set_recording(bool on) { recording_ = on; }
  bool recording() const { return recording_; }
  /// The steps of the last run while recording.
  const std::vector<StepRecord>& record() const { return *last_record_; }

 private:
  struct Bound {
    Program program;
    std::vector<StepRecord> records;
  };
  static std::size_t index(const Variant& v) {
    return (v.direction == Direction::backward ? 2 : 0) + (v.in_place ? 1 : 0);
  }

  std::vector<Bound> programs_;  ///< by index()
  BufferSizes sizes_{};
  std::int64_t workspace_bytes_ = 0;  ///< of this process alone
  std::int64_t shared_bytes_ = 0;     ///< in node memory
  AlignedBuffer memory_;
  std::unique_ptr<SharedBuffers> shared_;  ///< where an exchange is shared
  std::vector<void*> buffers_;             ///< the pointers of a run
  char* workspace_ = nullptr;
  kernel::ScratchSize scratch_size_;
  int threads_ = 1;
  bool recording_ = false;
  const std::vector<StepRecord>* last_record_ = nullptr;
};

}  // namespace weft::run
