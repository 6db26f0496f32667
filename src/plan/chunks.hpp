#pragma once

#include <cstdint>

#include <weft/plan.hpp>

namespace weft {

/// The axis along which the array of an exchange is cut into chunks.
struct Chunking {
  int axis = -1;      ///< -1: the array can only be sent as a whole
  bool both = false;  ///< neither stage transforms the axis, and each rank has the same range of it
                      ///< before and after. Then the later stage can transform chunks that have
                      ///< arrived, while others travel
};

/// Returns how the exchange between two stages, executed in this order, is cut into chunks.
///
/// The best axis is one that neither stage transforms and whose parts the exchange does not move.
/// The next best is an axis that the earlier stage does not transform. With such an axis, chunks
/// can be sent early, but the later stage must wait for all chunks. Among equals the longest is
/// best.
Chunking chunking_of(const Stage& earlier, const Stage& later);

/// Returns the longest range of the chunks' axis on any rank; 1 if there is no such axis. A slice
/// is one index of this axis.
std::int64_t slices(const Chunking& chunking, const Layout& from);

/// Returns the larger of slices() forward and backward.
std::int64_t most_slices(const Plan& plan, std::size_t exchange);

/// Divides a rank's range into `chunks` parts of about equal size. Returns part `chunk`.
Range chunk_range(const Range& range, std::int64_t chunk, std::int64_t chunks);

}  // namespace weft
