#pragma once

#include <cstdint>
#include <vector>

#include <weft/precision.hpp>

namespace weft::probe {

/// What a probe measures.
struct Extent {
  std::vector<std::int64_t> lengths;  ///< of lines, in ascending order
  std::vector<Precision> precisions;  ///< in ascending order of bytes
  std::vector<Effort> efforts;
  std::vector<std::int64_t> copied_bytes;    ///< arrays of a core, in stages; in ascending order
  std::vector<std::int64_t> message_bytes;   ///< in ascending order; none: no links
  std::vector<std::int64_t> exchange_bytes;  ///< for each pair of nodes, in ascending order
  double link_round_s = 0;        ///< messages between nodes are sent for so long at a time
  int visits = 1;                 ///< to each line and stage at most; the fastest counts
  std::int64_t stream_bytes = 0;  ///< copied by each core at once, beyond its caches; 0: not copied

  /// The largest arrays, in and out, of each thread.
  std::int64_t memory_bytes() const;
};

/// All that the model asks for.
Extent full_extent();
/// That, or where there is less than 25 s for it a few lengths of each family and arrays of up to
/// 8 MiB, each looked at once.
Extent extent_for(double seconds);
/// Enough to choose between ways, in about 0.2 s: one precision, one effort, arrays of up to 8 MiB.
Extent quick_extent();
/// Enough to see how fast the machine is this minute beside what the others have found: a few of
/// their lines and arrays, no memory and no messages, in about 0.05 s.
Extent yardstick_extent(Precision);

}  // namespace weft::probe
