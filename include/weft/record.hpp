#pragma once

#include <cstdint>
#include <string>

namespace weft {

/// Record of one step of a transform on one rank. Times are in seconds by a monotonic clock.
struct StepRecord {
  std::string name;
  bool is_exchange = false;
  double start_s = 0;
  double end_s = 0;
  std::int64_t bytes_read = 0;     ///< from memory, by weft
  std::int64_t bytes_written = 0;  ///< to memory, by weft
  std::int64_t bytes_sent = 0;     ///< to other ranks
  std::int64_t messages = 0;       ///< to other ranks
  /// Bytes that an exchange reads from the memory of other ranks of this node, without a message.
  /// They are the elements of this rank that belonged to those ranks before the exchange.
  std::int64_t bytes_from_others = 0;
  double waited_s = 0;  ///< of an exchange: time in which this rank only waited
  double under_way_s =
      0;  ///< of an exchange: time in which messages were under way. The part in which this rank
          ///< did not wait is hidden behind other work
};

}  // namespace weft
