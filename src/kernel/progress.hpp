#pragma once

namespace weft::kernel {

/// Advances messages or disk transfers while lines are transformed.
class Progress {
 public:
  virtual ~Progress() = default;
  /// The first thread calls this after each of its tiles or long lines. Other threads do not call
  /// it.
  virtual void poke() = 0;
};

}  // namespace weft::kernel
