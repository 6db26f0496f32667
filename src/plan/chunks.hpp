#pragma once

#include <cstdint>

#include <weft/plan.hpp>

namespace weft {

/// The axis along which the array is sent in chunks, and the stages that can overlap with the
/// exchange.
struct Chunking {
  int axis = -1;      ///< -1: it can only be sent as a whole
  bool both = false;  ///< every rank owns one range of the axis before and after: the later stage
                      ///< can transform a chunk that has arrived while others are on their way
};

/// Returns the chunks of the exchange between two stages, as executed in this order.
///
/// The best axis is one that neither stage transforms and that is not exchanged. Otherwise it is an
/// axis that the earlier stage leaves alone: then chunks can be sent early, but all must have
/// arrived.
Chunking chunking_of(const Stage& earlier, const Stage& later);

/// Returns the maximum number of slices of a rank along the chunks' axis; 1 if there is no axis.
std::int64_t slices(const Chunking& chunking, const Layout& from);

/// Returns the larger number of slices of forward and backward.
std::int64_t most_slices(const Plan& plan, std::size_t exchange);

/// Returns part `chunk` of `chunks` of a rank's range.
Range chunk_range(const Range& range, std::int64_t chunk, std::int64_t chunks);

}  // namespace weft
