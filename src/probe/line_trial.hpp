#pragma once

#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

#include "comm/communicator.hpp"
#include "kernel/engine.hpp"

namespace weft::probe {

/// Lines for which engines are compared.
struct TriedLines {
  Kind kind = Kind::c2c;  ///< r2c: also c2r, which is its backward
  Precision precision = Precision::f64;
  Effort effort = Effort::estimate;
  std::int64_t length = 1;  ///< points of a line, real ones for r2c
  std::int64_t lines = 1;   ///< in a tile; fewer if a tile holds fewer
};

/// Returns the seconds that each engine takes for one line, in cache. The engines run in turn,
/// several times. Each rank takes the shortest time of an engine; the result is that of the slowest
/// rank. Collective: all ranks compute at the same time, each on one thread, and get the same
/// figures.
///
/// Cost    about a millisecond, for a million points 0.1 s; in addition the planning of the lines.
/// Errors  those of Engine::lines() and out_of_memory, on all ranks.
std::vector<double> line_trial(const TriedLines& lines, const std::vector<kernel::Engine*>& engines,
                               const comm::Communicator& comm);

}  // namespace weft::probe
