#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ooc/plan/panel_size.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Bluestein's algorithm on disks, for an array of one axis of n points. With jk = (j^2 + k^2 -
/// (k-j)^2)/2 the transform becomes a convolution with a chirp. The convolution uses transforms of
/// P >= 2n - 1 points, where P has the factors 2, 3 and 5. The forward transforms leave the digits
/// in opposite order, and the inverse transform restores the order. So no pass moves elements.
struct BluesteinPasses {
  std::int64_t points = 0;        ///< P
  std::vector<KPass> passes;      ///< for k radices: k passes that make the kernel, then 2k - 1
                                  ///< passes
  std::size_t kernel_passes = 0;  ///< k
};

/// Returns the passes. Returns nullopt if memory is too small even for these passes.
std::optional<BluesteinPasses> bluestein_passes(const KPassProblem& problem, const PanelSizer& fit);

}  // namespace weft::ooc
