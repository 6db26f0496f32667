#include "planner/numbers_of_ranks.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "base/rounding.hpp"

namespace weft::planner {
namespace {

/// Every number of ranks below this is tried.
constexpr std::int64_t every_number_below = 32;
/// From every_number_below on, only numbers near some targets are tried. These constants are the
/// ratios of the next target to a target above half of all ranks, and to a smaller one. Closer
/// targets would hardly change the time.
constexpr double ratio_above_half = 0.8;
constexpr double ratio_below_half = 0.5;

/// Returns the rows of the largest part, if an axis is cut into balanced parts.
std::int64_t rows_of_largest(std::int64_t rows, std::int64_t parts) {
  return divided_up(rows, parts);
}

/// Returns the fewest parts with at most this many rows each.
std::int64_t parts_with_at_most(std::int64_t most_rows, std::int64_t rows) {
  return divided_up(rows, most_rows);
}

/// Returns the smallest number of parts whose largest part is no larger than with `parts` parts.
std::int64_t fewest_parts(std::int64_t rows, std::int64_t parts) {
  return parts_with_at_most(rows_of_largest(rows, parts), rows);
}

/// Returns the number of ranks of the best grid over two axes of `rows` and `columns`, with at most
/// `ranks` ranks. The largest part of the best grid is the smallest possible one. Among equals, the
/// grid has the fewest ranks.
std::int64_t ranks_of_most_even_grid(std::int64_t ranks, std::int64_t rows, std::int64_t columns) {
  std::int64_t best = 1;
  std::int64_t smallest = rows * columns;
  for (std::int64_t row_parts = 1; row_parts <= std::min(ranks, rows);) {
    const std::int64_t column_parts = fewest_parts(columns, ranks / row_parts);
    const std::int64_t rows_each = rows_of_largest(rows, row_parts);
    const std::int64_t largest = rows_each * rows_of_largest(columns, column_parts);
    if (largest < smallest || (largest == smallest && row_parts * column_parts < best)) {
      smallest = largest;
      best = row_parts * column_parts;
    }
    if (rows_each == 1) break;
    row_parts = parts_with_at_most(rows_each - 1, rows);
  }
  return best;
}

/// Adds the numbers for one target.
void add_near(std::int64_t target, const Problem& problem, const std::vector<int>& axes,
              std::set<std::int64_t>& numbers) {
  const Shape shape = problem.input_shape();
  const auto extent = [&](int axis) { return shape[static_cast<std::size_t>(axis)]; };
  numbers.insert(static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(target))));
  if (target > problem.ranks_per_node) numbers.insert(target - target % problem.ranks_per_node);
  if (problem.shape.size() == 1) {  // a single axis: its view is chosen later
    numbers.insert(target);
    return;
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    numbers.insert(fewest_parts(extent(axes[i]), target));
    for (std::size_t j = i + 1; j < axes.size(); ++j)
      numbers.insert(ranks_of_most_even_grid(target, extent(axes[i]), extent(axes[j])));
  }
}

}  // namespace

std::vector<std::int64_t> numbers_of_ranks(const Problem& problem, const std::vector<int>& axes) {
  if (problem.all_ranks) return {problem.ranks};
  std::set<std::int64_t> numbers{1, problem.ranks, std::min(problem.ranks, problem.ranks_per_node)};
  for (std::int64_t half = problem.ranks; half > 1; half /= 2) numbers.insert(half);
  for (std::int64_t number = 1; number < std::min(problem.ranks, every_number_below); ++number)
    numbers.insert(number);
  for (std::int64_t target = problem.ranks; target > every_number_below;) {
    add_near(target, problem, axes, numbers);
    const double ratio = 2 * target > problem.ranks ? ratio_above_half : ratio_below_half;
    target = static_cast<std::int64_t>(ratio * static_cast<double>(target));
  }
  return {numbers.rbegin(), numbers.rend()};
}

}  // namespace weft::planner
