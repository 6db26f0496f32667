#pragma once

#include <cstdint>

namespace weft::model {

/// The time of each part of the work on one load (the data that is in memory together), as if the
/// part ran alone.
struct PipelineTimes {
  double read_s = 0;
  double write_s = 0;
  double disk_s = 0;  ///< the busiest disk, while one load is read and another is written
  double compute_s = 0;
  double latency_s = 0;  ///< until an idle disk answers
};
/// Returns the time of all loads. With overlap, only the first read and the last write run alone.
/// In between, the slower of disk and computation decides. Without overlap, the times of all parts
/// add up.
double pipelined_seconds(const PipelineTimes& load, std::int64_t loads, bool overlaps);

}  // namespace weft::model
