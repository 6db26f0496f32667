#pragma once

#include <string>
#include <vector>

#include <weft/machine.hpp>

#include "comm/communicator.hpp"
#include "probe/extent.hpp"

namespace weft::probe {

struct ProbeOptions {
  std::string name;
  std::string source;   ///< who measured, when, with what
  double seconds = 30;  ///< approximate duration; a measurement that has begun is completed
  int threads = 1;      ///< of each rank
  Extent extent = full_extent();
  /// Directories whose disks rank 0 measures first, each for an additional tenth of `seconds`.
  std::vector<std::string> directories = {};
};

/// Measures the machine that the ranks are on: lines in cache, arrays through memory, links, the
/// barrier, exchanges between nodes; all ranks at once, as in a transform. Figures that are not
/// measured are listed in `assumed`.
///
/// Collective; the same result on all ranks. Memory: extent.memory_bytes() for each thread.
/// Errors  invalid_argument for a time that is not above 0 or finite, no threads, or a directory
///         that is named twice; as measure_disk() on rank 0; out_of_memory.
Machine measure(const ProbeOptions& options, const comm::Communicator& comm);

/// Returns the machine with a new measurement of the cost of reading data that another rank has
/// just written. It is measured in one precision, for arrays of up to 8 MiB on a rank; it is
/// negligible for longer ones. Returns the machine unchanged if no ranks share memory. Collective;
/// the same result on all ranks.
Machine with_handing_over_now(Machine machine, Precision precision, double seconds, int threads,
                              const comm::Communicator& comm);

}  // namespace weft::probe
