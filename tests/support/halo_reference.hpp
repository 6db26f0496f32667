// Random halos, and the position in the whole array of each element of a rank's local array, by the
// definition of halos.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <weft/plan.hpp>

#include "layout/check.hpp"
#include "plan/halo_rounds.hpp"
#include "support/random_layouts.hpp"

namespace weft::test_support {

/// Calls visit(index) for each index of an array of this shape.
template <class Visit>
void for_each_index(const Shape& shape, Visit&& visit) {
  for (const std::int64_t extent : shape)
    if (extent == 0) return;
  Shape index(shape.size(), 0);
  while (true) {
    visit(index);
    int axis = static_cast<int>(shape.size()) - 1;
    for (; axis >= 0; --axis) {
      if (++index[static_cast<std::size_t>(axis)] < shape[static_cast<std::size_t>(axis)]) break;
      index[static_cast<std::size_t>(axis)] = 0;
    }
    if (axis < 0) return;
  }
}

/// An element of the local array of a rank.
struct HaloElement {
  std::int64_t local = 0;   ///< its position in the local array
  std::int64_t whole = -1;  ///< its position in the whole array in C order; -1: outside the array
  bool is_inner = false;    ///< in the rank's own box
};

/// Calls visit(HaloElement) for each element of the local array of a rank.
template <class Visit>
void for_each_halo_element(const HaloProblem& problem, std::int64_t rank, Visit&& visit) {
  const Box box = problem.layout.box(rank);
  const Shape strides = halo_strides(problem, rank);
  for_each_index(halo_shape(problem, rank), [&](const Shape& index) {
    HaloElement element{0, 0, true};
    bool is_inside = true;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      const std::int64_t extent = problem.layout.shape()[axis];
      std::int64_t global = box.lower[axis] - problem.below[axis] + index[axis];
      if (global < box.lower[axis] || global >= box.upper[axis]) element.is_inner = false;
      if (problem.periodic[axis]) global = (global + extent) % extent;
      if (global < 0 || global >= extent) is_inside = false;
      element.whole = element.whole * extent + global;
      element.local += index[axis] * strides[axis];
    }
    if (!is_inside) element.whole = -1;
    visit(element);
  });
}

/// Returns a random halo on 1 to 4 axes. Boxes may be thin, odd or empty. A width is at most the
/// extent of its axis.
inline HaloProblem random_halo(std::int64_t ranks, Random& random) {
  Shape shape;
  for (std::int64_t dims = draw(random, 1, 4); dims > 0; --dims)
    shape.push_back(draw(random, 1, shape.empty() ? 12 : 6));
  HaloProblem problem;
  problem.layout =
      draw(random, 0, 2) == 0
          ? Layout::slab(shape, ranks,
                         static_cast<int>(draw(random, 0, static_cast<int>(shape.size()) - 1)))
          : random_product_layout(shape, ranks, random);
  for (Shape* widths : {&problem.below, &problem.above})
    for (const std::int64_t extent : shape)
      widths->push_back(
          draw(random, 0, draw(random, 0, 1) == 0 ? extent : std::min<std::int64_t>(extent, 2)));
  problem.periodic.clear();
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    problem.periodic.push_back(draw(random, 0, 2) > 0);
  return checked(problem);
}

inline std::string words_of(const HaloProblem& problem) {
  std::string text = to_json(problem.layout) + " widths " + join(problem.below, ",") + " and " +
                     join(problem.above, ",") + " periodic";
  for (const bool periodic : problem.periodic) text += periodic ? " 1" : " 0";
  return text;
}

}  // namespace weft::test_support
