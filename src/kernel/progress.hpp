#pragma once

namespace weft::kernel {

/// Other work during the transform of lines: messages under way.
class Progress {
 public:
  virtual ~Progress() = default;
  /// Called after every tile, only by the thread that began the sweep.
  virtual void poke() = 0;
};

}  // namespace weft::kernel
