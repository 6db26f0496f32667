#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "mpi/support/fft_check.hpp"
#include "mpi/support/same_error.hpp"

namespace weft::test_support {

inline constexpr double pi = std::numbers::pi;

inline FftOptions on_all_ranks(FftOptions options) {
  options.comm = MPI_COMM_WORLD;
  options.planning.plan_by = PlanBy::fixed_rule;
  return options;
}

inline FftOptions grid_options(const Shape& shape, const Kinds& kinds, int sign = -1) {
  FftOptions options;
  options.shape = shape;
  options.kinds = kinds;
  options.norm = Norm::backward;
  options.sign = sign;
  return on_all_ranks(options);
}

/// Makes an operator for a plan.
using Make = std::function<FieldFunction(const Plan&)>;
/// The value of a field at a position. Coordinates are fractions of the axes' lengths.
using Field = std::function<std::complex<double>(const std::vector<double>&)>;

template <class T>
T element_of(std::complex<double> value) {
  return static_cast<T>(value.real());
}
template <>
inline std::complex<float> element_of(std::complex<double> value) {
  return {static_cast<float>(value.real()), static_cast<float>(value.imag())};
}
template <>
inline std::complex<double> element_of(std::complex<double> value) {
  return value;
}

template <class E>
struct RealOf {
  using Type = E;
};
template <class T>
struct RealOf<std::complex<T>> {
  using Type = T;
};

/// Returns the local part of a field at the points of the grid.
template <class E, class T>
std::vector<E> sampled(const Fft<T>& fft, const Field& field) {
  const Problem& problem = fft.plan().problem;
  std::vector<E> values(static_cast<std::size_t>(fft.input_elements()));
  const Layout& layout = fft.input();
  for_each_local(layout.shape(), {fft.input_box(), layout.strides(fft.rank())},
                 [&](std::int64_t whole, std::int64_t local) {
                   std::vector<double> x(layout.shape().size());
                   for (std::size_t a = x.size(); a-- > 0; whole /= layout.shape()[a]) {
                     const auto i = static_cast<double>(whole % layout.shape()[a]);
                     const auto n = static_cast<double>(layout.shape()[a]);
                     x[a] = i / n;
                     if (std::count(problem.axes.begin(), problem.axes.end(), a) == 0) continue;
                     const Kind kind = problem.kind_of(static_cast<int>(a));
                     if (kind == Kind::dct2 || kind == Kind::dst2) x[a] = (i + 0.5) / n;
                     if (kind == Kind::dst1) x[a] = (i + 1) / (n + 1);
                   }
                   values[static_cast<std::size_t>(local)] = element_of<E>(field(x));
                 });
  return values;
}

template <class E, class T>
std::vector<std::vector<E>> applied(Fft<T>& fft, const FieldFunction& function,
                                    const std::vector<std::vector<E>>& fields,
                                    std::size_t outputs) {
  std::vector<std::vector<E>> results(
      outputs, std::vector<E>(static_cast<std::size_t>(fft.input_elements())));
  std::vector<const E*> in;
  std::vector<E*> out;
  for (const auto& field : fields) in.push_back(field.data());
  for (auto& result : results) out.push_back(result.data());
  fft.apply_in_spectrum({.function = function}, in, out);
  return results;
}

/// Expects an operator to turn the fields `given` into `wanted`. `tolerance` is in units of the
/// precision's epsilon times the largest value.
template <class E>
void expect_fields(const FftOptions& options, const Make& make, const std::vector<Field>& given,
                   const std::vector<Field>& wanted, double tolerance = 500) {
  using T = typename RealOf<E>::Type;
  Fft<T> fft(options);
  SCOPED_TRACE(fft.explain());
  std::vector<std::vector<E>> fields;
  for (const Field& field : given) fields.push_back(sampled<E>(fft, field));
  const auto results = applied(fft, make(fft.plan()), fields, wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::vector<E> exact = sampled<E>(fft, wanted[i]);
    double worst = 0;
    double largest = 1;
    for (std::size_t j = 0; j < exact.size(); ++j) {
      const auto error = static_cast<double>(std::abs(exact[j] - results[i][j]));
      worst = std::isnan(error) ? INFINITY : std::max(worst, error);
      largest = std::max(largest, static_cast<double>(std::abs(exact[j])));
    }
    EXPECT_LE(worst, tolerance * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest)
        << "component " << i;
  }
}

/// Calls expect_fields() for r2c and c2c on each shape in double precision, and on the first shape
/// also in single precision. Each kind has both signs.
inline void expect_everywhere(const std::vector<Shape>& shapes, const Make& make,
                              const std::vector<Field>& given, const std::vector<Field>& wanted,
                              double tolerance = 500) {
  for (const Shape& shape : shapes) {
    expect_fields<double>(grid_options(shape, Kind::r2c), make, given, wanted, tolerance);
    expect_fields<std::complex<double>>(grid_options(shape, Kind::c2c, +1), make, given, wanted,
                                        tolerance);
  }
  expect_fields<float>(grid_options(shapes.front(), Kind::r2c, +1), make, given, wanted, tolerance);
  expect_fields<std::complex<float>>(grid_options(shapes.front(), Kind::c2c), make, given, wanted,
                                     tolerance);
}

inline const std::vector<Shape> shapes{{8, 6, 10}, {7, 9, 5}};
inline const operators::Lengths lengths{1, 2, 3};

// A field on three axes. Because of the phase, its spectrum has real and imaginary parts.
inline constexpr double phase = 0.3;
inline double sine(double x) { return std::sin(2 * pi * x + phase); }
inline double cosine(double x) { return std::cos(2 * pi * x + phase); }
inline const Field wave = [](const std::vector<double>& x) {
  return std::complex<double>(sine(x[0]) * cosine(2 * x[1]) * sine(x[2]) + 0.5);
};

}  // namespace weft::test_support
