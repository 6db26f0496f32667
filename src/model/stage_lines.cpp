#include "model/stage_lines.hpp"

#include "plan/line_view.hpp"

namespace weft::model {

StageLines lines_along(const Plan& plan, const Stage& given, int axis) {
  const Stage stage = seen(given);
  const auto length = [&](const Layout& layout) {
    return layout.shape()[static_cast<std::size_t>(axis)];
  };
  // Lines that are halved, zero-padded or truncated are as long as their longer side.
  const Layout& layout = length(stage.source) > length(stage.target) ? stage.source : stage.target;
  const bool is_real = plan.problem.halves(axis) && !plan.convolves();
  return {is_real ? Kind::r2c : Kind::c2c, length(layout),
          static_cast<double>(layout.max_local_volume()) / static_cast<double>(length(layout))};
}

}  // namespace weft::model
