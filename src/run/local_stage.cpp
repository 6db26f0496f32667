#include "run/local_stage.hpp"

#include <algorithm>

#include "kernel/block_shape.hpp"
#include "run/local_arrays.hpp"

namespace weft::run {
namespace {

using kernel::AxisTransform;
using kernel::Place;

bool is_real_transform(const std::vector<AxisTransform>& transforms, int axis) {
  return std::any_of(transforms.begin(), transforms.end(),
                     [&](const auto& t) { return t.axis == axis && t.kind.is_halved(); });
}

/// Returns the axis that r2c halves or c2r restores.
int real_axis(const std::vector<AxisTransform>& transforms) {
  const auto found = std::find_if(transforms.begin(), transforms.end(), [&](const auto& t) {
    return is_real_transform(transforms, t.axis);
  });
  return found->axis;
}

bool has_kind(const std::vector<AxisTransform>& transforms, std::size_t first, std::size_t last,
              kernel::LineKind kind) {
  return std::any_of(transforms.begin() + first, transforms.begin() + last,
                     [&](const auto& t) { return t.kind == kind; });
}

/// Returns the memory of the real rows of `current` as rows of complex numbers of `box`. This is
/// possible in place, where rows are padded so that the result of a row fits in the row. Otherwise
/// returns no piece.
Place in_the_same_rows(const Place& current, const Box& box, int halved,
                       std::int64_t complex_element_bytes) {
  Place rows{{}, complex_element_bytes};
  if (current.pieces.size() != 1 || current.pieces[0].buffer != input_buffer) return rows;
  kernel::Piece piece = current.pieces[0];
  if (current.narrow || piece.offset != 0 || piece.strides[halved] != 1) return rows;
  bool is_padded = false;  // cannot be seen if there is a single row
  for (int axis = 0; axis < box.dims(); ++axis) {
    if (axis == halved || piece.box.extent(axis) == 1) continue;
    is_padded = true;
    const std::int64_t reals = piece.strides[axis];
    if (reals % 2 != 0 || reals < 2 * box.extent(halved)) return rows;
    piece.strides[axis] = reals / 2;
  }
  if (!is_padded) return rows;
  // The other axes are unchanged: for a chunk, the piece is still that of the whole array.
  piece.box.lower[halved] = box.lower[halved];
  piece.box.upper[halved] = box.upper[halved];
  rows.pieces.push_back(std::move(piece));
  return rows;
}

/// Returns whether the pieces of a place have room for a box.
bool has_room(const Place& place, const Box& box) {
  for (int axis = 0; axis < box.dims(); ++axis)
    if (std::none_of(place.pieces.begin(), place.pieces.end(), [&](const kernel::Piece& piece) {
          return piece.box.upper[axis] >= box.upper[axis];
        }))
      return false;
  return true;
}

/// Returns the box with room for the array before the transform `next`, and after this and each
/// later transform, except a c2r. A transform can make lines longer, because it adds the missing
/// modes.
Box room_for_rest(const StageSpec& spec, std::size_t next) {
  Box room = box_after(spec.source, spec.transforms, 0, next);
  for (std::size_t i = next; i < spec.transforms.size(); ++i) {
    const AxisTransform& t = spec.transforms[i];
    if (t.kind != kernel::LineKind::c2r)
      room.upper[t.axis] = std::max(room.upper[t.axis], output_extent(t));
  }
  return room;
}

/// Returns the place of the array before the transform `next`, after a sweep that began at `first`.
Place between_place(const StageSpec& spec, const Place& current, std::size_t first,
                    std::size_t next, std::int64_t element_bytes, bool may_overwrite_current,
                    BufferSizes& sizes) {
  const bool same_elements = !has_kind(spec.transforms, first, next, kernel::LineKind::r2c);
  const Box box = box_after(spec.source, spec.transforms, 0, next);
  if (may_overwrite_current && same_elements && !current.narrow && has_room(current, box))
    return current;
  if (may_overwrite_current && !same_elements) {
    const int halved = real_axis(spec.transforms);
    Place rows = in_the_same_rows(current, box, halved, element_bytes);
    if (!rows.pieces.empty() && has_room(rows, box)) return rows;
  }
  const bool restores_real =
      has_kind(spec.transforms, 0, spec.transforms.size(), kernel::LineKind::c2r);
  const bool outlet_fits = spec.outlet_is_array && !restores_real &&
                           (!spec.in_place || keeps_positions(spec)) && has_room(spec.outlet, box);
  if (outlet_fits) return spec.outlet;
  return dense_array(room_for_rest(spec, next), spec.idle_buffer, element_bytes, sizes);
}

/// Makes the pass between the caller's array of one axis and the array of two axes that is
/// exchanged. In place, received data are in the array of the result. So the result is assembled in
/// the idle buffer.
std::vector<kernel::Sweep> reordering_sweeps(const StageSpec& spec,
                                             const kernel::LocalOptions& options,
                                             BufferSizes& sizes) {
  const auto pass = [&](const Place& two_axes, const Place& natural) {
    if (spec.chirp)
      return kernel::Sweep(
          kernel::ChirpPass(*spec.chirp, spec.source, natural, two_axes, options.threads));
    return kernel::Sweep(kernel::HermitianOrderPass(*spec.hermitian_order, spec.source, two_axes,
                                                    natural, options.threads));
  };
  const bool to_natural = spec.chirp ? !spec.chirp->to_rows : spec.hermitian_order->to_natural;
  if (!to_natural) return {pass(spec.outlet, spec.inlet)};
  if (!spec.in_place) return {pass(spec.inlet, spec.outlet)};
  const Box result = spec.outlet.pieces[0].box;
  const Place between = dense_array(result, spec.idle_buffer, spec.outlet.element_bytes, sizes);
  return {pass(spec.inlet, between), kernel::Sweep(result, {}, between, spec.outlet, options)};
}

}  // namespace

bool keeps_positions(const StageSpec& spec) {
  if (spec.inlet.pieces.size() != 1 || spec.outlet.pieces.size() != 1) return false;
  const auto& in = spec.inlet.pieces[0];
  const auto& out = spec.outlet.pieces[0];
  for (int axis = 0; axis < spec.source.dims(); ++axis) {
    if (is_real_transform(spec.transforms, axis)) {
      // If the length of a line changes, the line must be contiguous. Then it begins at the same
      // byte before and after.
      if (in.strides[axis] != 1 || out.strides[axis] != 1) return false;
      continue;
    }
    const std::int64_t in_step = in.strides[axis] * spec.inlet.element_bytes;
    const std::int64_t out_step = out.strides[axis] * spec.outlet.element_bytes;
    const std::int64_t extent = std::max(spec.source.extent(axis), spec.target.extent(axis));
    if (in_step != out_step && extent > 1) return false;
  }
  return true;
}

std::vector<kernel::Sweep> make_sweeps(const StageSpec& given, const kernel::LocalOptions& options,
                                       BufferSizes& sizes) {
  std::vector<kernel::Sweep> sweeps;
  if (given.source.empty()) return sweeps;
  if (given.hermitian_order || given.chirp) return reordering_sweeps(given, options, sizes);
  StageSpec spec = given;
  const bool detour = spec.in_place && !keeps_positions(spec);
  if (detour) {  // goes to the idle buffer and back, because lines would overwrite each other
    spec.outlet = dense_array(spec.target, spec.idle_buffer, given.outlet.element_bytes, sizes);
    // The array between two sweeps must not be in the buffer of the detour.
    spec.idle_buffer = spec.idle_buffer == spare_buffer ? third_buffer : spare_buffer;
    spec.outlet_is_array = true;
    spec.in_place = false;
    spec.may_overwrite_inlet = true;
  }
  const auto& transforms = spec.transforms;
  Place from = spec.inlet;
  bool may_overwrite_from = spec.may_overwrite_inlet;
  std::size_t first = 0;
  do {
    const Box box = box_after(spec.source, transforms, 0, first);
    const std::size_t next =
        transforms.empty() ? 0 : first + kernel::fusable(box, transforms, first, from, options);
    const bool last = next == transforms.size();
    const Place to =
        last ? spec.outlet
             : between_place(spec, from, first, next,
                             kernel::widest_element_bytes(transforms[next - 1], options.precision),
                             may_overwrite_from, sizes);
    kernel::LocalOptions sweep_options = options;
    if (kernel::streams(box, from, to, spec.in_place))
      sweep_options.outlet_stores = kernel::Stores::streaming;
    sweeps.emplace_back(
        box, std::vector<AxisTransform>(transforms.begin() + first, transforms.begin() + next),
        from, to, sweep_options);
    from = to;
    may_overwrite_from = true;
    first = next;
  } while (first < transforms.size());
  if (detour)
    sweeps.emplace_back(spec.target, std::vector<AxisTransform>{}, spec.outlet, given.outlet,
                        options);
  return sweeps;
}

}  // namespace weft::run
