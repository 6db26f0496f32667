#include "kernel/tile_pass.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/rounding.hpp"
#include "kernel/cache.hpp"
#include "kernel/copy.hpp"
#include "kernel/narrow.hpp"
#include "kernel/tile_shape.hpp"

namespace weft::kernel {
namespace {

bool is_aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % line_alignment_bytes == 0;
}

template <class S>
bool all_contiguous(const std::vector<S>& segments) {
  return std::all_of(segments.begin(), segments.end(),
                     [](const S& s) { return s.axis_stride == 1; });
}

}  // namespace

/// A tile within a cell. It has a start along each loop, and extents along loops 0 and 1.
struct TilePass::Tile {
  const BatchBlock& block;
  void* const* buffers;
  std::array<std::int64_t, max_loops> start{};
  std::int64_t lines = 1;   ///< along loop 0
  std::int64_t groups = 1;  ///< along loop 1: groups of `lines` lines

  char* address(const Segment& s, int loops, std::int64_t element_bytes, char* plane) const {
    std::int64_t offset = s.offset;
    for (int axis = 0; axis < max_dims; ++axis) offset += block.offset[axis] * s.batch_stride[axis];
    for (int loop = 0; loop < loops; ++loop) offset += start[loop] * s.loop_stride[loop];
    char* base = s.buffer == scratch_buffer ? plane : static_cast<char*>(buffers[s.buffer]);
    return base + offset * element_bytes;
  }
};

TilePass::TilePass(const AxisTransform& transform, const Box& region,
                   const std::vector<int>& batch_axes, const Extents& largest, const Place& inlet,
                   const Place& outlet, const LocalOptions& options)
    : transform_(transform),
      in_element_bytes_(inlet.element_bytes * (inlet.narrow ? 2 : 1)),
      out_element_bytes_(outlet.element_bytes * (outlet.narrow ? 2 : 1)),
      narrow_in_(inlet.narrow),
      narrow_out_(outlet.narrow),
      outlet_stores_(options.outlet_stores) {
  const std::int64_t line_bytes = std::max(line_input(transform) * in_element_bytes_,
                                           line_output(transform) * out_element_bytes_);
  const TileShape tile = tile_shape(line_bytes, complex_bytes(options.precision));
  tile_pitch_bytes_ = tile.pitch_bytes;
  tile_row_pitch_bytes_ = tile.row_pitch_bytes;
  tile_lines_ = tile.lines;
  tile_bytes_ = std::max(tile.bytes(), transform.length * tile.row_pitch_bytes);
  // Engines have memory of their own, up to two tiles: ducc0 for a vector of lines, FFTW for long
  // lines. Two tiles and this memory should fit in the cache. If they do not, lines are transformed
  // in place in one tile.
  in_place_tile_ = 4 * tile_bytes_ > cache_sizes().l2_bytes;
  std::vector<int> other_axes;
  for (int axis = 0; axis < region.dims(); ++axis)
    if (axis != transform.axis) other_axes.push_back(axis);
  for (const Box& cell : cells(region, other_axes, inlet, outlet))
    add_cell(cell, region, batch_axes, largest, inlet, outlet);
  for (Cell& cell : cells_) make_lines(cell, options);
}

TilePass::Segment TilePass::make_segment(const Piece& piece, std::int64_t end, const Box& cell,
                                         const Box& region) const {
  Segment segment;
  segment.buffer = piece.buffer;
  segment.first = piece.box.lower[transform_.axis];
  segment.count = end - segment.first;
  segment.axis_stride = piece.strides[transform_.axis];
  segment.offset = piece.offset;
  for (int axis = 0; axis < region.dims(); ++axis)
    if (axis != transform_.axis)
      segment.offset += (cell.lower[axis] - piece.box.lower[axis]) * piece.strides[axis];
  return segment;
}

