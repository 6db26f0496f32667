#include "model/pipeline.hpp"

#include <algorithm>

namespace weft::model {

double pipelined_seconds(const PipelineTimes& load, std::int64_t loads, bool overlaps) {
  const double ends = load.read_s + load.write_s + 2 * load.latency_s;
  if (!overlaps) return static_cast<double>(loads) * (ends + load.compute_s);
  if (loads == 1) return ends + load.compute_s;
  return ends + std::max(load.compute_s, load.read_s) + std::max(load.compute_s, load.write_s) +
         static_cast<double>(loads - 2) * std::max(load.compute_s, load.disk_s);
}

}  // namespace weft::model
