#include "plan/fixed_rule.hpp"

#include <algorithm>
#include <utility>

#include <weft/error.hpp>

#include "plan/chirp_view.hpp"
#include "plan/chunks.hpp"
#include "plan/kinds.hpp"
#include "plan/line_view.hpp"
#include "plan/long_line.hpp"
#include "plan/methods/methods.hpp"
#include "plan/route.hpp"
#include "plan/start.hpp"

namespace weft {
namespace {

/// Returns a remedy as text, if only the caller's layouts prevent a convolution.
std::string remedy(Problem problem) {
  if (!suits_a_chirp(problem) || !chirp_stages(problem, problem.ranks).empty()) return {};
  problem.has_input = false;
  problem.output_choice = OutputChoice::any;
  if (chirp_stages(problem, problem.ranks).empty()) return {};
  return "; with layouts of weft's choice it would be a convolution on all ranks";
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
  if (plan.convolves())
    plan.notes.push_back(std::to_string(plan.problem.points()) +
                         " has no two factors large enough for the ranks, or has large primes: its "
                         "transform is a convolution with a chirp (Bluestein) of " +
                         to_string(plan.view()) + " points");
  if (!gathered) return;
  const std::string why = why_no_view(plan.problem);
  plan.notes.push_back(
      "no axis is free to be split: the array goes to one rank, is transformed there and returns" +
      (why.empty() ? "" : "; " + why) + remedy(plan.problem));
}

std::vector<Stage> stages_of_whole_lines(const Problem& problem) {
  Starts known;
  return std::move(routes(problem, fixed_rule_input(problem), 1, known).front());
}

std::vector<Stage> fixed_rule_stages(const Problem& problem) {
  std::vector<Stage> stages = long_line_stages(problem);
  if (stages.empty()) stages = view_stages(problem, problem.ranks);
  if (stages.empty() && suits_a_chirp(problem)) stages = chirp_stages(problem, problem.ranks);
  return stages.empty() ? stages_of_whole_lines(problem) : stages;
}

Plan plan_of_stages(const Problem& problem, std::vector<Stage> stages) {
  Plan plan = assemble(problem, std::move(stages));
  plan.chosen_by = "fixed rule";
  return plan;
}

}  // namespace

Layout fixed_rule_input(const Problem& problem) {
  if (problem.has_input) return problem.input;
  // P3DFFT divides two axes even if one is enough.
  if (problem.exchange.preset == Preset::p3dfft && problem.shape.size() >= 3)
    return Layout::pencil(problem.input_shape(), problem.ranks, 0, 1);
  return first_layout(
      {problem.input_shape(), problem.axes, problem.halved_axis(), problem.output_shape()},
      problem.ranks);
}

Layout same_layout(const Layout& input, const Problem& problem) {
  const Shape shape = problem.output_shape();
  const int cut = first_resized_cut(input, problem);
  if (cut < 0) return after_axes(input, problem, problem.axes);
  if (input.is_grid())
    return Layout::grid(shape, input.process_grid(), input.order(), input.ranks());
  throw Error(ErrorCode::invalid_argument,
              "output \"same\" needs input boxes that leave axis " + std::to_string(cut) +
                  " whole, because its extent changes from " +
                  std::to_string(problem.support_of(cut)) + " to " +
                  std::to_string(shape[static_cast<std::size_t>(cut)]) +
                  "; the boxes given split it; pass the output's own boxes instead");
}

int first_resized_cut(const Layout& input, const Problem& problem) {
  const Shape after = problem.output_shape();
  for (const int axis : problem.axes)
    if (after[static_cast<std::size_t>(axis)] != problem.support_of(axis) && !input.is_whole(axis))
      return axis;
  return -1;
}

Layout after_axes(Layout layout, const Problem& problem, const std::vector<int>& axes) {
  const Shape after = problem.output_shape();
  for (const int axis : axes)
    if (layout.shape()[static_cast<std::size_t>(axis)] != after[static_cast<std::size_t>(axis)])
      layout = layout.with_extent(axis, after[static_cast<std::size_t>(axis)]);
  return layout;
}

Plan assemble(const Problem& problem, std::vector<Stage> stages) {
  Plan plan;
  plan.problem = problem;
  plan.line_effort = problem.effort;
  plan.stages = std::move(stages);
  set_elements(plan.stages, problem);
  for (std::size_t i = 0; i + 1 < plan.stages.size(); ++i) {
    // Counting slices visits each rank, so they are counted only if chunks are requested.
    const bool in_chunks = forced_exchange(problem, i).chunks > 1;
    plan.exchanges.push_back(choose_exchange(problem, i, in_chunks ? most_slices(plan, i) : 1));
  }
  add_notes(plan);
  return plan;
}

Plan make_plan(const Problem& given) {
  const Problem problem = checked(given);
  return plan_of_stages(problem, fixed_rule_stages(problem));
}

Plan plan_of_whole_lines(const Problem& problem) {
  return plan_of_stages(problem, stages_of_whole_lines(problem));
}

}  // namespace weft
