#include "plan/line_view.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <weft/error.hpp>

#include "base/smooth.hpp"
#include "layout/check.hpp"
#include "plan/check_plan.hpp"
#include "plan/fixed_rule.hpp"
#include "plan/folded_view.hpp"
#include "plan/kinds.hpp"
#include "plan/long_line.hpp"
#include "plan/view_parts.hpp"

namespace weft {
namespace {

bool is_one_axis(const Problem& problem) {
  return problem.shape.size() == 1 && problem.ranks > 1 && problem.has_whole_axes() &&
         !keeps_elements(problem.kind_of(0));
}

/// Returns the largest length of which every cut of the layout is a multiple.
std::int64_t unit_of(const Layout& flat) {
  const std::int64_t n = flat.shape()[0];
  if (flat.is_grid() && n % flat.process_grid()[0] == 0) return n / flat.process_grid()[0];
  std::int64_t unit = n;
  for (std::int64_t rank = 0; rank < flat.ranks() && unit > 1; ++rank) {
    const Box box = flat.box(rank);
    unit = std::gcd(unit, std::gcd(box.lower[0], box.upper[0]));
  }
  return unit;
}

/// Returns whether the caller wants half a spectrum in natural order.
bool wants_half_in_order(const Problem& problem) {
  return problem.halves(0) && problem.output_choice != OutputChoice::any;
}

/// Limits that the caller's layouts set: n2 must divide `input`, and n1 must divide `output`.
struct Units {
  std::int64_t input;
  std::int64_t output;
  bool same = false;    ///< cuts of an input that weft chooses must also be between rows of n1
  bool halved = false;  ///< r2c: axis 0 has n1/2+1 elements after its transform
  bool folded = false;  ///< half a spectrum in natural order: pairs of columns stay together, and
                        ///< `half` has the cuts
  HalfCuts half = {};
};

Units units_of(const Problem& problem) {
  const std::int64_t n = problem.shape[0];
  Units units{n, n};
  units.halved = problem.halves(0);
  units.folded = wants_half_in_order(problem);
  if (problem.has_input) units.input = unit_of(problem.input);
  if (units.folded) {
    if (problem.output_choice == OutputChoice::given)
      units.half = cuts_of(problem.output);
    else if (problem.has_input)
      units.half = cuts_of(same_layout(problem.input, problem));
    return units;
  }
  if (problem.output_choice == OutputChoice::given) units.output = unit_of(problem.output);
  if (problem.output_choice == OutputChoice::same) {
    if (problem.has_input) units.output = units.input;
    units.same = !problem.has_input;
  }
  return units;
}

/// Returns the number of rows that are transformed along axis 1.
std::int64_t rows_of(const Shape& view, const Units& units) {
  return units.halved ? view[0] / 2 + 1 : view[0];
}

/// Returns the number of equal parts into which weft may cut an input.
std::int64_t parts_of_input(const Shape& view, const Units& units) {
  return units.same ? std::gcd(view[0], view[1]) : view[0];
}

std::int64_t row_of_input(const Shape& view, const Units& units) {
  return volume(view) / parts_of_input(view, units);
}

/// Returns the number of equal parts into which the columns may be cut before the last exchange.
std::int64_t parts_of_output(const Shape& view, const Units& units) {
  return units.folded ? natural_rows(view) : view[1];
}

/// Returns the cost of a view. The unit is about the time of one pass if all ranks have the same
/// work.
double price(const Shape& view, const Units& units, std::int64_t ranks) {
  return imbalance(parts_of_input(view, units), ranks) + imbalance(rows_of(view, units), ranks) +
         imbalance(parts_of_output(view, units), ranks) + 0.1 * unlikeness(view) +
         (has_large_prime(view[0]) ? 1 : 0) + (has_large_prime(view[1]) ? 1 : 0);
}

bool is_possible(const Shape& view, const Units& units, bool chooses_input, std::int64_t ranks) {
  return std::min(rows_of(view, units), parts_of_output(view, units)) >= ranks &&
         units.input % view[1] == 0 && units.output % view[0] == 0 && fit(units.half, view) &&
         (!chooses_input || parts_of_input(view, units) >= ranks);
}

std::optional<Shape> best_view(const Problem& problem, std::int64_t ranks) {
  const std::int64_t n = problem.shape[0];
  const Units units = units_of(problem);
  std::optional<Shape> best;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](const Shape& view) {
    if (!is_possible(view, units, !problem.has_input, ranks)) return;
    const double cost = price(view, units, ranks);
    if (cost < least) best = view;
    least = std::min(least, cost);
  };
  for (std::int64_t factor = ranks; factor <= n / factor; ++factor) {
    if (n % factor != 0) continue;
    consider({factor, n / factor});
    consider({n / factor, factor});
  }
  return best;
}

/// Returns n1 x n2 after the transform of axis 0. r2c keeps the rows 0..n1/2. The other rows
/// follow: X[n - k] is the conjugate of X[k].
Shape after_first_axis(Shape view, const Problem& problem) {
  if (problem.halves(0)) view[0] = view[0] / 2 + 1;
  return view;
}

/// Returns the stage that joins the columns to half a spectrum in natural order.
Stage unfolding_stage(const Problem& problem, const Layout& input, const Shape& view,
                      std::int64_t ranks) {
  const bool is_free = problem.output_choice == OutputChoice::same && !problem.has_input;
  const Layout output = problem.output_choice == OutputChoice::given ? problem.output
                        : is_free ? half_between_rows(view, ranks, problem.ranks)
                                  : same_layout(input, problem);
  return {folded_columns(output, view), output, {}};
}

std::vector<int> order_along(int axis) {
  return axis == 0 ? std::vector<int>{0, 1} : std::vector<int>{1, 0};
}

void check_folds(const Plan& plan, bool is_half_in_order) {
  for (std::size_t i = 0; i < plan.stages.size(); ++i)
    if (plan.stages[i].folds != (is_half_in_order && i == 2))
      refuse_plan(
          "the columns of a view must be folded in stage 2 of half a spectrum in natural order, " +
          std::string("and in no other; stage ") + std::to_string(i) +
          (plan.stages[i].folds ? " folds them" : " does not"));
}

void check_folded(const Layout& half, const Layout& columns, const Shape& view) {
  const Layout wanted = folded_columns(half, view);
  if (!wanted.same_boxes(columns) || wanted.order() != columns.order())
    refuse_plan("the last stage must have the columns that make up its rows; given " +
                columns.describe() + " for " + half.describe());
}

void check_axes(const Plan& plan, std::size_t number, const std::vector<int>& axes) {
  const Stage& stage = plan.stages[number];
  if (stage.axes != axes || stage.twiddles != (number == 1))
    refuse_plan("of an axis seen as two, stage " + std::to_string(number) + " must transform (" +
                join(axes, ", ") + ")" + (number == 1 ? " with" : " without") +
                " twiddles; given (" + join(stage.axes, ", ") + ")" +
                (stage.twiddles ? " with" : " without"));
}

void check_same_memory(const Layout& flat, const Layout& seen, int axis) {
  const Layout wanted = viewed_layout(flat, seen.shape(), axis);
  if (!wanted.same_boxes(seen) || wanted.order() != seen.order())
    refuse_plan("the " + std::string(axis == 0 ? "first" : "last") +
                " stage must see the same memory as one axis and as two; given " + flat.describe() +
                " and " + seen.describe());
}

}  // namespace

