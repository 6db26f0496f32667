#pragma once

#include <cstdint>
#include <vector>

#include <weft/layout.hpp>
#include <weft/plan.hpp>

namespace weft {

/// The planes around the boxes of a layout. Plain data.
struct HaloProblem {
  Layout layout = {};
  Shape below = {};  ///< planes before each box, one number for each axis, or one for all
  Shape above = {};  ///< planes after it; empty: as below
  /// Whether the planes outside the array are those of its other end, by axis; one for all.
  std::vector<bool> periodic = {};
  std::int64_t element_bytes = 1;
  std::int64_t ranks_per_node = 1;  ///< as in Problem
  Exchange exchange = {};           ///< forced choices
};

/// Fills in defaults and checks every rule. Throws invalid_argument, layout_mismatch or unsupported
/// with the rule, the value and the remedy. Cost: a visit of each rank.
HaloProblem checked(HaloProblem problem);

// These functions take a checked problem. The local array of a rank is its box with all planes. A
// rank with an empty box has no planes.

/// Returns the shape, in logical axis order.
Shape halo_shape(const HaloProblem& problem, std::int64_t rank);
/// Returns the strides in elements, dense in the layout's memory order.
Shape halo_strides(const HaloProblem& problem, std::int64_t rank);
/// Returns the element at which the rank's own box begins.
std::int64_t inner_offset(const HaloProblem& problem, std::int64_t rank);

/// One exchange along one axis. In round k each rank gets planes of the rank k parts further along
/// the axis. So every rank has one box before and one after. Both are layouts of an array in which
/// the planes of all ranks follow each other. Its axes are in the memory order of the problem.
struct HaloRound {
  int axis = 0;               ///< of the problem
  bool below = true;          ///< the planes before the boxes, otherwise those after them
  std::int64_t distance = 1;  ///< parts between owner and receiver
  bool is_local = false;      ///< every rank is its own owner: nothing is exchanged
  Layout owners = {};
  Layout receivers = {};
  /// The first element of this rank's box of `owners` in its local array, and of that of
  /// `receivers`. One index for each axis of the layouts. Any value for an empty box.
  Shape sent_from = {};
  Shape received_at = {};
  Exchange exchange = {};  ///< decided; any value if is_local
  int chunk_axis = -1;     ///< of the layouts, for an exchange in chunks
  friend bool operator==(const HaloRound&, const HaloRound&) = default;
};

/// Returns the rounds that fill the planes of a checked problem, axis by axis. The rounds of an axis
/// only read boxes and only write planes along it, so that they can run at the same time. They
/// include the planes of the axes before: so corners are filled too. The rounds are the same on all
/// ranks; only sent_from and received_at differ.
///
/// In the opposite order, with owners and receivers exchanged, they accumulate.
std::vector<HaloRound> halo_rounds(const HaloProblem& problem, std::int64_t rank);

}  // namespace weft
