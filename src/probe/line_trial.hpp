#pragma once

#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

#include "comm/communicator.hpp"
#include "kernel/engine.hpp"

namespace weft::probe {

/// Lines for which engines are compared.
struct TriedLines {
  Kind kind = Kind::c2c;  ///< r2c: there and back
  Precision precision = Precision::f64;
  Effort effort = Effort::estimate;
  std::int64_t length = 1;  ///< points of a line, real ones for r2c
  std::int64_t lines = 1;   ///< in a tile; fewer if they do not fit
};

/// Returns the seconds of a line by each engine, in cache. The engines alternate, and the fastest
/// visit of the slowest rank counts. Collective: all ranks compute at the same time, each on one
/// thread, and get the same figures.
///
/// Cost    about a millisecond and the planning of the lines; for a million points 0.1 s.
/// Errors  those of Engine::lines() and out_of_memory, on all ranks.
std::vector<double> line_trial(const TriedLines& lines, const std::vector<kernel::Engine*>& engines,
                               const comm::Communicator& comm);

}  // namespace weft::probe
