#include "plan/route.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "plan/fixed_rule.hpp"
#include "plan/start.hpp"

namespace weft {
namespace {

/// An array on its route from layout to layout, until every axis is transformed and the layout is
/// the goal.
class Route {
 public:
  Route(const Problem& problem, const Layout& input, std::optional<Layout> goal, Starts& known)
      : problem_(&problem),
        known_(&known),
        goal_(std::move(goal)),
        remaining_(problem.axes.begin(), problem.axes.end()) {
    add_stage(input);
  }

  bool done() const { return remaining_.empty(); }

  void extend(const Layout& next) { add_stage(next); }

  /// Returns the possible next layouts, the fixed rule's choice first. The goal is the first, if it
  /// splits no remaining axis. Other layouts pass the split of one axis to another, so that only
  /// ranks of a row or column exchange. The last layout is a new split for the remaining axes. If
  /// some ranks own nothing yet, the new split comes before the passed splits.
  std::vector<Layout> next_layouts() const {
    const Layout& current = stages_.back().target;
    std::vector<Layout> found;
    if (goal_ && !must_halve() && is_whole_for_rest(*goal_)) found.push_back(goal_before_rest());
    const bool all_work = current.is_grid() && volume(current.process_grid()) == current.ranks();
    if (!all_work) found.push_back(split_for_remaining());
    for (const int freed : axes_to_free())
      for (const int taker : takers(current, freed))
        found.push_back(swapped(current, freed, taker));
    if (all_work) found.push_back(split_for_remaining());
    return found;
  }

  /// Returns the stages. If the array has not reached the goal, adds a stage without transforms.
  std::vector<Stage> arrived() && {
    Layout& last = stages_.back().target;
    if (!goal_ && problem_->ranks > 1 && last.family() == "whole" && stages_.size() > 1)
      goal_ = longest_slab(last.shape(), problem_->ranks);
    if (goal_ && last.same_boxes(*goal_))
      last = *goal_;
    else if (goal_)
      stages_.push_back(Stage{*goal_, *goal_, {}});
    return std::move(stages_);
  }

 private:
  /// Returns the layout that the fixed rule would choose for the remaining axes, independent of the
  /// current layout.
  Layout split_for_remaining() const {
    const Shape& shape = stages_.back().target.shape();
    const std::vector<int> axes(remaining_.begin(), remaining_.end());
    const auto found = known_->find({shape, axes});
    if (found != known_->end()) return found->second;
    const int halved = must_halve() ? problem_->halved_axis() : -1;
    Layout layout = start_layout({shape, axes, halved, problem_->output_shape()}, problem_->ranks);
    return known_->emplace(std::pair{shape, axes}, std::move(layout)).first->second;
  }

  bool must_halve() const { return remaining_.count(problem_->halved_axis()) > 0; }

  /// Returns the axes that can be transformed in this layout: first the halved axis, then the
  /// others, the fastest in memory first.
  std::vector<int> axes_now(const Layout& layout) const {
    std::vector<int> axes;
    const bool halve = must_halve();
    if (halve && !layout.is_whole(problem_->halved_axis())) return axes;
    if (halve) axes.push_back(problem_->halved_axis());
    for (auto position = layout.order().rbegin(); position != layout.order().rend(); ++position)
      if (remaining_.count(*position) && layout.is_whole(*position) &&
          !(halve && *position == problem_->halved_axis()))
        axes.push_back(*position);
    return axes;
  }

  void add_stage(const Layout& source) {
    Stage stage{source, source, axes_now(source)};
    stage.target = after_axes(source, *problem_, stage.axes);
    for (const int axis : stage.axes) remaining_.erase(axis);
    stages_.push_back(std::move(stage));
  }

  /// Returns the goal with the extents that the remaining axes have before their transforms.
  Layout goal_before_rest() const {
    Layout layout = *goal_;
    for (const int axis : remaining_) layout = layout.with_extent(axis, problem_->support_of(axis));
    return layout;
  }

  bool is_whole_for_rest(const Layout& layout) const {
    return std::all_of(remaining_.begin(), remaining_.end(),
                       [&](int axis) { return layout.is_whole(axis); });
  }

  /// Returns the axes whose split may be passed to another axis. As long as an axis must be halved,
  /// only this axis is returned. Otherwise all remaining axes are returned, the last first.
  std::vector<int> axes_to_free() const {
    if (must_halve()) return {problem_->halved_axis()};
    return {remaining_.rbegin(), remaining_.rend()};
  }

  /// Returns whether an axis between these two is split. Passing a split across that axis changes
  /// the owners of its parts too. Then data move between all ranks, not only within rows or
  /// columns.
  static bool crosses(const Layout& current, int freed, int taker) {
    const auto [first, last] = std::minmax(freed, taker);
    for (int axis = first + 1; axis < last; ++axis)
      if (current.process_grid()[axis] > 1) return true;
    return false;
  }

  /// Returns the unsplit axes that can take over the split of `freed`, the best first. An axis
  /// without another split in between is better. Among equals, an axis that is already transformed
  /// is better, then one that is long enough, then the nearest later one.
  std::vector<int> takers(const Layout& current, int freed) const {
    std::vector<int> found;
    if (!current.is_grid() || current.first_rank() != 0) return found;
    const std::int64_t parts = current.process_grid()[freed];
    for (int axis = 0; axis < current.dims(); ++axis)
      if (axis != freed && current.process_grid()[axis] == 1 && current.shape()[axis] >= 2)
        found.push_back(axis);
    const auto rank_of = [&](int axis) {
      const bool is_done = remaining_.count(axis) == 0;
      const bool long_enough = current.shape()[axis] >= parts;
      const int distance = axis > freed ? axis - freed : max_dims + freed - axis;
      return std::tuple<bool, bool, bool, int>(crosses(current, freed, axis), !is_done,
                                               !long_enough, distance);
    };
    std::sort(found.begin(), found.end(),
              [&](int one, int other) { return rank_of(one) < rank_of(other); });
    return found;
  }

  static Layout swapped(const Layout& current, int freed, int taker) {
    Shape grid = current.process_grid();
    std::swap(grid[freed], grid[taker]);
    return Layout::grid(current.shape(), grid, {}, current.ranks());
  }

  const Problem* problem_;
  Starts* known_;
  std::optional<Layout> goal_;
  std::set<int> remaining_;
  std::vector<Stage> stages_;
};

std::optional<Layout> goal_of(const Problem& problem, const Layout& input) {
  switch (problem.output_choice) {
    case OutputChoice::given:
      return problem.output;
    case OutputChoice::same:
      return same_layout(input, problem);
    case OutputChoice::any:
      break;
  }
  return {};
}

void follow(Route route, std::size_t most, std::vector<std::vector<Stage>>& found) {
  if (route.done()) {
    std::vector<Stage> stages = std::move(route).arrived();
    if (std::find(found.begin(), found.end(), stages) == found.end())
      found.push_back(std::move(stages));
    return;
  }
  for (const Layout& next : route.next_layouts()) {
    if (found.size() >= most) return;
    Route longer = route;
    longer.extend(next);
    follow(std::move(longer), most, found);
  }
}

}  // namespace

std::vector<std::vector<Stage>> routes(const Problem& problem, const Layout& input,
                                       std::size_t most, Starts& known) {
  std::vector<std::vector<Stage>> found;
  follow(Route(problem, input, goal_of(problem, input), known), most, found);
  return found;
}

}  // namespace weft
