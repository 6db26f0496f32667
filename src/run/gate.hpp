#pragma once

namespace weft::run {

/// What a transform waits for before anything leaves the rank. Until then it reads the input and
/// writes into the workspace and the output alone, so that it can still be called off.
class Gate {
 public:
  virtual ~Gate() = default;
  /// Called now and then before pass().
  virtual void progress() = 0;
  /// Waits. An error that it throws calls the transform off.
  virtual void pass() = 0;
};

}  // namespace weft::run
