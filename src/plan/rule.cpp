#include "plan/rule.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include <weft/error.hpp>

#include "plan/chunks.hpp"
#include "plan/methods/methods.hpp"
#include "plan/start.hpp"

namespace weft {
namespace {

/// Follows one array from layout to layout until every axis is transformed and it lies as wanted.
class Route {
 public:
  Route(const Problem& problem, std::optional<Layout> goal)
      : problem_(problem),
        goal_(std::move(goal)),
        remaining_(problem.axes.begin(), problem.axes.end()) {}

  std::vector<Stage> follow(Layout current) {
    while (true) {
      current = add_stage(current);
      if (remaining_.empty()) break;
      current = next_layout(current);
    }
    arrive();
    return std::move(stages_);
  }

 private:
  bool must_halve() const {
    return problem_.kind == Kind::r2c && remaining_.count(problem_.halved_axis()) > 0;
  }

  /// The axes that can be transformed where the data lie: the halved axis, then fastest first.
  std::vector<int> axes_now(const Layout& layout) const {
    std::vector<int> axes;
    const bool halve = must_halve();
    if (halve && !layout.is_whole(problem_.halved_axis())) return axes;
    if (halve) axes.push_back(problem_.halved_axis());
    for (auto position = layout.order().rbegin(); position != layout.order().rend(); ++position)
      if (remaining_.count(*position) && layout.is_whole(*position) &&
          !(halve && *position == problem_.halved_axis()))
        axes.push_back(*position);
    return axes;
  }

  Layout add_stage(const Layout& source) {
    Stage stage{source, source, axes_now(source)};
    if (!stage.axes.empty() && must_halve()) {
      const int halved = problem_.halved_axis();
      stage.target = source.with_extent(halved, problem_.output_shape()[halved]);
    }
    for (int axis : stage.axes) remaining_.erase(axis);
    stages_.push_back(stage);
    return stage.target;
  }

  bool is_whole_for_rest(const Layout& layout) const {
    return std::all_of(remaining_.begin(), remaining_.end(),
                       [&](int axis) { return layout.is_whole(axis); });
  }

  Layout next_layout(const Layout& current) const {
    if (goal_ && goal_->shape() == current.shape() && is_whole_for_rest(*goal_)) return *goal_;
    if (const auto swapped = swap_split(current)) return *swapped;
    return start_layout(current.shape(), {remaining_.begin(), remaining_.end()},
                        must_halve() ? problem_.halved_axis() : -1, problem_.ranks);
  }

  /// Hands the split of one axis to another, so that ranks exchange within rows or columns only.
  std::optional<Layout> swap_split(const Layout& current) const {
    if (!current.is_grid() || volume(current.process_grid()) != current.ranks()) return {};
    const int freed = must_halve() ? problem_.halved_axis() : *remaining_.rbegin();
    const int taker = find_taker(current, freed);
    if (taker < 0) return {};
    Shape grid = current.process_grid();
    std::swap(grid[freed], grid[taker]);
    return Layout::grid(current.shape(), grid);
  }

  /// The axis that takes a split over: one that is whole now.
  /// Done before others, long enough before too short, nearest behind first.
  int find_taker(const Layout& current, int freed) const {
    const std::int64_t parts = current.process_grid()[freed];
    int best = -1;
    auto rank_of = [&](int axis) {
      const bool done = remaining_.count(axis) == 0;
      const bool long_enough = current.shape()[axis] >= parts;
      const int distance = axis > freed ? axis - freed : max_dims + freed - axis;
      return std::tuple<bool, bool, int>(!done, !long_enough, distance);
    };
    for (int axis = 0; axis < current.dims(); ++axis) {
      if (axis == freed || current.process_grid()[axis] != 1 || current.shape()[axis] < 2) continue;
      if (best < 0 || rank_of(axis) < rank_of(best)) best = axis;
    }
    return best;
  }

  void arrive() {
    Layout& last = stages_.back().target;
    if (!goal_ && problem_.ranks > 1 && last.family() == "whole" && stages_.size() > 1)
      goal_ = longest_slab(last.shape(), problem_.ranks);
    if (!goal_) return;
    if (last.same_boxes(*goal_))
      last = *goal_;
    else
      stages_.push_back(Stage{*goal_, *goal_, {}});
  }

  const Problem& problem_;
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

void add_notes(Plan& plan) {
  bool gathered = false;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const Layout& layout = plan.stages[i].source;
    const std::int64_t idle = layout.empty_ranks();
    if (layout.ranks() > 1 && idle == layout.ranks() - 1 && !plan.stages[i].axes.empty()) {
      gathered = true;
    } else if (idle > 0) {
      plan.notes.push_back("stage " + std::to_string(i) + " leaves " + std::to_string(idle) +
                           " of " + std::to_string(layout.ranks()) + " ranks without rows");
    }
  }
  if (gathered)
    plan.notes.push_back(
        "no axis is free to be split: the array goes to one rank, is transformed there and "
        "returns");
}

Layout chosen_input(const Problem& problem, int halved) {
  // P3DFFT divides two axes even where one would do.
  if (problem.preset == Preset::p3dfft && problem.shape.size() >= 3)
    return Layout::pencil(problem.shape, problem.ranks, 0, 1);
  return first_layout(problem.shape, problem.axes, halved, problem.ranks);
}

}  // namespace

Layout same_layout(const Layout& input, const Problem& problem) {
  const Shape shape = problem.output_shape();
  if (problem.kind == Kind::c2c) return input;
  const int halved = problem.halved_axis();
  if (input.is_whole(halved)) return input.with_extent(halved, shape[halved]);
  if (input.is_grid())
    return Layout::grid(shape, input.process_grid(), input.order(), input.ranks());
  throw Error(ErrorCode::invalid_argument,
              "output \"same\" needs input boxes that leave axis " + std::to_string(halved) +
                  " whole, because r2c halves it; the boxes given split it; pass the output's own "
                  "boxes instead");
}

Plan make_plan(const Problem& given) {
  Plan plan;
  plan.problem = checked(given);
  const Problem& problem = plan.problem;
  const int halved = problem.kind == Kind::r2c ? problem.halved_axis() : -1;
  const Layout input = problem.has_input ? problem.input : chosen_input(problem, halved);
  plan.stages = Route(problem, goal_of(problem, input)).follow(input);
  for (std::size_t i = 0; i + 1 < plan.stages.size(); ++i) {
    // Slices are counted rank by rank: only where somebody asks for chunks.
    const bool in_chunks = forced_knobs(problem, i).chunks > 1;
    plan.exchanges.push_back(choose_exchange(problem, i, in_chunks ? most_slices(plan, i) : 1));
  }
  plan.chosen_by = "rule";
  add_notes(plan);
  return plan;
}

}  // namespace weft
