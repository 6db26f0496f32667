#pragma once

#include <cstdint>
#include <optional>

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Finds the panel widths that memory allows for a pass.
class PanelSizer {
 public:
  /// The caller keeps `problem` alive.
  explicit PanelSizer(const KPassProblem& problem);

  /// Returns the pass with the widths of its panels. Returns nullopt if memory is too small for a
  /// block of columns.
  std::optional<KPass> fitted(KPass pass) const;
  /// Returns a number of bytes that suffices for this pass with one block of columns in a panel.
  std::int64_t enough_bytes(const KPass& pass) const;

 private:
  std::optional<KPass> fitted_mirrored(KPass pass) const;
  std::int64_t tile_lines(std::int64_t length) const;
  std::int64_t panel_elements(const KPass& pass, std::int64_t runs) const;
  std::int64_t bytes_without_panels(const KPass& pass, std::int64_t lines, std::int64_t runs) const;

  const KPassProblem& problem_;
  std::int64_t element_bytes_;
  std::int64_t block_;  ///< in elements
};

}  // namespace weft::ooc
