#pragma once

namespace weft::run {

/// A condition for which a transform waits before it sends anything. Until then the transform only
/// reads the input and writes into workspace and output, so that it can still be cancelled.
class Gate {
 public:
  virtual ~Gate() = default;
  /// Called from time to time before pass().
  virtual void progress() = 0;
  /// Waits for the condition. An exception cancels the transform.
  virtual void pass() = 0;
};

}  // namespace weft::run
