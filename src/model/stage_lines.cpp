#include "model/stage_lines.hpp"

#include "plan/kinds.hpp"
#include "plan/line_view.hpp"

namespace weft::model {

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
      parts * static_cast<double>(layout.max_local_volume()) / static_cast<double>(length(layout));
  // If the array has only a part of each line, the whole line is transformed.
  return {kind, is_view ? length(layout) : plan.problem.shape[static_cast<std::size_t>(axis)],
          lines};
}

}  // namespace weft::model
