#pragma once

#include <cstdint>
#include <vector>

#include <weft/precision.hpp>

namespace weft::probe {

/// The extent of a probe's measurements.
struct Extent {
  std::vector<std::int64_t> lengths;  ///< of lines, in ascending order
  std::vector<Precision> precisions;  ///< in ascending order of bytes
  std::vector<Effort> efforts;
  std::vector<std::int64_t> copied_bytes;    ///< arrays of one core, in stages; in ascending order
  std::vector<std::int64_t> message_bytes;   ///< in ascending order; empty: no links
  std::vector<std::int64_t> exchange_bytes;  ///< for each pair of nodes, in ascending order
  double link_round_s = 0;                   ///< shortest time of a round of messages between nodes
  int visits = 1;                 ///< most measurements of each line and stage; the fastest counts
  std::int64_t stream_bytes = 0;  ///< copied by all cores concurrently, beyond their caches; 0: no
                                  ///< copies

  /// Returns the memory that measure() requires for the arrays of each thread.
  std::int64_t memory_bytes() const;
};

/// Returns the extent that measures all figures of the model.
Extent full_extent();
/// Returns the full extent. For less than 25 s returns a few lengths of each family and arrays of
/// up to 8 MiB, each measured once.
Extent extent_for(double seconds);
/// Returns an extent that is enough to choose between plans, in about 0.2 s: one precision, one
/// effort, arrays of up to 8 MiB.
Extent quick_extent();
/// Returns an extent that is enough for a calibration, in about 0.05 s: a few lines and arrays of
/// the other extents, without memory and messages.
Extent yardstick_extent(Precision);

}  // namespace weft::probe