void TilePass::add_cell(const Box& box, const Box& region, const std::vector<int>& batch_axes,
                        const Extents& largest, const Place& inlet, const Place& outlet) {
  std::vector<int> other_axes;
  for (int axis = 0; axis < region.dims(); ++axis)
    if (axis != transform_.axis) other_axes.push_back(axis);
  std::vector<int> long_axes;  // axes with more than one line
  for (int axis : other_axes) {
    const bool batch = std::find(batch_axes.begin(), batch_axes.end(), axis) != batch_axes.end();
    if ((batch ? largest[axis] : box.extent(axis)) > 1) long_axes.push_back(axis);
  }
  Cell cell;
  if (numbers_lines(transform_)) {
    assert(region.dims() == 2);
    cell.line_axis = other_axes[0];
    cell.first_line = box.lower[cell.line_axis];
  }
  cell.loop_count = static_cast<int>(long_axes.size());
  for (int loop = 0; loop < cell.loop_count; ++loop) {
    const int axis = long_axes[loop];
    const bool batch = std::find(batch_axes.begin(), batch_axes.end(), axis) != batch_axes.end();
    const bool fixed = !batch || largest[axis] == region.extent(axis);
    cell.loops[loop] = fixed ? TileLoop{box.extent(axis), -1} : TileLoop{1, axis};
  }
  // The planes between fused axes hold whole lines. This pass may need only a part of each.
  auto add = [&](const Place& place, std::int64_t extent, std::vector<Segment>& segments) {
    for (const Piece& piece : place.pieces) {
      const std::int64_t end = std::min(piece.box.upper[transform_.axis], extent);
      if (!meets(piece.box, box, other_axes) || end <= piece.box.lower[transform_.axis]) continue;
      Segment segment = make_segment(piece, end, box, region);
      if (piece.buffer != scratch_buffer)
        for (int axis : batch_axes) segment.batch_stride[axis] = piece.strides[axis];
      for (int loop = 0; loop < cell.loop_count; ++loop)
        segment.loop_stride[loop] = piece.strides[long_axes[loop]];
      segments.push_back(segment);
    }
  };
  add(inlet, given_extent(), cell.in);
  add(outlet, output_extent(transform_), cell.out);
  order_loops(cell);
  choose_direct(cell);
  cells_.push_back(std::move(cell));
}

void TilePass::order_loops(Cell& cell) const {
  // The first loop runs across the lines of a tile. It takes the shortest stride of the inlet if
  // the inlet's lines are not contiguous, otherwise that of the outlet.
  const auto& ordering_side = all_contiguous(cell.in) ? cell.out : cell.in;
  auto swap_loops = [&](int a, int b) {
    std::swap(cell.loops[a], cell.loops[b]);
    for (auto* segments : {&cell.in, &cell.out})
      for (Segment& s : *segments) std::swap(s.loop_stride[a], s.loop_stride[b]);
  };
  for (int i = 1; i < cell.loop_count; ++i)
    for (int j = i; j > 0 && ordering_side[0].loop_stride[j] < ordering_side[0].loop_stride[j - 1];
         --j)
      swap_loops(j, j - 1);
  auto mergeable = [&](int fast, int slow) {
    if (cell.loops[fast].block_axis >= 0) return false;
    for (const auto* segments : {&cell.in, &cell.out})
      for (const Segment& s : *segments)
        if (s.loop_stride[slow] != s.loop_stride[fast] * cell.loops[fast].extent) return false;
    return true;
  };
  for (int fast = 0; fast + 1 < cell.loop_count;) {
    if (!mergeable(fast, fast + 1)) {
      ++fast;
      continue;
    }
    cell.loops[fast].extent *= cell.loops[fast + 1].extent;
    cell.loops[fast].block_axis = cell.loops[fast + 1].block_axis;
    for (int loop = fast + 1; loop + 1 < cell.loop_count; ++loop) {
      cell.loops[loop] = cell.loops[loop + 1];
      for (auto* segments : {&cell.in, &cell.out})
        for (Segment& s : *segments) s.loop_stride[loop] = s.loop_stride[loop + 1];
    }
    --cell.loop_count;
  }
}

void TilePass::choose_direct(Cell& cell) const {
  auto lines_are_usable_in_place = [&](const std::vector<Segment>& segments,
                                       std::int64_t element_bytes) {
    return segments.size() == 1 && segments[0].axis_stride == 1 &&
           (cell.loop_count == 0 ||
            segments[0].loop_stride[0] * element_bytes % line_alignment_bytes == 0);
  };
  const bool from_plane = cell.in[0].buffer == scratch_buffer;
  // A c2r may destroy its input. Conjugation, end factors, twiddles before the transform, and the
  // filling of missing elements also change it. This is allowed only in the plane, which is scratch
  // memory.
  const bool harmless =
      from_plane ||
      (transform_.kind != LineKind::c2r && !transform_.conjugate_input &&
       transform_.modes_in == 0 && transform_.points_in == 0 && !transform_.ends.change_input() &&
       !(transform_.twiddles && transform_.twiddles_input));
  const bool is_whole = transform_.padding == 0;
  cell.direct_in =
      harmless && is_whole && !narrow_in_ && lines_are_usable_in_place(cell.in, in_element_bytes_);
  // The scratch memory may hold several planes. If inlet and outlet are the same plane, lines are
  // not transformed in place.
  const bool one_plane =
      from_plane && cell.out[0].buffer == scratch_buffer &&
      cell.in[0].offset * in_element_bytes_ == cell.out[0].offset * out_element_bytes_;
  cell.direct_out = cell.out[0].buffer == scratch_buffer && !(cell.direct_in && one_plane) &&
                    lines_are_usable_in_place(cell.out, out_element_bytes_);
}

