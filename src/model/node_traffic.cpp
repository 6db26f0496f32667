#include "model/node_traffic.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "layout/parts.hpp"

namespace weft::model {
namespace {

/// If there are more nodes than this, only a sample of them is counted.
constexpr std::size_t all_nodes_up_to = 16;
constexpr std::size_t sampled = 8;
/// If a node has more ranks than this, its traffic is counted only if the ranks are consecutive.
constexpr std::size_t most_apart = 16;

/// The boxes of positions lo to hi - 1 of a process grid, counted in C order. On each axis the
/// positions are an incomplete first row, whole rows, and an incomplete last row.
class Blocks {
 public:
  Blocks(const Layout& layout, std::int64_t lo, std::int64_t hi) : layout_(layout) {
    const std::size_t dims = layout.shape().size();
    block_.lower = Shape(dims, 0);
    block_.upper = Shape(dims, 1);
    split(0, lo, hi);
  }
  const std::vector<Box>& boxes() const { return boxes_; }

 private:
  std::int64_t grid(std::size_t axis) const { return layout_.process_grid()[axis]; }

  void split(std::size_t axis, std::int64_t lo, std::int64_t hi) {
    if (lo >= hi) return;
    if (axis == layout_.shape().size()) return add();
    std::int64_t row = 1;
    for (std::size_t below = axis + 1; below < layout_.shape().size(); ++below) row *= grid(below);
    const std::int64_t first = lo / row;
    const std::int64_t last = (hi - 1) / row;
    if (first == last) return part(axis, first, lo - first * row, hi - first * row);
    const std::int64_t begin = lo % row == 0 ? first : first + 1;
    const std::int64_t end = hi % row == 0 ? last + 1 : last;
    if (begin > first) part(axis, first, lo - first * row, row);
    if (begin < end) {
      set(axis, begin, end);
      split(axis + 1, 0, row);
    }
    if (end == last) part(axis, last, 0, hi - last * row);
  }

  void part(std::size_t axis, std::int64_t position, std::int64_t lo, std::int64_t hi) {
    set(axis, position, position + 1);
    split(axis + 1, lo, hi);
  }

  void set(std::size_t axis, std::int64_t lo, std::int64_t hi) {
    const std::int64_t n = layout_.shape()[axis];
    block_.lower[axis] = balanced_part(n, lo, grid(axis)).lo;
    block_.upper[axis] = balanced_part(n, hi - 1, grid(axis)).hi;
  }

  void add() {
    if (block_.volume() > 0) boxes_.push_back(block_);
  }

  const Layout& layout_;
  Box block_;
  std::vector<Box> boxes_;
};

bool are_consecutive(const std::vector<std::int64_t>& ranks) {
  return ranks.back() - ranks.front() == static_cast<std::int64_t>(ranks.size()) - 1;
}

/// Returns the boxes that these ranks own together; ranks are in ascending order.
std::vector<Box> owned(const Layout& layout, const std::vector<std::int64_t>& ranks) {
  std::vector<Box> boxes;
  const std::int64_t end = layout.first_rank() + volume(layout.process_grid());
  const bool consecutive = are_consecutive(ranks);
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t next = consecutive ? ranks.size() : i + 1;
    while (next < ranks.size() && ranks[next] == ranks[next - 1] + 1) ++next;
    const std::int64_t lo = std::max(ranks[i], layout.first_rank()) - layout.first_rank();
    const std::int64_t hi = std::min(ranks[next - 1] + 1, end) - layout.first_rank();
    const std::vector<Box> found = Blocks(layout, lo, hi).boxes();
    boxes.insert(boxes.end(), found.begin(), found.end());
    i = next;
  }
  return boxes;
}

std::int64_t volume_of(const std::vector<Box>& boxes) {
  return std::accumulate(boxes.begin(), boxes.end(), std::int64_t{0},
                         [](std::int64_t sum, const Box& box) { return sum + box.volume(); });
}

/// Returns the number of common elements of two boxes. Unlike intersect() it allocates nothing.
std::int64_t common(const Box& one, const Box& other) {
  std::int64_t product = 1;
  for (int axis = 0; axis < one.dims() && product > 0; ++axis)
    product *= std::max<std::int64_t>(0, std::min(one.upper[axis], other.upper[axis]) -
                                             std::max(one.lower[axis], other.lower[axis]));
  return product;
}

NodeTraffic traffic_of_node(const Layout& from, const Layout& to,
                            const std::vector<std::int64_t>& ranks) {
  if (ranks.size() > most_apart && !are_consecutive(ranks)) return {ranks.front(), 0, 0};
  const std::vector<Box> before = owned(from, ranks);
  const std::vector<Box> after = owned(to, ranks);
  NodeTraffic found{ranks.front(), 0, 0};
  for (const Box& one : before)
    for (const Box& other : after) found.near += common(one, other);
  found.far = std::max(volume_of(before), volume_of(after)) - found.near;
  return found;
}

}  // namespace

NodeTraffic busiest_node(const Layout& from, const Layout& to, const Placement& placement) {
  const std::size_t nodes = placement.nodes().size();
  const std::size_t looked_at = nodes <= all_nodes_up_to ? nodes : sampled;
  NodeTraffic busiest;
  for (std::size_t i = 0; i < looked_at; ++i) {
    const std::size_t node = looked_at == nodes ? i : i * (nodes - 1) / (looked_at - 1);
    const NodeTraffic found = traffic_of_node(from, to, placement.nodes()[node]);
    if (found.far > busiest.far) busiest = found;
  }
  return busiest;
}

}  // namespace weft::model
