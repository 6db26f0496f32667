#include "model/traffic.hpp"

#include <algorithm>

#include "layout/overlap.hpp"

namespace weft::model {
namespace {

/// A rank with the most to send: the last one of a process grid has the largest share on each axis.
std::int64_t busiest_rank(const Layout& layout) {
  if (layout.is_grid()) return layout.first_rank() + volume(layout.process_grid()) - 1;
  const auto& boxes = layout.boxes();
  const auto largest = std::max_element(
      boxes.begin(), boxes.end(),
      [](const Box& one, const Box& other) { return one.volume() < other.volume(); });
  return largest - boxes.begin();
}

}  // namespace

Traffic traffic_of(const Layout& from, const Layout& to, double element_bytes,
                   std::int64_t on_node) {
  const std::int64_t rank = busiest_rank(from);
  Traffic traffic;
  for (const Overlap& overlap : overlaps(from, rank, to)) {
    if (overlap.peer == rank) continue;
    const double bytes = static_cast<double>(overlap.box.volume()) * element_bytes;
    const bool near = overlap.peer / on_node == rank / on_node;
    (near ? traffic.near_bytes : traffic.far_bytes) += bytes;
    (near ? traffic.near_messages : traffic.far_messages) += 1;
    if (!near) traffic.longest = std::max(traffic.longest, bytes);
  }
  return traffic;
}

Traffic KnownTraffic::of(const Layout& from, const Layout& to, double element_bytes,
                         std::int64_t on_node) {
  if (!from.is_grid() || !to.is_grid()) return traffic_of(from, to, element_bytes, on_node);
  const auto key =
      std::make_tuple(from.shape(), Grid{from.process_grid(), from.first_rank()},
                      Grid{to.process_grid(), to.first_rank()}, element_bytes, on_node);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(key, traffic_of(from, to, element_bytes, on_node)).first->second;
}

}  // namespace weft::model
