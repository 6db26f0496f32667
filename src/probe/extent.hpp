#pragma once

#include <cstdint>
#include <vector>

#include <weft/precision.hpp>

namespace weft::probe {

/// What a probe measures.
struct Extent {
  std::vector<std::int64_t> lengths;  ///< of lines
  std::vector<Precision> precisions;
  std::vector<Effort> efforts;
  std::vector<std::int64_t> copied_bytes;   ///< arrays of a core, in stages
  std::vector<std::int64_t> message_bytes;  ///< in ascending order
  std::vector<std::int64_t> exchange_bytes;  ///< for each pair of nodes, in ascending order
  std::int64_t stream_bytes = 0;            ///< copied by each core at once, beyond its caches

  /// The largest arrays, in and out, of each thread.
  std::int64_t memory_bytes() const;
};

/// All that the model asks for.
Extent full_extent();
/// Enough to choose between ways, in about 0.2 s: one precision, one effort, arrays of up to 8 MiB.
Extent quick_extent();

}  // namespace weft::probe
