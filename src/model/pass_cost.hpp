#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

namespace weft::model {

/// One pass over a rank's local array. It transforms the axes that share a plane in cache.
struct MemoryPass {
  std::size_t first = 0;  ///< index of the first axis in the stage's list
  std::size_t count = 1;
  std::int64_t plane_bytes = 0;  ///< bytes of one plane of the axes of the pass
  std::int64_t moved_bytes = 0;  ///< read and written in memory
  std::int64_t after_bytes = 0;  ///< bytes of the array after the pass
};

/// Returns the passes of a stage on the rank with most data, in the order of execution. A stage
/// without transforms has no pass.
std::vector<MemoryPass> passes_of(const Plan& plan, std::size_t number, const Machine& machine);

/// Returns the time to move the data of a pass of stage `number` on a node with `working` ranks. It
/// excludes the arithmetic of the lines.
double moving_seconds(const MemoryPass& pass, const Plan& plan, std::size_t number,
                      std::int64_t working, const Machine& machine);

}  // namespace weft::model