Shape Plan::view() const {
  for (const Stage& stage : stages)
    if (stage.convolves) return stage.source.shape();
  for (const Stage& stage : stages)
    for (const Layout* layout : {&stage.source, &stage.target})
      if (layout->shape().size() != problem.shape.size()) return layout->shape();
  return {};
}

Layout viewed_layout(const Layout& flat, const Shape& view, int axis) {
  const std::int64_t n = flat.shape()[0];
  const auto split_axis = static_cast<std::size_t>(axis);
  const std::int64_t row = n / view[split_axis];
  if (unit_of(flat) % row != 0)
    throw Error(ErrorCode::layout_mismatch, "a layout that is seen as " + to_string(view) +
                                                " must not cut rows of " + std::to_string(row) +
                                                " elements; given " + flat.describe());
  const bool is_symbolic = flat.is_grid() && flat.first_rank() == 0;
  if (is_symbolic && view[split_axis] % flat.process_grid()[0] == 0)
    return split(view, axis, flat.process_grid()[0], flat.ranks()).with_order(order_along(axis));
  std::vector<Box> boxes;
  for (std::int64_t rank = 0; rank < flat.ranks(); ++rank) {
    const Box box = flat.box(rank);
    Box rows{{0, 0}, box.empty() ? Shape{0, 0} : view};
    rows.lower[split_axis] = box.lower[0] / row;
    rows.upper[split_axis] = box.upper[0] / row;
    boxes.push_back(std::move(rows));
  }
  return Layout::of_boxes(view, std::move(boxes), order_along(axis));
}

