#include "planner/numbers_of_ranks.hpp"

#include <algorithm>
#include <bit>
#include <set>

namespace weft::planner {
namespace {

/// Up to this number of ranks, every smaller number is tried.
constexpr std::int64_t every_number_up_to = 32;
/// Ratio of consecutive numbers above that. Near all ranks a smaller saving is not worth more
/// ranks. Farther below, where times hardly differ, the step is wider.
constexpr double near_step = 0.8;
constexpr double far_step = 0.5;

std::int64_t rows_each(std::int64_t rows, std::int64_t parts) { return (rows + parts - 1) / parts; }

/// Returns the fewest parts whose largest has no more rows than with `parts` parts.
std::int64_t fewest_parts(std::int64_t rows, std::int64_t parts) {
  return rows_each(rows, rows_each(rows, parts));
}

/// Returns the number of ranks of the grid over two axes, of at most `ranks`, whose largest part is
/// smallest.
std::int64_t most_even_grid_within(std::int64_t ranks, std::int64_t one, std::int64_t other) {
  std::int64_t best = 1;
  std::int64_t smallest = one * other;
  for (std::int64_t first = 1; first <= std::min(ranks, one);) {
    const std::int64_t second = fewest_parts(other, ranks / first);
    const std::int64_t each = rows_each(one, first);
    const std::int64_t part = each * rows_each(other, second);
    if (part < smallest || (part == smallest && first * second < best)) {
      smallest = part;
      best = first * second;
    }
    if (each == 1) break;
    first = rows_each(one, each - 1);
  }
  return best;
}

void add_near(std::int64_t ranks, const Problem& problem, const std::vector<int>& split,
              std::set<std::int64_t>& numbers) {
  const auto extent = [&](int axis) { return problem.shape[static_cast<std::size_t>(axis)]; };
  numbers.insert(static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(ranks))));
  if (ranks > problem.ranks_per_node) numbers.insert(ranks - ranks % problem.ranks_per_node);
  if (problem.shape.size() == 1) {  // the view of a single axis is chosen later
    numbers.insert(ranks);
    return;
  }
  for (std::size_t one = 0; one < split.size(); ++one) {
    numbers.insert(fewest_parts(extent(split[one]), ranks));
    for (std::size_t other = one + 1; other < split.size(); ++other)
      numbers.insert(most_even_grid_within(ranks, extent(split[one]), extent(split[other])));
  }
}

}  // namespace

std::vector<std::int64_t> numbers_of_ranks(const Problem& problem, const std::vector<int>& split) {
  if (problem.all_ranks) return {problem.ranks};
  std::set<std::int64_t> numbers{1, problem.ranks, std::min(problem.ranks, problem.ranks_per_node)};
  for (std::int64_t half = problem.ranks; half > 1; half /= 2) numbers.insert(half);
  for (std::int64_t number = 1; number < std::min(problem.ranks, every_number_up_to); ++number)
    numbers.insert(number);
  for (std::int64_t ranks = problem.ranks; ranks > every_number_up_to;) {
    add_near(ranks, problem, split, numbers);
    const double step = 2 * ranks > problem.ranks ? near_step : far_step;
    ranks = static_cast<std::int64_t>(step * static_cast<double>(ranks));
  }
  return {numbers.rbegin(), numbers.rend()};
}

}  // namespace weft::planner
