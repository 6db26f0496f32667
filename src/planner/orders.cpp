#include "planner/orders.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "model/rank_order.hpp"

namespace weft::planner {
namespace {

using model::NetworkAxis;

/// Maximum number of axes for which every sequence is tried.
constexpr std::size_t most_permuted = 4;

/// Returns the axes of the network, and one more axis for the ranks of a node. They are in the
/// default order, the fastest first.
std::vector<NetworkAxis> all_axes(const Topology& topology, std::int64_t on_node) {
  std::vector<NetworkAxis> axes{{model::within_node, on_node, false}};
  const std::vector<NetworkAxis> network = model::axes_of(topology);
  axes.insert(axes.end(), network.rbegin(), network.rend());
  return axes;
}

/// Axes with equal keys are interchangeable. Only a torus has such axes.
using AxisKey = std::tuple<char, std::int64_t, bool>;

AxisKey key_of(const NetworkAxis& axis, Network network) {
  const bool named = network != Network::torus || axis.letter == model::within_node;
  return {named ? axis.letter : '\0', axis.extent, axis.ring};
}

std::string letters_of(const std::vector<NetworkAxis>& axes) {
  std::string order;
  for (const NetworkAxis& axis : axes) order += axis.letter;
  return order;
}

/// Returns permutations of the numbers from 0 to `count` - 1, without the ascending one. Above
/// `most_permuted` numbers, only one number is moved, to an end.
std::vector<std::vector<std::size_t>> permutations(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::vector<std::vector<std::size_t>> found;
  if (count <= most_permuted) {
    while (std::next_permutation(numbers.begin(), numbers.end())) found.push_back(numbers);
    return found;
  }
  for (std::size_t moved = 0; moved < count; ++moved) {
    std::vector<std::size_t> others = numbers;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(moved));
    for (const bool front : {true, false}) {
      std::vector<std::size_t> sequence = others;
      sequence.insert(front ? sequence.begin() : sequence.end(), moved);
      if (sequence != numbers) found.push_back(std::move(sequence));
    }
  }
  return found;
}

/// Returns the extents of a box of `nodes` nodes that is almost a cube. Each prime factor, from the
/// largest on, multiplies the shortest possible extent of the box. The extent of the axis must
/// remain a multiple of the extent of the box. The result is empty if no extent is possible.
std::vector<std::int64_t> near_cube(const std::vector<NetworkAxis>& axes, std::int64_t nodes) {
  std::vector<std::int64_t> primes;
  for (std::int64_t prime = 2; prime * prime <= nodes; ++prime)
    for (; nodes % prime == 0; nodes /= prime) primes.push_back(prime);
  if (nodes > 1) primes.push_back(nodes);
  std::vector<std::int64_t> block(axes.size(), 1);
  for (auto prime = primes.rbegin(); prime != primes.rend(); ++prime) {
    std::size_t shortest = axes.size();
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (axes[i].extent % (block[i] * *prime) == 0 &&
          (shortest == axes.size() || block[i] < block[shortest]))
        shortest = i;
    if (shortest == axes.size()) return {};
    block[shortest] *= *prime;
  }
  return block;
}

/// Returns the numbers of consecutive ranks in a row, in a plane and so on of the process grids of
/// a plan, without 1 and all ranks.
std::set<std::int64_t> rows_of(const Plan& plan) {
  std::set<std::int64_t> rows;
  for (const Stage& stage : plan.stages)
    for (const Layout* layout : {&stage.source, &stage.target}) {
      if (!layout->is_grid()) continue;
      std::int64_t row = 1;
      const Shape& grid = layout->process_grid();
      for (auto parts = grid.rbegin(); parts != grid.rend(); ++parts) {
        row *= *parts;
        if (row > 1 && row < plan.problem.ranks) rows.insert(row);
      }
    }
  return rows;
}

}  // namespace

std::vector<std::string> sequences(const Topology& topology, std::int64_t on_node) {
  std::vector<NetworkAxis> axes = all_axes(topology, on_node);
  const auto first_of_extent_one = std::stable_partition(
      axes.begin(), axes.end(), [](const NetworkAxis& axis) { return axis.extent > 1; });
  const std::vector<NetworkAxis> axes_of_extent_one(first_of_extent_one, axes.end());
  axes.erase(first_of_extent_one, axes.end());
  const auto keys_of = [&](const std::vector<NetworkAxis>& sequence) {
    std::vector<AxisKey> found;
    for (const NetworkAxis& axis : sequence) found.push_back(key_of(axis, topology.network));
    return found;
  };
  std::set<std::vector<AxisKey>> seen{keys_of(axes)};
  std::vector<std::string> found;
  for (const auto& numbers : permutations(axes.size())) {
    std::vector<NetworkAxis> sequence;
    for (const std::size_t number : numbers) sequence.push_back(axes[number]);
    if (seen.insert(keys_of(sequence)).second)
      found.push_back(letters_of(sequence) + letters_of(axes_of_extent_one));
  }
  return found;
}

std::string block_order(const Topology& topology, std::int64_t on_node, std::int64_t ranks) {
  if (topology.network != Network::torus || ranks % on_node != 0) return "";
  std::vector<NetworkAxis> axes = model::axes_of(topology);
  std::reverse(axes.begin(), axes.end());
  const std::vector<std::int64_t> block = near_cube(axes, ranks / on_node);
  std::string order(1, model::within_node);
  std::string letters_after_box;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool whole = block[i] == axes[i].extent;
    if (whole || block[i] > 1) order += axes[i].letter;
    if (whole) continue;
    if (block[i] > 1) order += std::to_string(block[i]);
    letters_after_box += axes[i].letter;
  }
  const auto digits = std::count_if(order.begin(), order.end(), [](char c) { return c <= '9'; });
  return digits == 0 ? "" : order + letters_after_box;
}

std::vector<std::string> orders_to_try(const Plan& plan, const Topology& topology,
                                       std::int64_t on_node) {
  std::vector<std::string> orders = sequences(topology, on_node);
  for (const std::int64_t row : rows_of(plan)) {
    std::string order = block_order(topology, on_node, row);
    if (!order.empty()) orders.push_back(std::move(order));
  }
  return orders;
}

}  // namespace weft::planner
