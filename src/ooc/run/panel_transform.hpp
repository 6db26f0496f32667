#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/memory.hpp"
#include "ooc/passes.hpp"
#include "ooc/run/panel_lines.hpp"
#include "ooc/run/run_passes.hpp"
#include "ooc/twiddles.hpp"

namespace weft::ooc {

/// What a pass does to a panel while it is in memory, and the tables and tiles for it.
class PanelTransform {
 public:
  /// The plan stays the caller's. Errors  those of the engine, and out_of_memory.
  PanelTransform(const FftPasses& plan, std::size_t index, const PassesOptions& options);

  /// Memory  as PanelLines::execute, for one part after the other.
  void execute(const std::vector<Panel>& parts, const char* from, char* to) const;

  std::int64_t held_bytes() const;

 private:
  void make_lines(const PassesOptions& options, bool is_last);

  const PassesProblem& problem_;
  const FftPass& pass_;
  std::int64_t element_bytes_;
  AlignedBuffer tiles_;
  std::optional<Twiddles> twiddles_;
  std::vector<PanelLines> lines_;
};

}  // namespace weft::ooc
