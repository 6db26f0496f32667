#pragma once

#include <cstdint>
#include <optional>

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Finds the widths of the panels that memory allows to a pass.
class PassFit {
 public:
  /// `problem` stays the caller's.
  explicit PassFit(const PassesProblem& problem);

  /// The pass with the widths of its panels; none if memory has no room for a block of columns.
  std::optional<FftPass> fitted(FftPass pass) const;
  /// Enough memory for a pass of this radix and a block of columns.
  std::int64_t enough_bytes(const FftPass& pass) const;

 private:
  std::optional<FftPass> fitted_mirrored(FftPass pass) const;
  std::int64_t tile_lines(std::int64_t length) const;
  std::int64_t panel_elements(const FftPass& pass, std::int64_t runs) const;
  std::int64_t beside_panels(const FftPass& pass, std::int64_t lines, std::int64_t runs) const;

  const PassesProblem& problem_;
  std::int64_t element_bytes_;
  std::int64_t block_;  ///< in complex numbers
};

}  // namespace weft::ooc
