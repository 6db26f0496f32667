#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <weft/boundary.hpp>
#include <weft/plan.hpp>

namespace weft {

/// A problem laplacian(u) = rho on a box. Plain data; the members are those of PoissonOptions.
struct PoissonProblem {
  Shape shape = {};
  std::vector<AxisEnds> boundary = {};
  GridPoints points = GridPoints::cells;
  std::vector<double> lengths = {};
  PoissonOrder order = PoissonOrder::spectral;
  Element element = Element::real;
  Precision precision = Precision::f64;
  std::optional<Layout> layout = {};
  int threads = 1;
};

/// The factor by which the element of each wavenumber is multiplied.
///   inverse_laplacian  -1 / |k|^2
///   differences        -1 / |k|^2 with the wavenumbers of centred differences
///   free_potential     the spectrum of the potential of a charge in free space
///   truncated_kernel   the spectrum of that potential, which is set to 0 beyond a radius
enum class PoissonMethod { inverse_laplacian, differences, free_potential, truncated_kernel };

/// Returns a description of a method, such as "divided by -|k|^2".
const char* to_string(PoissonMethod);

/// The grid of a Poisson problem, and the transform that fits its boundaries.
struct PoissonGrid {
  Problem transform = {};            ///< its shape is padded if boundaries are open
  std::vector<double> lengths = {};  ///< of the transform's box, by axis
  std::vector<double> steps = {};    ///< between points, by axis
  PoissonMethod method = PoissonMethod::inverse_laplacian;
  double radius = 0;           ///< of the truncated kernel; 0 unless boundaries are open
  bool has_zero_mode = false;  ///< a constant may be added to u
};

/// Returns the grid for a problem. Throws invalid_argument with the rule, the value and the remedy.
PoissonGrid poisson_grid(const PoissonProblem& problem, std::int64_t ranks);

}  // namespace weft
