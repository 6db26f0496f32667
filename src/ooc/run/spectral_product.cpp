#include "ooc/run/spectral_product.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numbers>

#include "base/operator_factors.hpp"
#include "base/rounding.hpp"

namespace weft::ooc {
namespace {

/// Elements that a thread multiplies at a time.
constexpr std::int64_t stretch_elements = 8192;

}  // namespace

SpectralProduct::SpectralProduct(const KPassPlan& plan, const KPass& pass, int sign)
    : problem_(plan.problem), filter_(*plan.problem.filter), pass_(pass), sign_(sign) {
  for (std::size_t axis = 0; axis < problem_.shape.size(); ++axis) {
    SpectrumAxis made{.radices = plan.spectrum_radices[axis], .points = problem_.shape[axis]};
    for (const std::int64_t radix : made.radices) made.places *= radix;
    axes_.push_back(made);
  }
  for (std::size_t i = 0; i < problem_.axes.size(); ++i)
    axes_[static_cast<std::size_t>(problem_.axes[i])].unit =
        static_cast<double>(2 * std::numbers::pi_v<long double> / filter_.lengths[i]);
}

void SpectralProduct::execute(const Panel& panel, void* memory) const {
  const std::int64_t count = elements(pass_, panel);
  const std::int64_t stretches = divided_up(count, stretch_elements);
#pragma omp parallel for num_threads(problem_.threads) if (problem_.threads > 1)
  for (std::int64_t i = 0; i < stretches; ++i) {
    const std::int64_t first = i * stretch_elements;
    const std::int64_t end = std::min(count, first + stretch_elements);
    if (problem_.precision == Precision::f32)
      multiply(panel, first, end, static_cast<std::complex<float>*>(memory));
    else
      multiply(panel, first, end, static_cast<std::complex<double>*>(memory));
  }
}

template <class Real>
void SpectralProduct::multiply(const Panel& panel, std::int64_t first, std::int64_t end,
                               std::complex<Real>* memory) const {
  while (first < end) {
    SpectrumRow row = row_at(panel, first);
    row.count = std::min(row.count, end - first);
    if (filter_.kind == FilterKind::derivative)
      multiply_by_derivative(row, memory + first);
    else
      multiply_row(row, memory + first);
    first += row.count;
  }
}

/// Returns the row from an element of the panel on.
SpectralProduct::SpectrumRow SpectralProduct::row_at(const Panel& panel,
                                                     std::int64_t element) const {
  const std::int64_t column = element % panel.inners;
  std::int64_t position =
      (panel.outer * pass_.radix + element / panel.inners) * pass_.inner + panel.inner + column;
  const std::int64_t adjacent = panel.inners == pass_.inner
                                    ? std::numeric_limits<std::int64_t>::max()
                                    : panel.inners - column;
  SpectrumRow row;
  for (std::size_t axis = axes_.size(); axis-- > 0;) {
    const std::int64_t place = position % axes_[axis].places;
    position /= axes_[axis].places;
    if (axis + 1 == axes_.size()) {
      row.first = place;
      row.count = std::min(axes_[axis].places - place, adjacent);
      continue;
    }
    const double k = wavenumber(axis, place);
    row.square += k * k;
    if (static_cast<int>(axis) == filter_.axis) row.derived = derived_wavenumber(axis, place);
  }
  return row;
}

double SpectralProduct::wavenumber(std::size_t axis, std::int64_t place) const {
  const SpectrumAxis& along = axes_[axis];
  if (along.unit == 0) return 0;
  const std::int64_t k = along.radices.size() == 1 ? place : element_of_place(along.radices, place);
  return along.unit * static_cast<double>(signed_wavenumber(k, along.points));
}

/// Returns the wavenumber for a derivative. For odd orders it is 0 in the element that represents
/// n/2 and -n/2.
double SpectralProduct::derived_wavenumber(std::size_t axis, std::int64_t place) const {
  const SpectrumAxis& along = axes_[axis];
  const std::int64_t k = along.radices.size() == 1 ? place : element_of_place(along.radices, place);
  return filter_.order % 2 != 0 && 2 * k == along.points ? 0 : wavenumber(axis, place);
}

template <class Real>
void SpectralProduct::multiply_row(const SpectrumRow& row, std::complex<Real>* line) const {
  const auto multiply = [&](auto&& factor) {
    for (std::int64_t i = 0; i < row.count; ++i) {
      const double k = wavenumber(axes_.size() - 1, row.first + i);
      line[i] *= static_cast<Real>(factor(row.square + k * k));
    }
  };
  const std::vector<double>& given = filter_.numbers;
  switch (filter_.kind) {
    case FilterKind::gaussian:
      return multiply([sigma = given[0]](double square) { return gaussian_factor(square, sigma); });
    case FilterKind::band_pass:
      return multiply(BandFactor<double>(given[0], given[1], std::numeric_limits<Real>::epsilon()));
    case FilterKind::laplacian:
      return multiply([](double square) { return -square; });
    case FilterKind::inverse_laplacian:
      return multiply([](double square) { return -inverse_or_zero(square); });
    case FilterKind::helmholtz:
      return multiply(
          [alpha = given[0]](double square) { return inverse_or_zero(alpha + square); });
    case FilterKind::derivative:
      break;  // multiply_by_derivative()
  }
}

template <class Real>
void SpectralProduct::multiply_by_derivative(const SpectrumRow& row,
                                             std::complex<Real>* line) const {
  const std::size_t last = axes_.size() - 1;
  const bool is_along = filter_.axis == static_cast<int>(last);
  const bool is_odd = filter_.order % 2 != 0;
  for (std::int64_t i = 0; i < row.count; ++i) {
    const double k = is_along ? derived_wavenumber(last, row.first + i) : row.derived;
    const auto factor = static_cast<Real>(derivative_factor(-sign_ * k, filter_.order));
    const std::complex<Real> scaled = factor * line[i];
    line[i] = is_odd ? std::complex<Real>(-scaled.imag(), scaled.real()) : scaled;
  }
}

}  // namespace weft::ooc
