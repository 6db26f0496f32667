#include "model/stage_lines.hpp"

#include "plan/kinds.hpp"
#include "plan/line_view.hpp"

namespace weft::model {

namespace {

std::int64_t length_along(const Layout& layout, int axis) {
  return layout.shape()[static_cast<std::size_t>(axis)];
}

/// Returns the number of lines along an axis on the busiest rank. The axes before this axis in the
/// stage already have their new lengths, for example those of truncated spectra.
std::int64_t line_count(const Stage& stage, int axis) {
  std::int64_t count = stage.source.max_local_volume() / length_along(stage.source, axis);
  for (const int before : stage.axes) {
    if (before == axis) break;
    count = count / length_along(stage.source, before) * length_along(stage.target, before);
  }
  return count;
}

}  // namespace

StageLines lines_along(const Plan& plan, const Stage& given, int axis) {
  const Stage stage = viewed_stage(given);
  const auto length = [&](const Layout& layout) {
    return layout.shape()[static_cast<std::size_t>(axis)];
  };
  // Lines may be halved, zero-padded or truncated. Their length is the longer of input and output.
  const Layout& layout = length(stage.source) > length(stage.target) ? stage.source : stage.target;
  const bool is_view = layout.shape().size() != plan.problem.shape.size();
  const Kind kind = plan.convolves()            ? Kind::c2c
                    : plan.problem.halves(axis) ? Kind::r2c
                    : is_view                   ? Kind::c2c
                                                : plan.problem.kind_of(axis);
  // A cosine or sine transform of complex numbers is two real transforms, of both parts.
  const double parts = keeps_elements(kind) && given.target_element == Element::complex ? 2 : 1;
  const double lines =
      parts * static_cast<double>(is_view ? layout.max_local_volume() / length(layout)
                                          : line_count(stage, axis));
  // If the array has only a part of each line, the whole line is transformed.
  return {kind, is_view ? length(layout) : plan.problem.shape[static_cast<std::size_t>(axis)],
          lines};
}

}  // namespace weft::model
