#pragma once

#include <weft/field_work.hpp>

#include "api/handle.hpp"
#include "base/memory.hpp"
#include "plan/poisson_grid.hpp"

namespace weft::api {

/// The function of spectra that solves a Poisson problem, and the array of factors that it reads.
struct PoissonFunction {
  FieldFunction function = {};
  AlignedBuffer factors = {};  ///< of open boundaries, in the layout of the spectrum
};

/// Makes the function for a transform of the grid. If a constant may be added to u (has_zero_mode),
/// the results of the function are the mean of rho: its real part and, for complex numbers, its
/// imaginary part. Collective.
PoissonFunction poisson_function(const PoissonGrid& grid, const Handle& fft);

}  // namespace weft::api
