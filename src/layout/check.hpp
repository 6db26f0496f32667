#pragma once

#include <string>
#include <vector>

#include <weft/layout.hpp>

namespace weft {

/// Throws invalid_argument unless 1 <= ranks <= 2^31 - 1, the most that MPI can number.
void check_ranks(std::int64_t ranks);

/// Throws invalid_argument if there are too many ranks to plan for. Planning visits each rank many
/// times.
void check_ranks_to_plan(std::int64_t ranks);

/// Throws invalid_argument unless the box has as many axes as the array.
void check_dims(const Box& box, const Shape& shape);

/// Throws invalid_argument unless the box is inside the array, with lower <= upper along each axis.
void check_box(const Box& box, const Shape& shape);

/// Throws invalid_argument if boxes overlap or do not cover the array. The message names two ranks
/// that overlap, or the number of missing elements. Cost: a search over the boxes sorted along one
/// axis, near linear for the usual layouts.
void check_tiling(const Shape& shape, const std::vector<Box>& boxes);

template <class T>
std::string join(const std::vector<T>& values, const char* separator) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i) text += separator;
    text += std::to_string(values[i]);
  }
  return text;
}

}  // namespace weft
