#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <vector>

#include "bmmc/run/processor_exchange.hpp"
#include "disk/volume.hpp"

namespace weft::bmmc {

/// Time of one processor in seconds, in the parts of Fig. 7 of Cormen and Nicol (paper 003).
struct SuperlevelTimes {
  double permuting_communication_s = 0;
  double butterfly_communication_s = 0;
  double permuting_rest_s = 0;
  double butterfly_compute_s = 0;
  double butterfly_read_s = 0;
  double butterfly_write_s = 0;
};

/// Counts of one processor.
struct SuperlevelCounts {
  SuperlevelTimes times;
  MessageCount permuting;
  MessageCount butterflies;
  std::int64_t parallel_ios = 0;  ///< I/Os of this processor
  bool looks_at_input = false;    ///< true while butterflies read the numbers of the input
  bool found_not_finite = false;  ///< these numbers have NaN or infinity
};

/// The context of the passes of one processor. The caller keeps all of it alive.
struct RecordRun {
  std::int64_t record_bytes = 16;
  ProcessorExchange* peers = nullptr;
  SuperlevelCounts* counts = nullptr;
  /// Called after every load of memory.
  std::function<void()> on_load = {};

  int processor() const { return peers == nullptr ? 0 : peers->rank(); }
  /// Does the work, and throws an error of any processor on all. Collective if there are several
  /// processors.
  void together(const std::function<void()>& work) const {
    if (peers == nullptr)
      work();
    else
      peers->together(work);
  }
};

/// Work between two agreements of all processors. An error is stored until the next agreement, and
/// no further work is done until then. So one agreement for each load is enough.
class Deferred {
 public:
  void run(const std::function<void()>& work);
  /// Throws the stored error, if any.
  void settle();

 private:
  std::exception_ptr failure_;
};

/// Adds the time between two calls to a part of the total.
class PhaseClock {
 public:
  PhaseClock();
  void add_to(double& seconds);

 private:
  double since_s_;
};

/// A load that is being read or written, as parallel I/Os.
class LoadTransfer {
 public:
  explicit LoadTransfer(disk::Volume& volume) : volume_(volume) {}
  LoadTransfer(const LoadTransfer&) = delete;
  LoadTransfer& operator=(const LoadTransfer&) = delete;
  /// No transfer may outlive its memory, even after an error.
  ~LoadTransfer();

  /// Starts one parallel I/O: blocks of the volume that are stored one after the other in memory.
  void start(bool reads, const std::vector<std::int64_t>& blocks, std::int64_t block_bytes,
             char* memory);
  /// Waits for all started transfers; then throws the first error, if any.
  void wait();

 private:
  disk::Volume& volume_;
  std::vector<disk::Run> runs_;
  std::deque<disk::Volume::Ticket> tickets_;
};

}  // namespace weft::bmmc
