#include "model/pipeline.hpp"

#include <algorithm>

namespace weft::model {

double pipelined(const PanelTimes& panel, std::int64_t panels, bool overlaps) {
  const double ends = panel.read_s + panel.write_s + 2 * panel.latency_s;
  if (!overlaps) return static_cast<double>(panels) * (ends + panel.compute_s);
  if (panels == 1) return ends + panel.compute_s;
  return ends + std::max(panel.compute_s, panel.read_s) + std::max(panel.compute_s, panel.write_s) +
         static_cast<double>(panels - 2) * std::max(panel.compute_s, panel.disk_s);
}

}  // namespace weft::model
