#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

namespace weft::model {

/// One trip of a rank's local array through a core: axes that share a plane in cache are transformed
/// in it.
struct MemoryPass {
  std::size_t first = 0;  ///< of the stage's axes
  std::size_t count = 1;
  std::int64_t plane_bytes = 0;  ///< of its axes
  std::int64_t moved_bytes = 0;  ///< read and written in memory
  std::int64_t after_bytes = 0;  ///< of the array that it leaves
};

/// Of a stage that transforms, on the rank that has most of it, as the executor would go through it.
std::vector<MemoryPass> passes_of(const Plan& plan, std::size_t number, const Machine& machine);

/// Seconds of moving what a pass of stage `number` moves; the lines themselves are arithmetic.
double moving_seconds(const MemoryPass& pass, const Plan& plan, std::size_t number,
                      std::int64_t working, const Machine& machine);

}  // namespace weft::model
