#pragma once

#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

#include "comm/communicator.hpp"
#include "kernel/lines.hpp"

namespace weft::probe {

/// Lines for which engines are compared.
struct TriedLines {
  Kind kind = Kind::c2c;  ///< r2c: includes c2r, its backward transform
  Precision precision = Precision::f64;
  Effort effort = Effort::estimate;
  std::int64_t length = 1;  ///< points of a line, real ones for r2c
  std::int64_t lines = 1;
  bool across_memory = false;
  /// The transformed lines are in two pieces, as if two ranks had sent them.
  bool exchanged = false;
};

/// Returns the seconds that each way takes for one line. The lines are those of an array in memory,
/// because a way includes moving them to the cache and back. Large arrays are written past the
/// caches, as by a stage. The ways run in turn, several times.
/// Each rank takes the shortest time of a way; the result is that of the slowest rank. Collective:
/// all ranks compute at the same time, each on one thread, and get the same figures.
///
/// Cost    for two ways and 32 MiB about 0.15 s; in addition the planning of the lines.
/// Memory  two arrays of these lines.
/// Errors  those of Engine::lines() and out_of_memory, on all ranks.
std::vector<double> line_trial(const TriedLines& lines, const std::vector<kernel::LineChoice>& ways,
                               const comm::Communicator& comm);

}  // namespace weft::probe