/// Chooses whether lines are transformed across the rows of the plane, without a tile. The plane
/// has room for whole lines. So missing elements are added there, and unwanted ones dropped.
void TilePass::choose_direct_rows(Cell& cell) const {
  const auto rows_are_usable_in_place = [&](const std::vector<Segment>& segments,
                                            std::int64_t element_bytes) {
    const Segment& s = segments[0];
    const auto is_aligned_step = [&](std::int64_t elements) {
      return elements * element_bytes % line_alignment_bytes == 0;
    };
    return segments.size() == 1 && s.buffer == scratch_buffer && s.first == 0 &&
           is_aligned_step(s.offset) && is_aligned_step(s.axis_stride) &&
           std::all_of(s.loop_stride.begin() + 1, s.loop_stride.begin() + cell.loop_count,
                       is_aligned_step);
  };
  cell.direct_in = rows_are_usable_in_place(cell.in, in_element_bytes_);
  const bool one_plane = cell.direct_in && cell.in[0].offset == cell.out[0].offset;
  cell.direct_out = rows_are_usable_in_place(cell.out, out_element_bytes_) && !one_plane;
}

/// Returns whether lines run across memory in inlet and outlet, and need only a c2c transform. Then
/// a tile may hold them across.
bool TilePass::runs_across_memory(const Cell& cell) const {
  const auto across = [&](const std::vector<Segment>& segments) {
    return std::all_of(segments.begin(), segments.end(),
                       [](const Segment& s) { return s.loop_stride[0] == 1 && s.axis_stride > 1; });
  };
  const bool is_plain = transform_.padding == 0 && !numbers_lines(transform_) &&
                        !transform_.conjugate_input && !transform_.conjugate_output &&
                        !narrow_in_ && !narrow_out_;
  return cell.loop_count > 0 && is_plain && transform_.kind.is_c2c() && across(cell.in) &&
         across(cell.out);
}

void TilePass::make_lines(Cell& cell, const LocalOptions& options) {
  const LineChoice choice =
      options.choice_of(transform_.kind, transform_.length, runs_across_memory(cell));
  cell.form = choice.form;
  if (cell.form == TileForm::across) {
    choose_direct_rows(cell);
    const std::int64_t in_pitch =
        cell.direct_in ? cell.in[0].axis_stride * in_element_bytes_ : tile_row_pitch_bytes_;
    const std::int64_t out_pitch =
        cell.direct_out ? cell.out[0].axis_stride * out_element_bytes_ : tile_row_pitch_bytes_;
    cell.lines = LineRunner(transform_, options, choice, in_pitch, out_pitch,
                            in_place_tile_ && !cell.direct_in && !cell.direct_out);
    return;
  }
  auto pitch = [&](bool direct, const Segment& s, std::int64_t element_bytes) {
    return direct && cell.loop_count > 0 ? s.loop_stride[0] * element_bytes : tile_pitch_bytes_;
  };
  const std::int64_t in = pitch(cell.direct_in, cell.in[0], in_element_bytes_);
  const std::int64_t out = pitch(cell.direct_out, cell.out[0], out_element_bytes_);
  cell.lines = LineRunner(transform_, options, choice, in, out,
                          in_place_tile_ && !cell.direct_in && !cell.direct_out);
  if (cell.direct_in)
    cell.lines_from_tile = LineRunner(transform_, options, choice, tile_pitch_bytes_, out,
                                      in_place_tile_ && !cell.direct_out);
}

void TilePass::pad_lines(char* lines, std::int64_t count) const {
  if (transform_.padding == 0) return;
  char* const first = lines + given_extent() * in_element_bytes_;
  const auto bytes = static_cast<std::size_t>(transform_.padding * in_element_bytes_);
  for (std::int64_t line = 0; line < count; ++line)
    std::memset(first + line * tile_pitch_bytes_, 0, bytes);
}

MemoryTraffic TilePass::execute(const BatchBlock& block, void* const* buffers,
                                const ThreadScratch& scratch) const {
  MemoryTraffic traffic;
  for (const Cell& cell : cells_) traffic += execute_cell(cell, block, buffers, scratch);
  return traffic;
}

