#pragma once

#include <cstdint>

#include <weft/plan.hpp>

namespace weft {

/// Along which axis the array is sent in chunks, and who can work on one while others are moved.
struct Chunking {
  int axis = -1;      ///< -1: it can only be sent as a whole
  bool both = false;  ///< every rank owns one range of the axis before and after: the later stage
                      ///< can transform a chunk that has arrived while others are on their way
};

/// The chunks of the exchange between two stages, as executed in this order.
///
/// An axis that neither stage transforms and nobody exchanges is best; else one that the earlier
/// stage leaves alone: then chunks can be sent early, but all must have arrived.
Chunking chunking_of(const Stage& earlier, const Stage& later);

/// Slices that the rank with the most of them has along the chunks' axis; 1 where there is none.
std::int64_t slices(const Chunking& chunking, const Layout& from);

/// The larger number of slices of forward and backward.
std::int64_t most_slices(const Plan& plan, std::size_t exchange);

/// Part `chunk` of `chunks` of a rank's range.
Range chunk_range(const Range& range, std::int64_t chunk, std::int64_t chunks);

}  // namespace weft
