#pragma once

#include <cstdint>

namespace weft::model {

/// The seconds of each part of one trip through memory, each as if it ran alone.
struct PipelineTimes {
  double read_s = 0;
  double write_s = 0;
  double disk_s = 0;  ///< the busiest disk, for reading one load and writing another
  double compute_s = 0;
  double latency_s = 0;  ///< until a disk that has been idle answers
};
/// Returns the seconds of all loads. With overlap, the first read and the last write are alone; in
/// between the slower part decides. Otherwise it is the sum.
double pipelined_seconds(const PipelineTimes& load, std::int64_t loads, bool overlaps);

}  // namespace weft::model
