#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::run {

/// What one step of a transform did: times by a monotonic clock, bytes as the executor counts them.
struct StepRecord {
  std::string name;
  bool is_exchange = false;
  double start_s = 0;
  double end_s = 0;
  std::int64_t bytes_read = 0;     ///< from memory, by weft
  std::int64_t bytes_written = 0;  ///< to memory, by weft
  std::int64_t bytes_sent = 0;     ///< to other ranks
  std::int64_t messages = 0;
  double waited_s = 0;  ///< of an exchange: this rank did nothing but wait for it
  double under_way_s =
      0;  ///< of an exchange: messages were under way; what is not waited is hidden
};

/// Seconds on the clock that all records of a process use.
inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace weft::run
