#pragma once

#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

#include "base/memory.hpp"
#include "kernel/lines.hpp"

namespace weft::probe {

/// The arithmetic of a forward transform without its passes over memory. As many lines as the
/// busiest rank of a plan has are transformed, all in tiles that stay in cache. Each thread has its
/// own tiles. Twiddles and chirps are left out.
///
/// Memory  two tiles for each thread.
/// Errors  those of Engine::lines() and out_of_memory.
class LinesInCache {
 public:
  /// `options` are those of the plan's transform.
  LinesInCache(const Plan& plan, const kernel::LocalOptions& options);

  /// Transforms all lines once.
  void run();

 private:
  /// Equal tiles of lines.
  struct Tiles {
    kernel::LineRunner lines;
    std::int64_t lines_each = 1;
    std::int64_t count = 1;
  };

  Tiles tiles_of(Kind kind, std::int64_t length, double count, const kernel::LocalOptions& options);

  int threads_;
  std::vector<Tiles> tiles_;
  std::int64_t tile_bytes_ = 0;
  AlignedBuffer memory_;
};

}  // namespace weft::probe
