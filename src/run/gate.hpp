#pragma once

namespace weft::run {

/// What a transform waits for before it uses anything that others have sent. Until then it reads the
/// input, writes into the workspace and sends what can be taken back, so that it can be called off.
class Gate {
 public:
  virtual ~Gate() = default;
  /// Called now and then before pass(). Whether pass() would go on at once.
  virtual bool progress() = 0;
  /// Waits. An error that it throws calls the transform off.
  virtual void pass() = 0;
};

}  // namespace weft::run
