#include "plan/start.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace weft {
namespace {

/// Layouts with more split axes are not tried, because each split axis costs an exchange.
constexpr int max_split_axes = 3;

struct Candidates {
  const Shape& shape;
  const std::vector<int>& axes;
  const Shape& after;
  std::int64_t ranks;
  std::optional<Layout> best;
  std::int64_t best_idle = std::numeric_limits<std::int64_t>::max();

  bool is_transformed(int axis) const {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  }

  /// Returns the longest extent among the axes that can take over a split. Such an axis is already
  /// transformed then, perhaps into fewer elements.
  std::int64_t longest_taker(const std::vector<int>& split) const {
    std::int64_t longest = 1;
    for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis)
      if (!is_split(split, axis)) longest = std::max(longest, after[axis]);
    return longest;
  }

  /// Returns the number of ranks without data, in the stage with this grid or in the next one. The
  /// larger number counts.
  std::int64_t idle_ranks(const std::vector<int>& split, const Shape& factors) const {
    std::int64_t busy = 1;
    std::int64_t busy_after = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < split.size(); ++i) busy *= std::min(factors[i], shape[split[i]]);
    for (std::size_t i = 0; i < split.size(); ++i)
      if (is_transformed(split[i]))
        busy_after = std::min(busy_after, busy / std::min(factors[i], shape[split[i]]) *
                                              std::min(factors[i], longest_taker(split)));
    return ranks - std::min(busy, busy_after);
  }

  bool is_split(const std::vector<int>& split, int axis) const {
    return std::find(split.begin(), split.end(), axis) != split.end();
  }

  /// Returns whether some axis can be transformed without an exchange, and another axis can take
  /// over the splits.
  bool is_possible(const std::vector<int>& split) const {
    const auto waits = [&](int axis) { return is_split(split, axis); };
    if (std::all_of(axes.begin(), axes.end(), waits)) return false;
    return std::none_of(axes.begin(), axes.end(), waits) || longest_taker(split) > 1;
  }

  void consider(const std::vector<int>& split) {
    if (!is_possible(split)) return;
    for (const Shape& factors : process_grids(ranks, static_cast<int>(split.size()))) {
      if (best_idle == 0) return;
      if (split.size() > 1 && *std::min_element(factors.begin(), factors.end()) == 1 && ranks > 3)
        continue;  // a slab, which was considered before
      const std::int64_t idle = idle_ranks(split, factors);
      if (idle >= best_idle) continue;
      Shape grid(shape.size(), 1);
      for (std::size_t i = 0; i < split.size(); ++i) grid[split[i]] = factors[i];
      best = Layout::grid(shape, grid);
      best_idle = idle;
    }
  }

  /// Considers all choices of `count` axes of `from`, in their order.
  void consider_choices(const std::vector<int>& from, std::size_t count) {
    std::vector<bool> chosen(from.size(), false);
    std::fill(chosen.begin(), chosen.begin() + std::min(count, from.size()), true);
    if (count > from.size()) return;
    do {
      std::vector<int> split;
      for (std::size_t i = 0; i < from.size(); ++i)
        if (chosen[i]) split.push_back(from[i]);
      consider(split);
    } while (best_idle != 0 && std::prev_permutation(chosen.begin(), chosen.end()));
  }
};

std::optional<Layout> best_grid(const Untransformed& array, std::int64_t ranks) {
  const Shape& shape = array.shape;
  Candidates candidates{shape, array.axes, array.after, ranks, {}};
  std::vector<int> batch;
  std::vector<int> splittable;
  for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
    if (shape[axis] < 2 || axis == array.halved) continue;
    splittable.push_back(axis);
    if (!candidates.is_transformed(axis)) batch.push_back(axis);
  }
  std::stable_sort(batch.begin(), batch.end(), [&](int a, int b) { return shape[a] > shape[b]; });
  for (std::size_t count = 1; count <= 2; ++count) candidates.consider_choices(batch, count);
  for (std::size_t count = 1; count <= max_split_axes; ++count)
    candidates.consider_choices(splittable, count);
  return candidates.best;
}

}  // namespace

Layout longest_slab(const Shape& shape, std::int64_t ranks) {
  const auto longest = std::max_element(shape.begin(), shape.end());
  return Layout::slab(shape, ranks, static_cast<int>(longest - shape.begin()));
}

Layout start_layout(const Untransformed& array, std::int64_t ranks) {
  const auto grid = best_grid(array, ranks);
  return grid ? *grid : Layout::on_one(array.shape, ranks);
}

Layout first_layout(const Untransformed& array, std::int64_t ranks) {
  const auto grid = best_grid(array, ranks);
  return grid ? *grid : longest_slab(array.shape, ranks);
}

}  // namespace weft
