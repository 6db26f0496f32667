#include "run/stage_transforms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plan/kinds.hpp"
#include "plan/line_view.hpp"

namespace weft::run {
namespace {

using kernel::AxisTransform;
using kernel::LineKind;

int sign_of(const Problem& problem, Direction direction) {
  return direction == Direction::forward ? problem.sign : -problem.sign;
}

AxisTransform axis_transform(const Problem& problem, const Stage& stage, int axis,
                             Direction direction) {
  AxisTransform t;
  t.axis = axis;
  const bool is_view = stage.source.shape().size() != problem.shape.size();
  t.length = is_view ? std::max(stage.source.shape()[axis], stage.target.shape()[axis])
                     : problem.shape[axis];
  if (stage.twiddles) t.twiddles = kernel::twiddles_of(problem.points());
  t.twiddles_input = stage.twiddles && direction == Direction::backward;
  const int sign = sign_of(problem, direction);
  t.kind = sign < 0 ? LineKind::c2c_forward : LineKind::c2c_backward;
  if (problem.halves(axis)) {
    // Libraries have r2c with the sign - and c2r with the sign +. For the other signs, the results
    // are conjugated.
    t.kind = {Kind::r2c, direction};
    t.conjugate_output = t.kind == LineKind::r2c && sign > 0;
    t.conjugate_input = t.kind == LineKind::c2r && sign < 0;
  }
  if (!is_view && keeps_elements(problem.kind_of(axis))) {
    t.kind = kernel::line_kind(problem.kind_of(axis), direction);
    // An axis that is halved comes first, so that the others have its shorter result.
    t.parts = stage.source_element == Element::complex || stage.target_element == Element::complex;
    if (problem.norm == Norm::ortho) t.ends = kernel::orthogonal_ends(t.kind.kind);
  }
  const bool forward = direction == Direction::forward;
  if (!is_view && problem.truncates(axis))
    (forward ? t.modes_out : t.modes_in) = problem.modes_of(axis);
  if (!is_view && problem.pads(axis))
    (forward ? t.points_in : t.points_out) = problem.support_of(axis);
  return t;
}

/// Returns a transform of a convolution. Its sign is - up to the middle and + after it, for any
/// sign of the problem. Backward uses the same transforms with the conjugate of the spectrum.
AxisTransform convolution_transform(const Plan& plan, const Stage& stage, bool is_back,
                                    Direction direction,
                                    const std::shared_ptr<const kernel::LineSpectrum>& spectrum) {
  AxisTransform t;
  t.axis = stage.axes[0];
  const auto axis = static_cast<std::size_t>(t.axis);
  t.length = plan.view()[axis];
  t.kind = is_back ? LineKind::c2c_backward : LineKind::c2c_forward;
  if (stage.twiddles) t.twiddles = kernel::twiddles_of(volume(plan.view()));
  t.twiddles_input = is_back;
  t.padding = t.length - stage.source.shape()[axis];
  if (stage.convolves) t.spectrum = spectrum;
  t.conjugate_spectrum = direction == Direction::backward;
  return t;
}

}  // namespace

std::vector<AxisTransform> transforms_of(
    const Plan& plan, const std::vector<Stage>& stages, std::size_t position, Direction direction,
    const std::shared_ptr<const kernel::LineSpectrum>& spectrum) {
  const Stage& stage = stages[position];
  std::vector<AxisTransform> transforms;
  const bool is_back = 2 * position > stages.size() - 1;
  for (const int axis : stage.axes)
    transforms.push_back(plan.convolves()
                             ? convolution_transform(plan, stage, is_back, direction, spectrum)
                             : axis_transform(plan.problem, stage, axis, direction));
  return transforms;
}

std::optional<kernel::ChirpEnd> chirp_end_of(const Plan& plan, const std::vector<Stage>& stages,
                                             std::size_t position, Direction direction) {
  if (!stages[position].chirps) return {};
  const Problem& problem = plan.problem;
  const bool is_first = position == 0;
  const bool has_reals = problem.halves(0);
  const bool is_input = is_first == (direction == Direction::forward);
  return kernel::ChirpEnd{
      .n = problem.shape[0],
      .row = plan.view()[1],
      .to_rows = is_first,
      .sign = sign_of(problem, direction),
      .is_real = has_reals && is_input,
      .is_half = has_reals && is_first && direction == Direction::backward,
      .scale = is_first ? 1 : scale_of(problem, direction),
  };
}

long double scale_of(const Problem& problem, Direction direction) {
  const auto points = static_cast<long double>(logical_points(problem));
  switch (problem.norm) {
    case Norm::none:
      return 1;
    case Norm::ortho:
      return 1 / std::sqrt(points);
    case Norm::backward:
      return direction == Direction::backward ? 1 / points : 1;
    case Norm::forward:
      return direction == Direction::forward ? 1 / points : 1;
  }
  return 1;
}

}  // namespace weft::run
