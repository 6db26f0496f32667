#pragma once

#include <cstdint>
#include <vector>

#include <weft/layout.hpp>
#include <weft/precision.hpp>

namespace weft::ooc {

/// Operators that multiply each element of a spectrum by a number. k is the element's wavenumber.
enum class FilterKind {
  gaussian,           ///< exp(-|k|^2 sigma^2 / 2)
  band_pass,          ///< 1 if low <= |k| <= high, otherwise 0
  derivative,         ///< (i k_axis)^order; for odd orders 0 in the element that represents n/2 and
                      ///< -n/2
  laplacian,          ///< -|k|^2
  inverse_laplacian,  ///< -1/|k|^2, and 0 for k = 0
  helmholtz           ///< 1/(alpha + |k|^2), or 0 if this is infinite
};
const char* to_string(FilterKind);

/// A filter of an array: its spectrum is multiplied by the operator's factors. check_filter()
/// checks these rules:
///   numbers   finite: sigma; low and high with low <= high and high >= 0; alpha; otherwise none
///   axis      of a derivative: one of the transformed axes
///   order     of a derivative: 1 or more, and its factors do not overflow
///   lengths   one for each of the transformed axes, more than 0 and finite
struct SpectralFilter {
  FilterKind kind = FilterKind::gaussian;
  std::vector<double> numbers = {};
  int axis = 0;
  std::int64_t order = 1;
  std::vector<double> lengths = {};  ///< of the box, in the order of the problem's axes
  friend bool operator==(const SpectralFilter&, const SpectralFilter&) = default;
};

struct KPassProblem;
/// Throws Error(invalid_argument) if a rule is broken.
void check_filter(const KPassProblem& problem);

/// Returns the wavenumber of element k of n along a Fourier axis, in units of 2*pi/L.
inline std::int64_t signed_wavenumber(std::int64_t k, std::int64_t n) {
  return 2 * k < n ? k : k - n;
}

/// Returns the index k of the element that is stored at a place along one axis of a spectrum on
/// disks. `radices` has the radix of each pass. The most significant digit of the place is k modulo
/// the first radix. If there is only one radix, k equals the place.
std::int64_t element_of_place(const std::vector<std::int64_t>& radices, std::int64_t place);

}  // namespace weft::ooc
