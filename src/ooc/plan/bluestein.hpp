#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ooc/plan/panel_size.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Bluestein's algorithm on disks for an array of one axis of n points: jk = (j^2 + k^2 - (k-j)^2)/2
/// makes of the transform a convolution with a chirp, done by transforms of P >= 2n - 1 points, P of
/// factors 2, 3 and 5. These leave the digits in the opposite order, which the way back puts right,
/// so that all passes are in place.
struct BluesteinPasses {
  std::int64_t points = 0;        ///< P
  std::vector<KPass> passes;      ///< k radices: k of the kernel, then 2k - 1
  std::size_t kernel_passes = 0;  ///< k
};

/// None where memory is too small for them as well.
std::optional<BluesteinPasses> bluestein_passes(const KPassProblem& problem, const PanelSizer& fit);

}  // namespace weft::ooc
