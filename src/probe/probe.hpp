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
  double seconds = 30;  ///< about how long; a measurement that has begun is ended
  int threads = 1;      ///< of each rank
  Extent extent = full_extent();
  /// Whose disks rank 0 measures before all else, each for a tenth of `seconds` more; none: none.
  std::vector<std::string> directories = {};
};

/// Measures the machine that the ranks are on: lines in cache, arrays through memory, links, the
/// barrier, exchanges between nodes; all ranks at once, as in a transform. What it does not measure
/// stands in `assumed`.
///
/// Collective; the same result on all ranks. Memory: extent.memory_bytes() for each thread.
/// Errors  invalid_argument for a time that is not above 0 or finite, no threads, or a directory that
///         is named twice; as measure_disk(), of rank 0; out_of_memory.
Machine measure(const ProbeOptions& options, const comm::Communicator& comm);

/// The machine, but what it takes to read what another rank has just written is measured anew, in one
/// precision, for arrays of up to 8 MiB on a rank; of longer ones it takes next to nothing. As it is
/// where no ranks share memory. Collective; the same result on all ranks.
Machine with_handing_over_now(Machine machine, Precision precision, double seconds, int threads,
                              const comm::Communicator& comm);

}  // namespace weft::probe
