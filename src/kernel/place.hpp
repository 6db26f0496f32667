#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <weft/layout.hpp>

namespace weft::kernel {

/// One number for each axis, without a heap allocation: the executor works with these.
using Extents = std::array<std::int64_t, max_dims>;

/// Number of the scratch array of a thread, beside the buffers that the caller numbers from 0.
inline constexpr int scratch_buffer = -1;

/// Where a box of the array lies in a buffer: element i is at
/// offset + sum((i[a] - box.lower[a]) * strides[a]).
struct Piece {
  Box box;
  int buffer = 0;
  std::int64_t offset = 0;  ///< in elements
  Shape strides;            ///< in elements
};

/// Where a whole local box lies: pieces that do not overlap and leave no hole. This is the inlet or
/// outlet of a stage.
struct Place {
  std::vector<Piece> pieces;
  std::int64_t element_bytes = 0;  ///< as they lie there
  /// Doubles lie here as floats: elements are half as long as where they are worked on.
  bool narrow = false;
};

/// Cuts `region` into boxes that no piece of either place divides along the axes in `cut_axes`.
/// Along the other axes the regions of the result are as long as `region`.
std::vector<Box> cells(const Box& region, const std::vector<int>& cut_axes, const Place& inlet,
                       const Place& outlet);

/// True when the ranges of `piece` and `cell` meet along every axis in `axes`.
bool meets(const Box& piece, const Box& cell, const std::vector<int>& axes);

}  // namespace weft::kernel
