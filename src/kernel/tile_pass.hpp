#pragma once

#include <cstdint>
#include <vector>

#include "kernel/lines.hpp"
#include "kernel/place.hpp"
#include "kernel/progress.hpp"

namespace weft::kernel {

/// Bytes that gathers and scatters move between memory and cache. Scratch memory in cache is not
/// counted.
struct MemoryTraffic {
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
  MemoryTraffic& operator+=(const MemoryTraffic& other) {
    read_bytes += other.read_bytes;
    written_bytes += other.written_bytes;
    return *this;
  }
};

/// Working memory of one thread: the plane that fused axes share, and two tiles.
struct ThreadScratch {
  char* plane = nullptr;
  char* tile_in = nullptr;
  char* tile_out = nullptr;
  Progress* progress = nullptr;  ///< for the first thread, if other work is under way
};

/// The part of the batch that is processed together. For each axis that is not transformed: an
/// offset from the lower bound of the sweep's cell, and an extent. For transformed axes the offset
/// is 0 and the extent is ignored.
struct BatchBlock {
  Extents offset{};
  Extents extent{};
};

/// Transforms one axis of a region, tile by tile: gathers lines from the inlet, transforms them in
/// cache, scatters them to the outlet.
///
/// A tile is a set of lines that are adjacent in memory. If the array allows it, a row across them
/// is contiguous and has 128 to 512 bytes (see tile_shape()). Inlet and outlet are cut into
/// segments along the axis at every end of a piece.
class TilePass {
 public:
  /// `region` is the sweep's cell along batch axes, and has whole extents along the other axes of
  /// the sweep. Its range along the transformed axis is ignored. `largest` has the largest extents
  /// of a block.
  TilePass(const AxisTransform& transform, const Box& region, const std::vector<int>& batch_axes,
           const Extents& largest, const Place& inlet, const Place& outlet,
           const LocalOptions& options);

  std::int64_t tile_bytes() const { return tile_bytes_; }

  /// buffers[b] is the start of buffer b of the pieces.
  MemoryTraffic execute(const BatchBlock& block, void* const* buffers,
                        const ThreadScratch& scratch) const;

 private:
  static constexpr int max_loops = max_dims;

  /// A part of the lines of a cell: consecutive indices along the axis, with a stride in each
  /// direction.
  struct Segment {
    int buffer = 0;
    std::int64_t first = 0;  ///< index along the axis
    std::int64_t count = 0;
    std::int64_t offset = 0;  ///< in elements, of index `first` at the lower corner of the cell
    std::int64_t axis_stride = 0;
    Extents batch_stride{};  ///< by axis
    std::array<std::int64_t, max_loops> loop_stride{};
  };

  /// A loop over lines: neighbouring axes are merged if the memory allows it.
  struct TileLoop {
    std::int64_t extent = 1;  ///< product over the merged axes with a fixed extent
    int block_axis = -1;      ///< if not -1, the extent is multiplied by the block's extent along
                              ///< this axis
  };

  /// A region that no piece cuts except along the transformed axis.
  struct Cell {
    std::vector<Segment> in;
    std::vector<Segment> out;
    std::array<TileLoop, max_loops> loops;
    int loop_count = 0;
    int line_axis = 0;            ///< the axis that numbers the lines, if that matters
    std::int64_t first_line = 0;  ///< the number of the cell's first line
    bool direct_in = false;       ///< lines are transformed straight from the inlet
    bool direct_out = false;      ///< lines are transformed straight into the outlet
    TileForm form = TileForm::along;
    LineRunner lines;
    LineRunner lines_from_tile;  ///< used instead of `lines`, if direct_in but a tile's lines are
                                 ///< not aligned
  };

  struct Tile;

  /// Makes a segment that ends at index `end` of the axis.
  Segment make_segment(const Piece& piece, std::int64_t end, const Box& cell,
                       const Box& region) const;
  void add_cell(const Box& cell, const Box& region, const std::vector<int>& batch_axes,
                const Extents& largest, const Place& inlet, const Place& outlet);
  void order_loops(Cell& cell) const;
  void choose_direct(Cell& cell) const;
  void choose_direct_rows(Cell& cell) const;
  bool runs_across_memory(const Cell& cell) const;
  /// Returns the points of a line that are in the array.
  std::int64_t given_extent() const { return input_extent(transform_) - transform_.padding; }
  void pad_lines(char* lines, std::int64_t count) const;
  void make_lines(Cell& cell, const LocalOptions& options);
  MemoryTraffic execute_cell(const Cell& cell, const BatchBlock& block, void* const* buffers,
                             const ThreadScratch& scratch) const;
  void run_tile(const Cell& cell, const Tile& tile, const ThreadScratch& scratch,
                MemoryTraffic& traffic) const;

  AxisTransform transform_;
  std::int64_t in_element_bytes_ = 0;  ///< in tiles
  std::int64_t out_element_bytes_ = 0;
  bool narrow_in_ = false;  ///< the inlet has floats where tiles have doubles
  bool narrow_out_ = false;
  std::int64_t tile_pitch_bytes_ = 0;      ///< from one line to the next, along a tile
  std::int64_t tile_row_pitch_bytes_ = 0;  ///< from one row to the next, across a tile
  std::int64_t tile_lines_ = 0;
  std::int64_t tile_bytes_ = 0;
  bool in_place_tile_ = false;
  Stores outlet_stores_ = Stores::cached;
  std::vector<Cell> cells_;
};

}  // namespace weft::kernel
