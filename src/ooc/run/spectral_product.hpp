#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <vector>

#include <weft/precision.hpp>

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// The product of a spectrum in panels with the factors of the plan's filter.
class SpectralProduct {
 public:
  /// `sign` is the sign of the exponent of the forward transform. The caller keeps the plan alive.
  SpectralProduct(const KPassPlan& plan, const KPass& pass, int sign);

  /// Multiplies a panel, [outers][radix][inners].
  void execute(const Panel& panel, void* memory) const;

 private:
  /// Wavenumbers along one axis of the array: number * unit.
  struct SpectrumAxis {
    std::vector<std::int64_t> radices;  ///< see element_of_place()
    std::int64_t places = 1;            ///< their product
    std::int64_t points = 1;  ///< n of the transform; for half a spectrum more than `places`
    double unit = 0;          ///< 0: not transformed
  };
  /// Elements that follow each other along the last axis, and the wavenumbers of the other axes.
  struct SpectrumRow {
    std::int64_t first = 0;  ///< place of the first element along the last axis
    std::int64_t count = 0;
    double square = 0;   ///< the sum of the squares of these wavenumbers
    double derived = 0;  ///< the wavenumber of the derivative's axis
  };

  template <class Real>
  void multiply(const Panel& panel, std::int64_t first, std::int64_t end,
                std::complex<Real>* memory) const;
  SpectrumRow row_at(const Panel& panel, std::int64_t element) const;
  template <class Real>
  void multiply_row(const SpectrumRow& row, std::complex<Real>* line) const;
  template <class Real>
  void multiply_by_derivative(const SpectrumRow& row, std::complex<Real>* line) const;
  double wavenumber(std::size_t axis, std::int64_t place) const;
  double derived_wavenumber(std::size_t axis, std::int64_t place) const;

  const KPassProblem& problem_;
  const SpectralFilter& filter_;
  const KPass& pass_;
  int sign_;
  std::vector<SpectrumAxis> axes_;
};

}  // namespace weft::ooc
