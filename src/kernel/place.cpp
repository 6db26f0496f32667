#include "kernel/place.hpp"

#include <algorithm>

#include "kernel/cache.hpp"

namespace weft::kernel {
namespace {

struct Cut {
  int axis = -1;
  std::int64_t position = 0;
};

/// Returns a position inside the region at which some piece begins or ends, if there is one.
Cut find_cut(const Box& region, const std::vector<int>& axes,
             const std::vector<const Box*>& pieces) {
  for (const Box* piece : pieces)
    for (int axis : axes)
      for (std::int64_t position : {piece->lower[axis], piece->upper[axis]})
        if (position > region.lower[axis] && position < region.upper[axis]) return {axis, position};
  return {};
}

void divide(const Box& region, const std::vector<int>& axes,
            const std::vector<const Box*>& candidates, std::vector<Box>& out) {
  std::vector<const Box*> pieces;
  for (const Box* piece : candidates)
    if (meets(*piece, region, axes)) pieces.push_back(piece);
  const Cut cut = find_cut(region, axes, pieces);
  if (cut.axis < 0) {
    out.push_back(region);
    return;
  }
  Box low = region;
  Box high = region;
  low.upper[cut.axis] = high.lower[cut.axis] = cut.position;
  divide(low, axes, pieces, out);
  divide(high, axes, pieces, out);
}

/// Returns the position in a buffer at which a part of the piece begins.
std::int64_t offset_in(const Piece& piece, const Box& part) {
  std::int64_t offset = piece.offset;
  for (int axis = 0; axis < part.dims(); ++axis)
    offset += (part.lower[axis] - piece.box.lower[axis]) * piece.strides[axis];
  return offset;
}

}  // namespace

std::vector<CommonBox> common_boxes(const Box& box, const Place& from, const Place& to) {
  std::vector<CommonBox> found;
  for (const Piece& source : from.pieces)
    for (const Piece& target : to.pieces) {
      const Box common = intersect(intersect(source.box, target.box), box);
      if (common.empty()) continue;
      found.push_back({source.buffer, target.buffer, offset_in(source, common),
                       offset_in(target, common), source.strides, target.strides, common.shape(),
                       common.volume()});
    }
  return found;
}

bool streams(const Box& box, const Place& from, const Place& to, bool in_place) {
  const bool same_memory = in_place || (!from.pieces.empty() && !to.pieces.empty() &&
                                        from.pieces[0].buffer == to.pieces[0].buffer);
  const std::int64_t bytes = box.volume() * std::max(from.element_bytes, to.element_bytes);
  return !same_memory && bytes > cache_sizes().core_bytes();
}

bool meets(const Box& piece, const Box& cell, const std::vector<int>& axes) {
  for (int axis : axes)
    if (piece.upper[axis] <= cell.lower[axis] || piece.lower[axis] >= cell.upper[axis])
      return false;
  return true;
}

std::vector<Box> cells(const Box& region, const std::vector<int>& cut_axes, const Place& inlet,
                       const Place& outlet) {
  std::vector<Box> found;
  for (int axis : cut_axes)
    if (region.extent(axis) <= 0) return found;
  std::vector<const Box*> pieces;
  for (const Place* place : {&inlet, &outlet})
    for (const Piece& piece : place->pieces) pieces.push_back(&piece.box);
  divide(region, cut_axes, pieces, found);
  return found;
}

}  // namespace weft::kernel
