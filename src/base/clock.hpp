#pragma once

#include <chrono>

namespace weft {

/// Returns the seconds on a clock of this process that never goes back. All records of a process
/// use this clock.
inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace weft
