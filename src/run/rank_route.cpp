#include "run/rank_route.hpp"

#include <algorithm>
#include <utility>

#include "plan/line_view.hpp"
#include "run/stage_transforms.hpp"

namespace weft::run {
namespace {

/// Returns the change of order of half a spectrum in a stage next to the one that folds its
/// columns.
std::optional<kernel::HermitianOrder> hermitian_order_of(const Plan& plan, std::size_t position,
                                                         Direction direction) {
  const bool forward = direction == Direction::forward;
  const bool at_end = forward ? position + 1 == plan.stages.size() : position == 0;
  if (!at_end || !unfolds(plan, plan.exchanges.size())) return {};
  const Shape view = plan.view();
  return kernel::HermitianOrder{view[0], view[1], forward};
}

std::size_t last_with_axes(const std::vector<Stage>& stages) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < stages.size(); ++i)
    if (!stages[i].axes.empty()) last = i;
  return last;
}

/// Returns the stages of a plan as executed in one direction.
std::vector<Stage> stages_of(const Plan& plan, Direction direction) {
  std::vector<Stage> stages = plan.stages;
  // Stages at the ends of a view get the boxes of the view's rows, because programs use the view.
  for (Stage& stage : stages) stage = viewed_stage(std::move(stage));
  if (direction == Direction::forward) return stages;
  std::reverse(stages.begin(), stages.end());
  for (Stage& stage : stages) {
    std::swap(stage.source, stage.target);
    std::swap(stage.source_element, stage.target_element);
    std::reverse(stage.axes.begin(), stage.axes.end());
  }
  return stages;
}

/// Returns the caller's input or output on one rank, as the stages of a variant see it.
kernel::Place users_array(const Plan& plan, const RankRoute& route, bool is_input,
                          std::int64_t rank) {
  const Problem& problem = plan.problem;
  // The caller's array can have another shape than the exchanged array: half a spectrum in natural
  // order, and the input and output of a convolution.
  const bool is_output = is_input == (route.variant.direction == Direction::backward);
  const bool is_apart = plan.convolves() || (unfolds(plan, route.last()) && is_output);
  const Layout& layout = is_apart   ? (is_output ? plan.output() : plan.input())
                         : is_input ? route.stages.front().stage.source
                                    : route.stages.back().stage.target;
  const bool real = route.is_real_before(is_input ? 0 : route.stages.size());
  return array_place(layout.box(rank),
                     real && route.variant.in_place ? inplace_real_strides(layout, problem, rank)
                                                    : layout.strides(rank),
                     is_input ? input_buffer : output_buffer,
                     real ? real_bytes(problem.precision) : complex_bytes(problem.precision));
}

RouteCall call_of(Variant variant) {
  if (variant.is_backward())
    return variant.in_place ? RouteCall::backward_in_place : RouteCall::backward;
  return variant.in_place ? RouteCall::forward_in_place : RouteCall::forward;
}

}  // namespace

bool RankRoute::is_real_before(std::size_t position) const {
  const Element element = position < stages.size() ? stages[position].stage.source_element
                                                   : stages.back().stage.target_element;
  return element == Element::real;
}

RankRoute route_of(const Plan& plan, Variant variant, std::int64_t rank,
                   const std::shared_ptr<const kernel::LineSpectrum>& spectrum) {
  const Direction direction = variant.direction;
  const std::vector<Stage> stages = stages_of(plan, direction);
  RankRoute route;
  route.variant = variant;
  route.call = call_of(variant);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    RouteStage stage{stages[i], direction, transforms_of(plan, stages, i, direction, spectrum),
                     hermitian_order_of(plan, i, direction),
                     chirp_end_of(plan, stages, i, direction)};
    if (i == last_with_axes(stages) && !stages[i].axes.empty() && !plan.convolves())
      stage.transforms.back().scale = scale_of(plan.problem, direction);
    route.stages.push_back(std::move(stage));
  }
  route.exchanges = plan.exchanges;
  if (direction == Direction::backward)
    std::reverse(route.exchanges.begin(), route.exchanges.end());
  route.input = users_array(plan, route, true, rank);
  route.output = users_array(plan, route, false, rank);
  route.lends_input = variant.in_place || plan.problem.overwrite_input;
  route.reads_inputs = reads_from_inputs(plan, variant);
  route.writes_outputs = writes_into_outputs(plan, variant);
  return route;
}

Shape inplace_real_strides(const Layout& layout, const Problem& problem, std::int64_t rank) {
  const int halved = problem.halved_axis();
  if (halved < 0) return layout.strides(rank);
  Shape extents = layout.local_shape(rank);
  if (layout.order().back() == halved && layout.is_whole(halved) && extents[halved] > 0)
    extents[halved] = 2 * (problem.shape[halved] / 2 + 1);
  return dense_strides(extents, layout.order());
}

std::int64_t span_of(const Shape& extents, const Shape& strides) {
  std::int64_t elements = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    elements = std::max(elements, extents[axis] * strides[axis]);
  return elements;
}

}  // namespace weft::run