MemoryTraffic TilePass::execute_cell(const Cell& cell, const BatchBlock& block,
                                     void* const* buffers, const ThreadScratch& scratch) const {
  std::array<std::int64_t, max_loops> extent;
  extent.fill(1);
  for (int loop = 0; loop < cell.loop_count; ++loop) {
    const TileLoop& l = cell.loops[loop];
    extent[loop] = l.extent * (l.block_axis < 0 ? 1 : block.extent[l.block_axis]);
  }
  // All tiles but the last have the same width, a multiple of a cache line. Otherwise one of 129
  // lines would be alone in its tile.
  const std::int64_t parts = std::max<std::int64_t>(1, divided_up(extent[0], tile_lines_));
  const std::int64_t row_step =
      line_alignment_bytes / std::min(in_element_bytes_, out_element_bytes_);
  const std::int64_t width =
      std::min(tile_lines_, rounded_up(divided_up(extent[0], parts), row_step));
  const bool whole_groups = parts == 1 && !cell.direct_in && !cell.direct_out;
  const std::int64_t groups = whole_groups ? std::max<std::int64_t>(1, tile_lines_ / extent[0]) : 1;
  MemoryTraffic traffic;
  Tile tile{block, buffers};
  while (true) {
    tile.groups = std::min(groups, extent[1] - tile.start[1]);
    for (std::int64_t start = 0; start < extent[0]; start += width) {
      tile.start[0] = start;
      tile.lines = std::min(width, extent[0] - start);
      run_tile(cell, tile, scratch, traffic);
    }
    tile.start[1] += tile.groups;
    if (tile.start[1] < extent[1]) continue;
    tile.start[1] = 0;
    int loop = 2;
    for (; loop < cell.loop_count; ++loop) {
      if (++tile.start[loop] < extent[loop]) break;
      tile.start[loop] = 0;
    }
    if (loop >= cell.loop_count) return traffic;
  }
}

void TilePass::run_tile(const Cell& cell, const Tile& tile, const ThreadScratch& scratch,
                        MemoryTraffic& traffic) const {
  const std::int64_t lines = tile.lines * tile.groups;
  auto move = [&](const Segment& s, char* tile_start, std::int64_t element_bytes, bool gather) {
    char* array = tile.address(s, cell.loop_count, element_bytes, scratch.plane);
    const bool across = cell.form == TileForm::across;
    const std::int64_t line_step = across ? 1 : tile_pitch_bytes_ / element_bytes;
    const std::int64_t point_step = across ? tile_row_pitch_bytes_ / element_bytes : 1;
    const bool in_memory = s.buffer != scratch_buffer;
    const Target target{in_memory, in_memory ? outlet_stores_ : Stores::cached};
    for (std::int64_t group = 0; group < tile.groups; ++group) {
      char* in_array = array + group * s.loop_stride[1] * element_bytes;
      char* in_tile =
          tile_start + (group * tile.lines * line_step + s.first * point_step) * element_bytes;
      if (gather)
        copy_plane(in_tile, in_array,
                   {tile.lines, s.count, s.loop_stride[0], s.axis_stride, line_step, point_step},
                   element_bytes);
      else
        copy_plane(in_array, in_tile,
                   {tile.lines, s.count, line_step, point_step, s.loop_stride[0], s.axis_stride},
                   element_bytes, target);
    }
    return s.buffer == scratch_buffer ? 0 : lines * s.count * element_bytes;
  };
  char* in = scratch.tile_in;
  bool reads_directly = cell.direct_in;  // planned, but this tile may not be aligned
  if (reads_directly) {
    in = tile.address(cell.in[0], cell.loop_count, in_element_bytes_, scratch.plane);
    reads_directly = is_aligned(in);
  }
  if (reads_directly) {
    if (cell.in[0].buffer != scratch_buffer)
      traffic.read_bytes += lines * cell.in[0].count * in_element_bytes_;
  } else {
    in = scratch.tile_in;
    for (const Segment& s : cell.in)
      traffic.read_bytes += move(s, in, in_element_bytes_ / (narrow_in_ ? 2 : 1), true);
    if (narrow_in_)
      widen_lines(in, lines, tile_pitch_bytes_, given_extent() * in_element_bytes_ / 8);
    pad_lines(in, lines);
  }
  const LineRunner& runner = cell.direct_in && !reads_directly ? cell.lines_from_tile : cell.lines;
  char* out = reads_directly || !in_place_tile_ ? scratch.tile_out : scratch.tile_in;
  if (cell.direct_out)
    out = tile.address(cell.out[0], cell.loop_count, out_element_bytes_, scratch.plane);
  // A transform with twiddles or a spectrum depends on a line's index. Then the array has two axes,
  // and the other axis gives this index.
  runner.run(in, out, lines, cell.first_line + tile.block.offset[cell.line_axis] + tile.start[0]);
  if (transform_.spectrum)
    traffic.read_bytes += lines * output_extent(transform_) * out_element_bytes_;
  if (narrow_out_)
    narrow_lines(out, lines, tile_pitch_bytes_, output_extent(transform_) * out_element_bytes_ / 8);
  if (!cell.direct_out)
    for (const Segment& s : cell.out)
      traffic.written_bytes += move(s, out, out_element_bytes_ / (narrow_out_ ? 2 : 1), false);
  if (scratch.progress) scratch.progress->poke();
}

}  // namespace weft::kernel
