#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/memory.hpp"
#include "kernel/row_twiddles.hpp"
#include "ooc/plan/pass_plan.hpp"
#include "ooc/run/panel_lines.hpp"
#include "ooc/run/pass_executor.hpp"
#include "ooc/run/spectral_product.hpp"

namespace weft::ooc {

/// The work of a pass on a panel in memory, with its tables and tiles.
class PanelTransform {
 public:
  /// The caller keeps the plan alive.
  /// Errors    those of the engine, and out_of_memory.
  PanelTransform(const KPassPlan& plan, std::size_t index, const PassOptions& options);

  /// Memory    `to` is `from` if the pass transforms in place, otherwise another buffer. If
  ///           pass.ends_in_source(), the result is in `from` and the other buffer is scratch
  ///           memory; otherwise it is in `to`.
  /// Progress  if not nullptr, the calling thread polls it between tiles.
  void execute(const std::vector<Panel>& parts, char* from, char* to,
               kernel::Progress* progress = nullptr) const;

  std::int64_t held_bytes() const;

 private:
  void make_lines(const PassOptions& options, bool is_last);
  void add_lines(std::vector<PanelLines>& lines, const PassOptions& options, const PanelAxis& axis,
                 int sign, long double scale);
  std::int64_t elements_read(const std::vector<Panel>& parts) const;
  void convert_source(const std::vector<Panel>& parts, char* panel) const;
  void look_for_not_finite(const std::vector<Panel>& parts, const char* panel) const;
  void prepare(const std::vector<Panel>& parts, char* panel) const;
  void transform_lines(const std::vector<Panel>& parts, char* from, char* to,
                       kernel::Progress* progress) const;
  void turn(const Panel& panel, char* from, char* to, kernel::Progress* progress) const;

  const KPassProblem& problem_;
  const KPass& pass_;
  int sign_;
  bool* found_not_finite_;  ///< nullptr in passes that read no input
  AlignedBuffer tiles_;
  std::optional<kernel::RowTwiddles> twiddles_;
  std::optional<kernel::RowTwiddles> chirp_roots_;
  std::vector<PanelLines> lines_;
  std::vector<PanelLines> lines_back_;  ///< backward transforms of a pass that turns
  std::optional<SpectralProduct> filter_;
};

}  // namespace weft::ooc
