#pragma once

#include <weft/field_work.hpp>

#include "api/handle.hpp"
#include "base/memory.hpp"
#include "plan/poisson_grid.hpp"

namespace weft::api {

/// The function of spectra that solves a Poisson problem, and the numbers that it reads.
struct PoissonFunction {
  FieldFunction function = {};
  AlignedBuffer factors = {};  ///< of open boundaries, in the layout of the spectrum
};

/// Makes the function for a transform of the grid. Where the grid has a zero mode, the function's
/// results are the mean of rho, and of complex numbers its imaginary part. Collective.
PoissonFunction poisson_function(const PoissonGrid& grid, const Handle& fft);

}  // namespace weft::api
