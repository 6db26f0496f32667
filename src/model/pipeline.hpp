#pragma once

#include <cstdint>

namespace weft::model {

/// One trip of a panel, for pipelined(): what each part takes of its own.
struct PanelTimes {
  double read_s = 0;
  double write_s = 0;
  double disk_s = 0;  ///< the busiest disk, for reading one panel and writing another
  double compute_s = 0;
  double latency_s = 0;  ///< until a disk that has been idle answers
};
/// Seconds of so many panels. Overlapping: the first is read, the last written alone, meanwhile
/// whatever takes longer decides. Else the sum.
double pipelined(const PanelTimes& panel, std::int64_t panels, bool overlaps);

}  // namespace weft::model
