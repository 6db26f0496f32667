#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "weft/field_work.hpp"
#include "weft/kind.hpp"
#include "weft/plan.hpp"
#include "weft/precision.hpp"

/// Ready-made functions of spectra. Each can be the function of Fft::apply_in_spectrum, or `before`
/// or `after` of Fft::apply_in_space.
///
/// Each maker below takes the plan of the transform. The maker throws invalid_argument for a broken
/// rule, and unsupported if the operator does not exist for the kinds or the plan. The returned
/// function throws invalid_argument for a wrong number of fields, or for tiles of another plan.
///
/// Fields     an operator of one field takes any number of fields, and changes each of them alone.
///            Component i of a vector belongs to Problem::axes[i], and d is the number of
///            transformed axes. Axes that are not transformed are a batch.
/// Nyquist    the element n/2 of an even number n of points (m/2 of an even number m of modes)
///            represents the wavenumbers n/2 and -n/2 together. Odd derivatives, and each component
///            of gradient, divergence, curl and project, take the wavenumber of this element as
///            zero. The other operators use (n/2)^2, unless their description says otherwise.
/// Ranks      all ranks must make the same operator. A call fails with disagreement if the
///            operator's name, a parameter or a length differs between ranks. The elements of
///            arrays are not compared.
/// Scale      operators keep the scale of the transform: with Norm::none a round trip multiplies by
///            the number of points. Only convolution() and correlation() contain the scale.
namespace weft::operators {

/// The length of the box along the transformed axes: one for all, or one for each of Problem::axes,
/// in their order. Empty: 2*pi for all. On cosine and sine axes it is the length between the
/// boundaries.
using Lengths = std::vector<double>;

/// Returns the derivative of some order, 1 or more, along a transformed axis. Negative axes count
/// from the end. An odd order needs a Fourier axis, and makes the Nyquist element of this axis
/// zero; an even order keeps it. Elements with k = 0 along the axis become zero.
FieldFunction derivative(const Plan& plan, int axis, std::int64_t order = 1,
                         const Lengths& lengths = {});

/// 1 field to d components. Needs Fourier axes. The Nyquist element of an axis becomes zero in this
/// axis' component, and k = 0 in all.
FieldFunction gradient(const Plan& plan, const Lengths& lengths = {});
/// d components to 1 field. Needs Fourier axes. The Nyquist element of an axis gets nothing from
/// this axis' component. k = 0 becomes zero.
FieldFunction divergence(const Plan& plan, const Lengths& lengths = {});
/// 3 components to 3. Needs three transformed axes, all of them Fourier axes. The Nyquist element
/// of an axis has no derivative along this axis. k = 0 becomes zero.
FieldFunction curl(const Plan& plan, const Lengths& lengths = {});
/// Returns the projection of a vector onto fields without divergence: d components to d. Needs
/// Fourier axes. The Nyquist element of an axis has the wavenumber 0 along it, as in divergence().
/// Elements whose wavenumbers are all zero, such as k = 0, are unchanged.
FieldFunction project(const Plan& plan, const Lengths& lengths = {});

/// Multiplies all elements by -|k|^2, Nyquist elements included. The element k = 0 becomes zero.
FieldFunction laplacian(const Plan& plan, const Lengths& lengths = {});
/// Divides all elements by -|k|^2, Nyquist elements included. The element k = 0 becomes zero.
FieldFunction inverse_laplacian(const Plan& plan, const Lengths& lengths = {});
/// Solves alpha*u - laplacian(u) = f: divides all elements by alpha + |k|^2, Nyquist elements
/// included. Elements where this sum is zero become zero. So k = 0 is divided by alpha, or becomes
/// zero if alpha is 0.
FieldFunction solve_helmholtz(const Plan& plan, double alpha, const Lengths& lengths = {});

/// Multiplies all elements by exp(-|k|^2 sigma^2 / 2), Nyquist elements included. This is the
/// convolution with a Gaussian of the standard deviation sigma. The element k = 0 is unchanged.
FieldFunction gaussian(const Plan& plan, double sigma, const Lengths& lengths = {});
/// Keeps the elements with low <= |k| <= high, Nyquist elements included. So k = 0 is kept if low
/// is not above 0. A |k| that only rounding moves past a limit is kept too. The other elements
/// become zero.
FieldFunction band_pass(const Plan& plan, double low, double high, const Lengths& lengths = {});

/// Moves fields by an offset, in units of the box's length: u(x) becomes u(x - offset*L). There is
/// one offset for all transformed axes, or one for each. The Nyquist element is multiplied by the
/// cosine of its phase, the mean of the factors of its two wavenumbers. The element k = 0 is
/// unchanged. Needs Fourier axes.
FieldFunction shift(const Plan& plan, const std::vector<double>& offsets);

/// One number for each element of a rank's box of Plan::output(), dense in memory order. The array
/// is not copied, so it must exist until the last call.
struct SpectrumArray {
  /// `data` may be null if the box is empty.
  template <class T>
  SpectrumArray(std::int64_t of_rank, const T* data)
      : rank(of_rank), numbers(data), element(Element::real), precision(precision_of<T>()) {}
  template <class T>
  SpectrumArray(std::int64_t of_rank, const std::complex<T>* data)
      : rank(of_rank), numbers(data), element(Element::complex), precision(precision_of<T>()) {}
  /// For callers that know the type at run time.
  SpectrumArray(std::int64_t of_rank, const void* data, Element of_element, Precision of_precision)
      : rank(of_rank), numbers(data), element(of_element), precision(of_precision) {}

  std::int64_t rank = 0;
  const void* numbers = nullptr;
  Element element = Element::complex;
  Precision precision = Precision::f64;

 private:
  template <class T>
  static constexpr Precision precision_of() {
    static_assert(
        std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, long double>,
        "a spectrum has numbers of float, double or long double");
    return std::is_same_v<T, float>    ? Precision::f32
           : std::is_same_v<T, double> ? Precision::f64
                                       : Precision::f80;
  }
};

/// A transfer function: multiplies each element by one number of an array. Nyquist elements and the
/// element k = 0 are included. If the spectrum is real, the array must be real. The spectrum must
/// have the boxes of Plan::output(), as with OutputChoice::any.
FieldFunction transfer(const Plan& plan, const SpectrumArray& factors);

/// Multiplies by the spectrum of another field. apply_in_spectrum then gives the circular
/// convolution of both fields for each Norm: result[j] is the sum of other[i] * field[j-i]. `other`
/// is the result of forward of the same plan. Nyquist elements and k = 0 are multiplied like all
/// others. Needs Fourier axes, and boxes as for transfer().
FieldFunction convolution(const Plan& plan, const SpectrumArray& other);
/// As convolution(), but multiplies by the conjugate of the spectrum: result[j] is the sum of
/// conj(other[i]) * field[j+i].
FieldFunction correlation(const Plan& plan, const SpectrumArray& other);

}  // namespace weft::operators
