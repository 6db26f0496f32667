#pragma once

#include <string>
#include <vector>

#include <weft/machine.hpp>

#include "comm/communicator.hpp"
#include "kernel/engine.hpp"
#include "probe/extent.hpp"

namespace weft::probe {

struct ProbeOptions {
  std::string name;
  std::string source;  ///< who measured, when, with what
  /// Approximate duration. Measurements that have begun are completed, and planning FFTs by trials
  /// may take 3 s, so that short probes take longer.
  double seconds = 30;
  int threads = 1;  ///< of each rank
  /// Local FFT library; "auto": each line has the time of the fastest.
  std::string engine = kernel::wanted_engine();
  Extent extent = full_extent();
  /// Directories on the disks to measure. Each takes a tenth of `seconds` more.
  std::vector<std::string> directories = {};
};

/// Measures the machine of the ranks. Figures that are not measured are listed in `assumed`. These
/// ranks take part in a measurement, at the same time; the others wait:
///   disks         rank 0, before all other measurements
///   lines         ranks with a core for each thread
///   copying       the same ranks
///   memory        the ranks on the first 1, 2, ... cores of each node
///   handing over  all ranks
///   links         neighbours within all nodes; then the first ranks of adjacent nodes
///   requests      as links, between nodes if there are several
///   barrier       all ranks
///   exchanges     the first ranks of all nodes
///
/// Collective; the same result on all ranks. Memory: extent.memory_bytes() for each thread.
/// Errors  invalid_argument unless `seconds` is finite and above 0, there is a thread, and no
///         directory is named twice; out_of_memory; those of measure_disk().
Machine measure(const ProbeOptions& options, const comm::Communicator& comm);

/// Measures again the cost of reading data that another rank has just written. Returns the machine
/// with this cost, for one precision and arrays of up to 8 MiB on a rank. Longer arrays
/// keep their cost. The machine is unchanged if some node has one rank, more than 64 ranks, or no
/// node memory. Collective; the same result on all ranks.
Machine with_handing_over_now(Machine machine, Precision precision, double seconds, int threads,
                              const comm::Communicator& comm);

}  // namespace weft::probe
