#pragma once

#include <cstdint>
#include <optional>

#include "kernel/lines.hpp"
#include "kernel/progress.hpp"
#include "kernel/row_twiddles.hpp"
#include "kernel/two_step_line.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Transforms the lines of one axis of a panel in memory, tile by tile. It gathers lines,
/// transforms them and multiplies by their twiddles in cache, and scatters them. It reads the panel
/// once, as [outers][radix][rests][inners]. It writes the panel once, as
/// [outers][rests][radix][inners]. If the axis is halved, the input or the output is real. A cosine
/// or sine transform without `parts` has reals on both sides.
class PanelLines {
 public:
  /// `twiddles` are the twiddles of the pass; nullptr if it has none. The caller keeps them alive
  /// as long as this object.
  /// Errors  those of Engine::lines.
  PanelLines(const KPass& pass, const PanelAxis& axis, const kernel::AxisTransform& transform,
             const kernel::LocalOptions& options, const kernel::RowTwiddles* twiddles);

  /// Memory  `from` and `to` are the same if the pass keeps the order of its elements and the axis
  ///         is not halved. Otherwise they do not overlap; only a c2r changes `from`. `tiles` is
  ///         scratch memory of memory_of().tile_bytes bytes, aligned to 64.
  /// Progress  if not nullptr, the calling thread polls it between tiles.
  void execute(const void* from, void* to, const Panel& panel, void* tiles,
               kernel::Progress* progress = nullptr) const;

 private:
  void execute_long(const char* from, char* to, std::int64_t lines, char* tiles,
                    kernel::Progress* progress) const;
  void multiply(char* tile, std::int64_t first, std::int64_t count, const Panel& panel) const;
  template <class Real>
  void multiply(char* tile, std::int64_t first, std::int64_t count, const Panel& panel,
                char* row) const;
  std::int64_t twiddle_index(std::int64_t line, const Panel& panel) const;

  PanelAxis axis_;
  std::int64_t source_length_;
  std::int64_t target_length_;
  TwiddleBy twiddle_;
  bool twiddles_first_;
  std::int64_t twiddle_step_;
  std::int64_t twiddle_columns_;
  const kernel::RowTwiddles* twiddles_;
  kernel::LocalOptions options_;
  std::int64_t source_element_bytes_;
  std::int64_t target_element_bytes_;
  std::int64_t pitch_bytes_;
  std::int64_t tile_lines_;
  kernel::LineRunner lines_;
  std::optional<kernel::TwoStepLine> long_line_;  ///< for contiguous lines longer than cache
};

}  // namespace weft::ooc
