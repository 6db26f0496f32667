#include "plan/chirp_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <weft/error.hpp>

#include "base/rounding.hpp"
#include "base/smooth.hpp"
#include "layout/check.hpp"
#include "plan/check_plan.hpp"
#include "plan/fixed_rule.hpp"
#include "plan/folded_view.hpp"
#include "plan/kinds.hpp"
#include "plan/view_parts.hpp"

namespace weft {
namespace {

/// For fewer points, a convolution exceeds the permitted error, which grows with log2 n. A
/// convolution has about five rounding errors for each point.
constexpr std::int64_t shortest_input = 32;
/// For more points, the number of bytes of a convolution would not fit in 63 bits.
constexpr std::int64_t longest_input = std::int64_t{1} << 56;
/// A view is m1 x m2, and fastest near a square. If the caller's layouts set no limits, m2 differs
/// from the side of the square by at most this factor.
constexpr double largest_ratio = 8;

/// The number of points of a convolution, and the limits that the caller's layouts set.
struct Wanted {
  std::int64_t input_points = 0;   ///< elements of the input
  std::int64_t output_points = 0;  ///< elements of the output
  std::int64_t unit = 0;           ///< divides all cuts of the caller's layouts; m2 must divide it.
                                   ///< 0: no cuts
  bool cuts_input = false;         ///< weft chooses the layout of the input
  bool cuts_output = false;

  std::int64_t points() const { return input_points + output_points - 1; }
};

/// Returns the output layout that the caller fixes, if any.
std::optional<Layout> fixed_output(const Problem& problem) {
  if (problem.output_choice == OutputChoice::given) return problem.output;
  if (problem.output_choice == OutputChoice::same && problem.has_input)
    return same_layout(problem.input, problem);
  return {};
}

Wanted wanted_of(const Problem& problem) {
  Wanted wanted{problem.shape[0], problem.output_shape()[0]};
  const std::optional<Layout> output = fixed_output(problem);
  wanted.cuts_input = !problem.has_input;
  wanted.cuts_output = !output;
  if (problem.has_input) wanted.unit = cuts_of(problem.input).unit;
  if (output) wanted.unit = std::gcd(wanted.unit, cuts_of(*output).unit);
  return wanted;
}

bool is_possible(const Shape& view, const Wanted& wanted, std::int64_t ranks) {
  const std::int64_t row = view[1];
  return std::min(view[0], row) >= ranks && wanted.unit % row == 0 &&
         (!wanted.cuts_input || divided_up(wanted.input_points, row) >= ranks) &&
         (!wanted.cuts_output || divided_up(wanted.output_points, row) >= ranks);
}

/// Returns a penalty for lengths that 2, 4 or 8 do not divide. Vector instructions work on 2, 4 or
/// 8 numbers.
double odd_penalty(std::int64_t length) {
  double price = 0;
  for (std::int64_t twos = 2; twos <= 8; twos *= 2)
    if (length % twos != 0) price += 0.1;
  return price;
}

/// Returns the cost of a view. The unit is about the time of one pass if all ranks have the same
/// work.
double price(const Shape& view, const Wanted& wanted, std::int64_t ranks) {
  const double padding = static_cast<double>(volume(view)) / static_cast<double>(wanted.points());
  return padding * 2 * (imbalance(view[0], ranks) + imbalance(view[1], ranks)) +
         imbalance(divided_up(wanted.input_points, view[1]), ranks) +
         imbalance(divided_up(wanted.output_points, view[1]), ranks) + odd_penalty(view[0]) +
         odd_penalty(view[1]) + 0.1 * unlikeness(view);
}

std::optional<Shape> best_convolution(const Problem& problem, std::int64_t ranks) {
  const Wanted wanted = wanted_of(problem);
  if (wanted.input_points < shortest_input || wanted.input_points > longest_input) return {};
  const double square = std::sqrt(static_cast<double>(wanted.points()));
  const bool is_free = wanted.unit == 0;
  const std::int64_t least =
      is_free ? std::max(ranks, static_cast<std::int64_t>(square / largest_ratio)) : ranks;
  const std::int64_t most =
      is_free ? static_cast<std::int64_t>(square * largest_ratio) : wanted.unit;
  const std::vector<std::int64_t> lengths =
      smooth_numbers(ranks, std::max(most, 2 * divided_up(wanted.points(), least)));
  std::optional<Shape> best;
  double lowest = std::numeric_limits<double>::infinity();
  for (const std::int64_t row : lengths) {
    if (row < least) continue;
    if (row > most) break;
    const Shape view{
        *std::lower_bound(lengths.begin(), lengths.end(), divided_up(wanted.points(), row)), row};
    if (!is_possible(view, wanted, ranks)) continue;
    const double cost = price(view, wanted, ranks);
    if (cost < lowest) best = view;
    lowest = std::min(lowest, cost);
  }
  return best;
}

/// Returns the layout of the input or output as rows of the view. The layout must not cut a row.
/// The last row may be longer than its data.
Layout in_rows(const Layout& flat, std::int64_t row) {
  const std::int64_t n = flat.shape()[0];
  std::vector<Box> boxes;
  for (std::int64_t rank = 0; rank < flat.ranks(); ++rank) {
    const Box box = flat.box(rank);
    boxes.push_back(box.empty()
                        ? Box{{0, 0}, {0, 0}}
                        : Box{{box.lower[0] / row, 0}, {divided_up(box.upper[0], row), row}});
  }
  return Layout::of_boxes({divided_up(n, row), row}, std::move(boxes));
}

/// Returns the work of each stage of a convolution, in order.
const std::vector<Stage>& duties() {
  static const std::vector<Stage> stages{{.chirps = true},
                                         {.axes = {0}, .twiddles = true},
                                         {.axes = {1}, .convolves = true},
                                         {.axes = {0}, .twiddles = true},
                                         {.chirps = true}};
  return stages;
}

void check_duties(const Plan& plan) {
  if (plan.problem.shape.size() != 1)
    refuse_plan("only an array of one axis can be a convolution; given " +
                to_string(plan.problem.shape));
  if (plan.stages.size() != duties().size())
    refuse_plan("a convolution must have " + std::to_string(duties().size()) + " stages; given " +
                std::to_string(plan.stages.size()));
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const Stage& stage = plan.stages[i];
    const Stage& duty = duties()[i];
    if (stage.axes != duty.axes || stage.twiddles != duty.twiddles || stage.folds != duty.folds ||
        stage.chirps != duty.chirps || stage.convolves != duty.convolves)
      refuse_plan(
          "a convolution must only multiply by the chirp in stages 0 and 4, transform axis 0 with "
          "twiddles in 1 and 3, convolve axis 1 in 2; stage " +
          std::to_string(i) + " does not");
  }
}

void check_shapes(const Plan& plan) {
  const Problem& problem = plan.problem;
  const Shape view = plan.view();
  const std::int64_t input_points = problem.shape[0];
  const std::int64_t output_points = problem.output_shape()[0];
  if (view.size() != 2 || input_points > longest_input ||
      volume(view) < input_points + output_points - 1)
    refuse_plan("a convolution must have two axes and at least " +
                std::to_string(input_points + output_points - 1) + " points; given " +
                to_string(view));
  const Shape first{divided_up(input_points, view[1]), view[1]};
  const Shape last{divided_up(output_points, view[1]), view[1]};
  const std::vector<std::pair<Shape, Shape>> shapes{{problem.shape, first},
                                                    {first, view},
                                                    {view, view},
                                                    {view, last},
                                                    {last, problem.output_shape()}};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Stage& stage = plan.stages[i];
    const auto& [source, target] = shapes[i];
    if (stage.source.shape() != source || stage.target.shape() != target)
      refuse_plan("stage " + std::to_string(i) + " of a convolution must go from " +
                  to_string(source) + " to " + to_string(target) + "; given " +
                  to_string(stage.source.shape()) + " and " + to_string(stage.target.shape()));
  }
}

