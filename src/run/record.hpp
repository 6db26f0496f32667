#pragma once

#include <chrono>

#include <weft/record.hpp>

namespace weft::run {

using weft::StepRecord;

/// Seconds on the clock that all records of a process use.
inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace weft::run