Stage viewed_stage(Stage stage) {
  if (stage.source.dims() < stage.target.dims()) stage.source = stage.target;
  // After the transforms of a long line, the natural order runs along the columns.
  if (stage.target.dims() < stage.source.dims())
    stage.target = stage.axes.empty() ? stage.source : stage.source.with_order({1, 0});
  return stage;
}

std::vector<Stage> view_stages(const Problem& problem, std::int64_t ranks) {
  if (!is_one_axis(problem) || ranks < 2) return {};
  const auto view = best_view(problem, ranks);
  if (!view) return {};
  const Layout input = problem.has_input
                           ? problem.input
                           : cut_between(problem.shape[0], row_of_input(*view, units_of(problem)),
                                         ranks, problem.ranks);
  const Layout columns = split(*view, 1, ranks, problem.ranks);
  const Shape after = after_first_axis(*view, problem);
  const Layout rows = split(after, 0, ranks, problem.ranks);
  std::vector<Stage> stages{{input, viewed_layout(input, *view, 0), {}},
                            {columns, split(after, 1, ranks, problem.ranks), {0}, true},
                            {rows, rows, {1}}};
  if (problem.output_choice == OutputChoice::any) return stages;
  if (wants_half_in_order(problem)) {
    stages[2].folds = true;
    stages.push_back(unfolding_stage(problem, input, *view, ranks));
    return stages;
  }
  const Layout& output = problem.output_choice == OutputChoice::given ? problem.output : input;
  stages.push_back({viewed_layout(output, *view, 1), output, {}});
  return stages;
}

std::string why_no_view(const Problem& problem) {
  if (!is_one_axis(problem)) return {};
  if (best_view(problem, problem.ranks)) return {};
  const std::string n = std::to_string(problem.shape[0]);
  Problem free = problem;
  free.has_input = false;
  free.output_choice = OutputChoice::any;
  if (best_view(free, problem.ranks))
    return n + " has no two factors n1*n2 such that the input is cut between rows of n2 and the " +
           "output between rows of n1; leave them to weft, with output any";
  return n +
         (problem.halves(0)
              ? " is no product n1*n2 of which both n1/2+1 and n2 are at least the number of "
                "ranks, "
              : " is no product of two numbers that are both at least the number of ranks, ") +
         std::to_string(problem.ranks);
}

void check_view(const Plan& plan) {
  const Shape view = plan.view();
  const std::size_t stages = plan.stages.size();
  const bool is_half = plan.problem.halves(0);
  if (plan.problem.shape.size() != 1 || view.size() != 2 || volume(view) != plan.problem.shape[0])
    refuse_plan("only one axis can be seen as two, whose product it is; given " + to_string(view) +
                " for " + to_string(plan.problem.shape));
  if (stages == 2) return check_long_line(plan);
  const bool is_natural = plan.output().dims() == 1;
  if (stages != (is_natural ? 4 : 3) || plan.input().dims() != 1)
    refuse_plan("an axis seen as two must have three stages, or four to end as one axis; given " +
                std::to_string(stages));
  const std::vector<std::vector<int>> axes{{}, {0}, {1}, {}};
  for (std::size_t i = 0; i < stages; ++i) check_axes(plan, i, axes[i]);
  check_folds(plan, is_half && is_natural);
  for (std::size_t i = 0; i < stages; ++i) {
    const Stage& stage = plan.stages[i];
    const Shape seen = i == 0 ? view : after_first_axis(view, plan.problem);
    const Shape before = i == 0 ? plan.problem.shape : i == 1 ? view : seen;
    const Shape after = i == 3 ? plan.problem.output_shape() : seen;
    if (stage.source.shape() != before || stage.target.shape() != after)
      refuse_plan("stage " + std::to_string(i) + " must go from " + to_string(before) + " to " +
                  to_string(after) + "; given " + to_string(stage.source.shape()) + " and " +
                  to_string(stage.target.shape()));
  }
  check_same_memory(plan.input(), plan.stages[0].target, 0);
  if (is_natural && is_half)
    check_folded(plan.output(), plan.stages[3].source, view);
  else if (is_natural)
    check_same_memory(plan.output(), plan.stages[3].source, 1);
}

}  // namespace weft
