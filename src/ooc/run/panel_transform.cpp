#include "ooc/run/panel_transform.hpp"

#include "kernel/finite.hpp"
#include "ooc/run/bluestein.hpp"
#include "ooc/run/convert.hpp"
#include "ooc/run/paired_reals.hpp"
#include "ooc/run/panel_ends.hpp"

namespace weft::ooc {

PanelTransform::PanelTransform(const KPassPlan& plan, std::size_t index, const PassOptions& options)
    : problem_(plan.problem),
      pass_(plan.passes[index]),
      sign_(pass_.other_sign ? -options.sign : options.sign),
      found_not_finite_(index == plan.kernel_passes ? options.found_not_finite : nullptr),
      tiles_(memory_of(plan, pass_).tile_bytes) {
  if (pass_.has_twiddles()) twiddles_.emplace(pass_.twiddle_length, sign_);
  if (pass_.chirp != Chirp::none) chirp_roots_.emplace(2 * pass_.chirp_length, options.sign);
  make_lines(options, index + 1 == plan.passes.size());
  if (pass_.filters) filter_.emplace(plan, pass_, options.sign);
}

void PanelTransform::make_lines(const PassOptions& options, bool is_last) {
  const long double scale = is_last ? options.scale * pass_.scale : 1;
  for (const PanelAxis& axis : pass_.axes) {
    const bool ends = !pass_.turns() && &axis == &pass_.axes.back();
    add_lines(lines_, options, axis, sign_, ends ? scale : 1);
  }
  if (!pass_.turns()) return;
  for (auto axis = pass_.axes.rbegin(); axis != pass_.axes.rend(); ++axis) {
    const bool ends = &*axis == &pass_.axes.front();
    add_lines(lines_back_, options, *axis, -sign_, ends ? scale : 1);
  }
}

void PanelTransform::add_lines(std::vector<PanelLines>& lines, const PassOptions& options,
                               const PanelAxis& axis, int sign, long double scale) {
  using kernel::LineKind;
  const kernel::LocalOptions local{
      .engine = options.engine != nullptr ? options.engine
                                          : &kernel::default_engine(axis.kind, problem_.precision),
      .precision = problem_.precision,
      .effort = options.effort,
      .threads = problem_.threads};
  kernel::AxisTransform transform{.kind = sign < 0 ? LineKind::c2c_forward : LineKind::c2c_backward,
                                  .length = axis.length,
                                  .scale = scale};
  if (keeps_elements(axis.kind)) {
    transform.kind = kernel::line_kind(axis.kind, Direction::forward);
    transform.parts = !problem_.keeps_reals();
    if (options.orthogonal) transform.ends = kernel::orthogonal_ends(axis.kind);
  }
  if (axis.is_halved()) {
    const bool makes_reals = &lines == &lines_back_ || !pass_.reads_reals;
    transform.kind = makes_reals ? LineKind::c2r : LineKind::r2c;
    transform.conjugate_output = !makes_reals && sign > 0;
    transform.conjugate_input = makes_reals && sign < 0;
  }
  const bool multiplies = pass_.twiddle != TwiddleBy::none;
  lines.emplace_back(pass_, axis, transform, local, multiplies ? &*twiddles_ : nullptr);
}

void PanelTransform::execute(const std::vector<Panel>& parts, char* from, char* to,
                             kernel::Progress* progress) const {
  prepare(parts, from);
  if (pass_.turns())
    turn(parts[0], from, to, progress);
  else
    transform_lines(parts, from, to, progress);
  if (pass_.unpacks_reals)
    unpack_reals(pass_, parts, *twiddles_, problem_.precision, problem_.threads, to);
  if (pass_.chirp == Chirp::last)
    multiply_by_chirp(pass_, parts[0], *chirp_roots_, problem_.precision, problem_.threads, to);
  if (pass_.writes_reals && !pass_.halves()) keep_real_parts(pass_, parts, problem_.precision, to);
}

void PanelTransform::prepare(const std::vector<Panel>& parts, char* panel) const {
  if (pass_.converts) convert_source(parts, panel);
  if (found_not_finite_ != nullptr) look_for_not_finite(parts, panel);
  if (pass_.chirp == Chirp::kernel)
    make_kernel(pass_, parts[0], *chirp_roots_, problem_.precision, problem_.threads, panel);
  else if (pass_.completes_source())
    complete_source(pass_, parts, problem_.precision, panel);
  if (pass_.chirp == Chirp::first)
    multiply_by_chirp(pass_, parts[0], *chirp_roots_, problem_.precision, problem_.threads, panel);
  if (pass_.packs_reals)
    pack_reals(pass_, parts, *twiddles_, problem_.precision, problem_.threads, panel);
}

std::int64_t PanelTransform::elements_read(const std::vector<Panel>& parts) const {
  std::int64_t count = 0;
  for (const RunGrid& grid : reads_of(pass_, parts)) count += grid.runs() * grid.length;
  return count;
}

void PanelTransform::look_for_not_finite(const std::vector<Panel>& parts, const char* panel) const {
  const bool is_real = pass_.reads_reals || problem_.keeps_reals();
  const std::int64_t reals = elements_read(parts) * (is_real ? 1 : 2);
  if (!*found_not_finite_ &&
      !kernel::all_finite(problem_.precision, reals, problem_.threads, panel))
    *found_not_finite_ = true;
}

void PanelTransform::convert_source(const std::vector<Panel>& parts, char* panel) const {
  const std::int64_t count = elements_read(parts);
  convert(*problem_.input_type, problem_.precision, !problem_.real_input,
          reads_pairs(problem_, pass_) ? 2 * count : count, problem_.threads, panel);
}

/// The lines of one axis move the panel from one buffer to the other. This is the last axis if the
/// output of the pass is real, otherwise the first. The other axes are transformed in place.
void PanelTransform::transform_lines(const std::vector<Panel>& parts, char* from, char* to,
                                     kernel::Progress* progress) const {
  const std::size_t moving = pass_.writes_reals ? lines_.size() - 1 : 0;
  std::int64_t offset = 0;
  for (const Panel& panel : parts) {
    for (std::size_t k = 0; k < lines_.size(); ++k)
      lines_[k].execute((k <= moving ? from : to) + offset, (k < moving ? from : to) + offset,
                        panel, tiles_.data(), progress);
    offset += elements(pass_, panel) * problem_.element_bytes();
  }
}

/// The first axis of the forward transform moves the panel to the other buffer. The last axis of
/// the backward transform moves it back. Without halved axes both buffers are the same.
void PanelTransform::turn(const Panel& panel, char* from, char* to,
                          kernel::Progress* progress) const {
  for (const PanelLines& lines : lines_)
    lines.execute(&lines == &lines_.front() ? from : to, to, panel, tiles_.data(), progress);
  if (pass_.filters)
    filter_->execute(panel, to);
  else
    multiply_by_kernel(elements(pass_, panel), problem_.precision, problem_.threads, to);
  for (const PanelLines& lines : lines_back_)
    lines.execute(to, &lines == &lines_back_.back() ? from : to, panel, tiles_.data(), progress);
}

std::int64_t PanelTransform::held_bytes() const {
  const auto table = [](const std::optional<kernel::RowTwiddles>& twiddles) {
    return twiddles ? kernel::RowTwiddles::table_bytes(twiddles->length()) : 0;
  };
  return tiles_.size() + table(twiddles_) + table(chirp_roots_);
}

}  // namespace weft::ooc
