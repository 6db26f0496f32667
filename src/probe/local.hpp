#pragma once

#include <string>
#include <vector>

#include <weft/machine.hpp>

#include "comm/communicator.hpp"
#include "probe/extent.hpp"
#include "probe/timing.hpp"

namespace weft::probe {

/// The part of a rank in local measurements.
struct LocalProbe {
  int threads = 1;
  bool has_core = true;  ///< the rank has a core for each thread; otherwise it only waits for the
                         ///< others
  std::string engine;    ///< "auto": each line has the time of the fastest
};

/// The times of lines. `assumed` names the groups of lines that were not all measured.
struct Lines {
  std::vector<Arithmetic> arithmetic;
  std::vector<std::string> assumed;
  double planning_s = 0;  ///< to plan a line by trials, as in Machine; 0: not measured
};

/// Measures t_c: lines of many lengths in cache, by precision and effort, concurrently on all ranks
/// and threads that have their own core. The other ranks wait. The time of ranks that share a core
/// follows from their number. If they were measured too, the sharing would count twice. With many
/// ranks on few cores, planning by trials may take minutes while measuring takes a second. When the
/// time for `planning` is over, the times of the lines not yet planned by trials are estimated.
Lines measure_arithmetic(Timing& timing, Timing& planning, const Extent& extent,
                         const LocalProbe& local, const comm::Communicator& comm);

/// Measures t_a: the time of weft's stages on arrays of several sizes, less the time of their
/// lines, which is in `so_far`. Runs concurrently on all ranks and threads that have their own
/// core.
std::vector<Copying> measure_copying(Timing& timing, const Extent& extent, const Machine& so_far,
                                     const LocalProbe& local, const comm::Communicator& comm);

}  // namespace weft::probe
