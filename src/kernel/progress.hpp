#pragma once

namespace weft::kernel {

/// Something else that must be looked after while lines are transformed: messages under way.
class Progress {
 public:
  virtual ~Progress() = default;
  /// Called after every tile, by the thread that began the sweep only.
  virtual void poke() = 0;
};

}  // namespace weft::kernel
