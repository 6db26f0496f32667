#include "kernel/fold.hpp"

#include <utility>

namespace weft::kernel {
namespace {

/// Returns the columns at even positions of the folded order: 0, 1, 2, ....
Piece at_even_positions(Piece piece, int axis) {
  const std::int64_t first = (piece.box.lower[axis] + 1) / 2;
  piece.offset += (2 * first - piece.box.lower[axis]) * piece.strides[axis];
  piece.box.lower[axis] = first;
  piece.box.upper[axis] = (piece.box.upper[axis] + 1) / 2;
  piece.strides[axis] *= 2;
  return piece;
}

/// Returns the columns at odd positions of the folded order: n-1, n-2, .... The piece has them in
/// ascending order, so it begins at the last odd position.
Piece at_odd_positions(Piece piece, int axis, std::int64_t extent) {
  const std::int64_t first = piece.box.lower[axis] / 2;
  const std::int64_t end = piece.box.upper[axis] / 2;
  piece.offset += (2 * end - 1 - piece.box.lower[axis]) * piece.strides[axis];
  piece.box.lower[axis] = extent - end;
  piece.box.upper[axis] = extent - first;
  piece.strides[axis] *= -2;
  return piece;
}

}  // namespace

Place unfolded(const Place& folded, int axis, std::int64_t extent) {
  Place place = folded;
  place.pieces.clear();
  for (const Piece& piece : folded.pieces)
    for (Piece& part :
         std::vector{at_even_positions(piece, axis), at_odd_positions(piece, axis, extent)})
      if (!part.box.empty()) place.pieces.push_back(std::move(part));
  return place;
}

}  // namespace weft::kernel
