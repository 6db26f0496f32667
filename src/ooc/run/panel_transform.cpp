#include "ooc/run/panel_transform.hpp"

#include "ooc/run/unpack_reals.hpp"

namespace weft::ooc {

PanelTransform::PanelTransform(const FftPasses& plan, std::size_t index,
                               const PassesOptions& options)
    : problem_(plan.problem),
      pass_(plan.passes[index]),
      element_bytes_(plan.element_bytes),
      tiles_(memory_of(plan, pass_).tile_bytes) {
  if (pass_.has_twiddles()) twiddles_.emplace(pass_.twiddle_length, options.sign);
  make_lines(options, index + 1 == plan.passes.size());
}

void PanelTransform::make_lines(const PassesOptions& options, bool is_last) {
  kernel::LocalOptions local{
      .engine = options.engine != nullptr ? options.engine : &kernel::default_engine(),
      .precision = problem_.precision,
      .effort = options.effort,
      .threads = problem_.threads};
  for (const PanelAxis& axis : pass_.axes) {
    kernel::AxisTransform transform{
        .kind = options.sign < 0 ? kernel::LineKind::c2c_forward : kernel::LineKind::c2c_backward,
        .length = axis.length};
    if (is_last && &axis == &pass_.axes.back()) transform.scale = options.scale;
    const bool multiplies = pass_.twiddle != TwiddleBy::none;
    lines_.emplace_back(pass_, axis, transform, local, multiplies ? &*twiddles_ : nullptr);
  }
}

void PanelTransform::execute(const std::vector<Panel>& parts, const char* from, char* to) const {
  std::int64_t offset = 0;
  for (const Panel& panel : parts) {
    for (const PanelLines& lines : lines_)
      lines.execute(from + offset, to + offset, panel, tiles_.data());
    offset += elements(pass_, panel) * element_bytes_;
  }
  if (pass_.unpacks_reals)
    unpack_reals(pass_, parts, *twiddles_, problem_.precision, problem_.threads, to);
}

std::int64_t PanelTransform::held_bytes() const {
  return tiles_.size() + (twiddles_ ? Twiddles::table_bytes(twiddles_->length()) : 0);
}

}  // namespace weft::ooc
