#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <weft/layout.hpp>

namespace weft::kernel {

/// One number for each axis, without a heap allocation, for the executor.
using Extents = std::array<std::int64_t, max_dims>;

/// Buffer number that means the scratch array of a thread. The caller numbers other buffers from 0.
inline constexpr int scratch_buffer = -1;

/// The position of a box of the array in a buffer. Element i is at offset + sum((i[a] -
/// box.lower[a]) * strides[a]).
struct Piece {
  Box box;
  int buffer = 0;
  std::int64_t offset = 0;  ///< in elements
  Shape strides;            ///< in elements
};

/// The position of a whole local box, as pieces that do not overlap and together cover the box. The
/// inlet and the outlet of a stage are places.
struct Place {
  std::vector<Piece> pieces;
  std::int64_t element_bytes = 0;  ///< in this place
  /// Doubles are stored as floats in this place: elements are half as long as in the computation.
  bool narrow = false;
};

/// Cuts `region` along the axes in `cut_axes`, at the bounds of the pieces of both places. Along
/// these axes, each piece then covers a returned box wholly, or does not touch it. Along the other
/// axes the boxes are as long as `region`.
std::vector<Box> cells(const Box& region, const std::vector<int>& cut_axes, const Place& inlet,
                       const Place& outlet);

/// A common part of two places.
struct CommonBox {
  int from_buffer = 0;
  int to_buffer = 0;
  std::int64_t from_offset = 0;  ///< of the first common element, in elements
  std::int64_t to_offset = 0;
  Shape from_strides;
  Shape to_strides;
  Shape extents;
  std::int64_t elements = 0;
};

/// Returns the common parts of the pieces of two places within a box.
std::vector<CommonBox> common_boxes(const Box& box, const Place& from, const Place& to);

/// Returns whether a sweep writes its outlet past the caches. It does so for a large array, which
/// is not read soon. It does not if the inlet is in the same memory, because the overwritten cache
/// lines are in cache already.
bool streams(const Box& box, const Place& from, const Place& to, bool in_place);

/// Returns whether the ranges of `piece` and `cell` overlap along every axis in `axes`.
bool meets(const Box& piece, const Box& cell, const std::vector<int>& axes);

}  // namespace weft::kernel
