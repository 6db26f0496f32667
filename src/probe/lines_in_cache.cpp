#include "probe/lines_in_cache.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <omp.h>

#include "kernel/tile_shape.hpp"
#include "model/stage_lines.hpp"

namespace weft::probe {

LinesInCache::LinesInCache(const Plan& plan, const kernel::LocalOptions& options)
    : threads_(options.threads) {
  for (const Stage& stage : plan.stages)
    for (const int axis : stage.axes) {
      const model::StageLines lines = model::lines_along(plan, stage, axis);
      tiles_.push_back(tiles_of(lines.kind, lines.length, lines.count, options));
    }
  memory_ = AlignedBuffer(tile_bytes_ * 2 * threads_);
  std::memset(memory_.data(), 0, static_cast<std::size_t>(memory_.size()));
}

LinesInCache::Tiles LinesInCache::tiles_of(Kind kind, std::int64_t length, double count,
                                           const kernel::LocalOptions& options) {
  const std::int64_t element_bytes = complex_bytes(options.precision);
  // A half spectrum has a number more than half of the reals.
  const std::int64_t extent = kind == Kind::r2c ? length / 2 + 1 : length;
  const kernel::TileShape tile = kernel::tile_shape(extent * element_bytes, element_bytes);
  tile_bytes_ = std::max(tile_bytes_, tile.bytes());
  const kernel::LineKind line = kernel::line_kind(kind, Direction::forward);
  return {{{.kind = line, .length = length}, options, tile.pitch_bytes, tile.pitch_bytes, false},
          tile.lines,
          static_cast<std::int64_t>(std::ceil(count / static_cast<double>(tile.lines)))};
}

void LinesInCache::run() {
  for (const Tiles& tiles : tiles_) {
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t i = 0; i < tiles.count; ++i) {
      char* const in = memory_.as<char>() + 2 * tile_bytes_ * omp_get_thread_num();
      tiles.lines.run(in, in + tile_bytes_, tiles.lines_each);
    }
  }
}

}  // namespace weft::probe
