#pragma once

#include <cstdint>
#include <vector>

#include <weft/layout.hpp>
#include <weft/plan.hpp>

namespace weft {

/// A layout, and the planes that its boxes get around them. Plain data.
struct HaloProblem {
  Layout layout = {};
  Shape below = {};  ///< planes before each box, one number for each axis, or one for all
  Shape above = {};  ///< planes after each box; empty: as below
  /// Whether an axis is periodic: one value for each axis, or one for all.
  std::vector<bool> periodic = {};
  std::int64_t element_bytes = 1;
  std::int64_t ranks_per_node = 1;  ///< as in Problem
  Exchange exchange = {};           ///< forced choices
};

/// Fills in defaults and checks every rule. Throws invalid_argument, layout_mismatch or unsupported
/// with the rule, the value and the remedy. Cost: a visit of each rank.
HaloProblem checked(HaloProblem problem);

// These functions take a checked problem. The local array of a rank is its box with the planes
// around it. A rank with an empty box has no planes.

/// Returns the shape, in logical axis order.
Shape halo_shape(const HaloProblem& problem, std::int64_t rank);
/// Returns the strides in elements, dense in the layout's memory order.
Shape halo_strides(const HaloProblem& problem, std::int64_t rank);
/// Returns the element at which the rank's own box begins.
std::int64_t inner_offset(const HaloProblem& problem, std::int64_t rank);

/// One exchange along one axis. Each rank gets planes from the rank whose part is `distance` parts
/// away along the axis. So every rank sends one box and receives one box. All sent boxes are
/// the layout `owners`, and all received boxes the layout `receivers`. Both are layouts of one
/// array: the planes of all ranks, one after the other. The axes of this array are in the memory
/// order of the problem.
struct HaloRound {
  int axis = 0;               ///< of the problem
  bool below = true;          ///< true: the planes before the boxes, false: those after them
  std::int64_t distance = 1;  ///< number of parts from receiver to owner
  bool is_local = false;      ///< every rank copies planes of its own box: nothing is exchanged
  Layout owners = {};
  Layout receivers = {};
  /// The position in the local array of the first sent element, and of the first received element.
  /// One index for each axis of the layouts. Any value if the box is empty.
  Shape sent_from = {};
  Shape received_at = {};
  Exchange exchange = {};  ///< decided; any value if is_local
  int chunk_axis = -1;     ///< of the layouts, for an exchange in chunks
  friend bool operator==(const HaloRound&, const HaloRound&) = default;
};

/// Returns the rounds that fill the planes of a checked problem, axis by axis. Along their axis,
/// rounds write only planes and read only the ranks' own elements. So the rounds of one axis can
/// run at the same time. Along earlier axes, rounds also move the planes, so corners are filled.
/// The rounds are the same on all ranks; only sent_from and received_at differ.
///
/// To accumulate (add planes to their owners' elements), the rounds run in the opposite order, with
/// owners and receivers swapped.
std::vector<HaloRound> halo_rounds(const HaloProblem& problem, std::int64_t rank);

}  // namespace weft
