#pragma once

#include <cstdint>

#include <weft/plan.hpp>

namespace weft {

/// What a kind makes of a line of n elements.
struct KindTraits {
  Kind kind;
  Element before;
  Element after;
  /// Elements after: (n + added) / divided.
  std::int64_t length_added;
  std::int64_t length_divided;

  std::int64_t length_after(std::int64_t n) const { return (n + length_added) / length_divided; }
};

const KindTraits& traits_of(Kind kind);

/// Returns one kind for each axis of a problem. Throws invalid_argument unless there are as many as
/// axes, or one.
Kinds kinds_by_axis(const Kinds& given, std::size_t axes);

/// Gives each stage the elements of its arrays: those of the problem, until a stage makes complex
/// numbers of reals.
void set_elements(std::vector<Stage>& stages, const Problem& problem);

}  // namespace weft
