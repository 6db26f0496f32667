#include "kernel/fold.hpp"

#include <utility>

namespace weft::kernel {
namespace {

/// Returns the columns 0, 1, 2, ..., which are at even positions.
Piece rising(Piece piece, int axis) {
  const std::int64_t first = (piece.box.lower[axis] + 1) / 2;
  piece.offset += (2 * first - piece.box.lower[axis]) * piece.strides[axis];
  piece.box.lower[axis] = first;
  piece.box.upper[axis] = (piece.box.upper[axis] + 1) / 2;
  piece.strides[axis] *= 2;
  return piece;
}

/// Returns the columns n-1, n-2, ..., which are at odd positions. The piece lists them by rising
/// number, so it begins at the last odd position.
Piece falling(Piece piece, int axis, std::int64_t extent) {
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
    for (Piece& part : std::vector{rising(piece, axis), falling(piece, axis, extent)})
      if (!part.box.empty()) place.pieces.push_back(std::move(part));
  return place;
}

}  // namespace weft::kernel