void check_rows(const Layout& flat, const Layout& rows) {
  if (cuts_of(flat).unit % rows.shape()[1] != 0 || !in_rows(flat, rows.shape()[1]).same_boxes(rows))
    refuse_plan(
        "input and output of a convolution must be whole rows of its view, on the same ranks; "
        "given " +
        flat.describe() + " and " + rows.describe());
}

/// Returns whether the only axis is a Fourier axis with all points and wavenumbers.
bool is_fourier(const Problem& problem) {
  return problem.has_whole_axes() && !keeps_elements(problem.kind_of(problem.axes[0]));
}

}  // namespace

bool Plan::convolves() const {
  return std::any_of(stages.begin(), stages.end(),
                     [](const Stage& stage) { return stage.convolves; });
}

std::vector<Stage> chirp_stages(const Problem& problem, std::int64_t ranks) {
  if (problem.shape.size() != 1 || ranks < 2 || !is_fourier(problem)) return {};
  const std::optional<Shape> view = best_convolution(problem, ranks);
  if (!view) return {};
  const std::int64_t row = (*view)[1];
  const std::int64_t input_points = problem.shape[0];
  const std::int64_t output_points = problem.output_shape()[0];
  const Shape first{divided_up(input_points, row), row};
  const Shape last{divided_up(output_points, row), row};
  const std::optional<Layout> fixed = fixed_output(problem);
  const Layout input =
      problem.has_input ? problem.input : cut_between(input_points, row, ranks, problem.ranks);
  const Layout output = fixed ? *fixed : cut_between(output_points, row, ranks, problem.ranks);
  const Layout rows = split(*view, 0, ranks, problem.ranks);
  const Layout columns = split(*view, 1, ranks, problem.ranks);
  std::vector<Stage> stages = duties();
  stages[0].source = input;
  stages[0].target =
      problem.has_input ? in_rows(input, row) : split(first, 0, ranks, problem.ranks);
  stages[1].source = split(first, 1, ranks, problem.ranks);
  stages[1].target = stages[3].source = columns;
  stages[2].source = stages[2].target = rows;
  stages[3].target = split(last, 1, ranks, problem.ranks);
  stages[4].source = fixed ? in_rows(output, row) : split(last, 0, ranks, problem.ranks);
  stages[4].target = output;
  return stages;
}

bool suits_a_chirp(const Problem& problem) {
  return has_large_prime(problem.points()) && is_fourier(problem);
}

void check_chirp(const Plan& plan) {
  check_duties(plan);
  check_shapes(plan);
  check_rows(plan.input(), plan.stages.front().target);
  check_rows(plan.output(), plan.stages.back().source);
}

}  // namespace weft
