// The operators of spectra that weft provides, against analytic fields.
#include "mpi/support/operator_check.hpp"

namespace weft::test_support {
namespace {

using operators::Lengths;

TEST(Operators, DerivativesMatchAnalyticFields) {
  const auto of = [](int axis, int order) {
    return [=](const Plan& plan) { return operators::derivative(plan, axis, order, lengths); };
  };
  expect_everywhere(shapes, of(0, 1), {wave}, {[](auto& x) {
                      return 2 * pi * cosine(x[0]) * cosine(2 * x[1]) * sine(x[2]);
                    }});
  expect_everywhere(shapes, of(-2, 1), {wave},
                    {[](auto& x) { return -2 * pi * sine(x[0]) * sine(2 * x[1]) * sine(x[2]); }});
  expect_everywhere(shapes, of(2, 3), {wave, wave}, std::vector<Field>(2, [](auto& x) {
                      return -std::pow(2 * pi / 3, 3) * sine(x[0]) * cosine(2 * x[1]) *
                             cosine(x[2]);
                    }));
  expect_everywhere(shapes, of(1, 2), {wave}, {[](auto& x) {
                      return -4 * pi * pi * sine(x[0]) * cosine(2 * x[1]) * sine(x[2]);
                    }});
  expect_everywhere(shapes, of(1, 4), {wave}, {[](auto& x) {
                      return 16 * std::pow(pi, 4) * sine(x[0]) * cosine(2 * x[1]) * sine(x[2]);
                    }});
}

/// The mode k = n/2 along axis 0. At point j it is (-1)^j.
Field alternating(std::int64_t n) {
  return [n](const std::vector<double>& x) { return std::cos(pi * static_cast<double>(n) * x[0]); };
}

TEST(Operators, NyquistModeHasNoOddDerivative) {
  const Field sum = [](auto& x) { return alternating(8)(x) + sine(x[0]); };
  const auto first = [](const Plan& plan) { return operators::derivative(plan, 0); };
  const auto second = [](const Plan& plan) { return operators::derivative(plan, 0, 2); };
  const Field slope = [](auto& x) { return cosine(x[0]); };
  const Field curvature = [](auto& x) { return -16.0 * alternating(8)(x) - sine(x[0]); };
  for (const Kinds& kinds : {Kinds{Kind::r2c, Kind::c2c}, Kinds{Kind::c2c, Kind::r2c}}) {
    const FftOptions options = grid_options({8, 6}, kinds);
    expect_fields<double>(options, first, {sum}, {slope});
    expect_fields<double>(options, second, {sum}, {curvature});
    expect_fields<double>(options, [](const Plan& plan) { return operators::gradient(plan); },
                          {sum}, {slope, [](auto&) { return 0.0; }});
    expect_fields<double>(options, [](const Plan& plan) { return operators::divergence(plan); },
                          {sum, sum}, {slope});
    // The projection keeps the Nyquist mode, because this mode has no divergence.
    expect_fields<double>(options, [](const Plan& plan) { return operators::project(plan); },
                          {sum, [](auto&) { return 0.0; }},
                          {alternating(8), [](auto&) { return 0.0; }});
  }
  expect_fields<std::complex<double>>(grid_options({8, 6}, Kind::c2c, +1), first, {sum}, {slope});
}

TEST(Operators, HighestOfAnEvenNumberOfModesHasNoOddDerivative) {
  for (const Kind last : {Kind::r2c, Kind::c2c}) {
    FftOptions options = grid_options({12, 9}, {Kind::c2c, last});
    options.modes = {6, 4};
    const Field highest_of_axis_0 = [](auto& x) {
      return alternating(6)(x) + sine(x[0]) * cosine(x[1]);
    };
    const auto gradient = [](const Plan& plan) { return operators::gradient(plan); };
    const std::vector<Field> slopes{[](auto& x) { return cosine(x[0]) * cosine(x[1]); },
                                    [](auto& x) { return -sine(x[0]) * sine(x[1]); }};
    const Field highest_of_axis_1 = [](auto& x) {
      return cosine(2 * x[1]) + sine(x[0]) * cosine(x[1]);
    };
    if (last == Kind::r2c) {
      expect_fields<double>(options, gradient, {highest_of_axis_0}, slopes);
      expect_fields<double>(options, gradient, {highest_of_axis_1}, slopes);
    } else {
      expect_fields<std::complex<double>>(options, gradient, {highest_of_axis_0}, slopes);
      expect_fields<std::complex<double>>(options, gradient, {highest_of_axis_1}, slopes);
    }
  }
}

TEST(Operators, GradientAndDivergenceMatchAnalyticFields) {
  const std::vector<Field> slopes{
      [](auto& x) { return 2 * pi * cosine(x[0]) * cosine(2 * x[1]) * sine(x[2]); },
      [](auto& x) { return -2 * pi * sine(x[0]) * sine(2 * x[1]) * sine(x[2]); },
      [](auto& x) { return 2 * pi / 3 * sine(x[0]) * cosine(2 * x[1]) * cosine(x[2]); }};
  expect_everywhere(
      shapes, [](const Plan& plan) { return operators::gradient(plan, lengths); }, {wave}, slopes);
  expect_everywhere(shapes, [](const Plan& plan) { return operators::divergence(plan, lengths); },
                    slopes,
                    {[](auto& x) { return -4 * pi * pi * (1 + 1 + 1.0 / 9) * (wave(x) - 0.5); }});
  // The order of the components is that of the axes.
  FftOptions options = grid_options({8, 6, 10}, Kind::c2c);
  options.axes = {2, 0};
  expect_fields<std::complex<double>>(options,
                                      [](const Plan& plan) {
                                        return operators::gradient(plan, {3, 1});
                                      },
                                      {wave}, {slopes[2], slopes[0]});
}

TEST(Operators, OperatorsWorkOnFiveAxes) {
  const Field sum = [](auto& x) { return sine(x[0]) + cosine(x[2] + x[4]); };
  const std::vector<Field> slopes{[](auto& x) { return cosine(x[0]); }, [](auto&) { return 0.0; },
                                  [](auto& x) { return -sine(x[2] + x[4]); },
                                  [](auto&) { return 0.0; },
                                  [](auto& x) { return -sine(x[2] + x[4]); }};
  const FftOptions options = grid_options({4, 3, 4, 3, 5}, Kind::r2c);
  expect_fields<double>(
      options, [](const Plan& plan) { return operators::gradient(plan); }, {sum}, slopes);
  expect_fields<double>(options, [](const Plan& plan) { return operators::divergence(plan); },
                        slopes, {[](auto& x) { return -sine(x[0]) - 2 * cosine(x[2] + x[4]); }});
  expect_fields<double>(
      options, [](const Plan& plan) { return operators::project(plan); }, slopes,
      std::vector<Field>(5, [](auto&) { return 0.0; }));
}

// The Taylor-Green flow with a third component and a mean.
const std::vector<Field> vortex{
    [](auto& x) { return sine(x[0]) * cosine(x[1]) * cosine(x[2]) + 1; },
    [](auto& x) { return -cosine(x[0]) * sine(x[1]) * cosine(x[2]) + 2; },
    [](auto& x) { return cosine(x[0]) * sine(x[1] + 0.2) + 3; }};

TEST(Operators, CurlMatchesAnAnalyticField) {
  expect_everywhere(
      shapes, [](const Plan& plan) { return operators::curl(plan); }, vortex,
      {[](auto& x) { return cosine(x[0]) * (cosine(x[1] + 0.2) - sine(x[1]) * sine(x[2])); },
       [](auto& x) { return sine(x[0]) * (sine(x[1] + 0.2) - cosine(x[1]) * sine(x[2])); },
       [](auto& x) { return 2 * sine(x[0]) * sine(x[1]) * cosine(x[2]); }});
}

TEST(Operators, ProjectionKeepsFieldsWithoutDivergence) {
  std::vector<Field> sum;
  for (int axis = 0; axis < 3; ++axis)
    sum.emplace_back([axis](auto& x) {
      const double slopes[] = {cosine(x[0]) * sine(2 * x[1]) * cosine(x[2]),
                               2 * sine(x[0]) * cosine(2 * x[1]) * cosine(x[2]),
                               -sine(x[0]) * sine(2 * x[1]) * sine(x[2])};
      return vortex[static_cast<std::size_t>(axis)](x) + slopes[axis];
    });
  expect_everywhere(
      shapes, [](const Plan& plan) { return operators::project(plan); }, sum, vortex);
}

TEST(Operators, LaplacianAndItsInverseMatchAnalyticFields) {
  const double wavenumber_squared = 4 * pi * pi * (1 + 1 + 1.0 / 9);
  const Field laplacian_of_wave = [=](auto& x) { return -wavenumber_squared * (wave(x) - 0.5); };
  expect_everywhere(shapes, [](const Plan& plan) { return operators::laplacian(plan, lengths); },
                    {wave}, {laplacian_of_wave});
  expect_everywhere(shapes,
                    [](const Plan& plan) { return operators::inverse_laplacian(plan, lengths); },
                    {wave}, {[=](auto& x) { return -(wave(x) - 0.5) / wavenumber_squared; }});
  expect_everywhere(
      shapes, [](const Plan& plan) { return operators::solve_helmholtz(plan, 2.5, lengths); },
      {wave}, {[=](auto& x) { return (wave(x) - 0.5) / (2.5 + wavenumber_squared) + 0.5 / 2.5; }});
  // The even derivatives of a Nyquist mode are not zero.
  expect_fields<double>(grid_options({8, 6}, Kind::r2c),
                        [](const Plan& plan) { return operators::laplacian(plan); },
                        {alternating(8)}, {[](auto& x) { return -16.0 * alternating(8)(x); }});
}

TEST(Operators, OperatorsWorkOnCosineAndSineAxes) {
  // The field has slope 0 at the ends of axis 0, and value 0 at the ends of axis 1. It is given
  // as reals and as complex numbers.
  const Field field = [](const std::vector<double>& x) {
    return std::complex<double>(std::cos(3 * pi * x[0]) * std::sin(2 * pi * x[1]));
  };
  const double wavenumber_squared = 9 * pi * pi / 4 + 4 * pi * pi / 9;
  const auto times = [&](double factor) {
    return Field([=](const std::vector<double>& x) { return factor * field(x); });
  };
  const Lengths side_lengths{2, 3};
  for (const Kind sines : {Kind::dst1, Kind::dst2}) {
    const FftOptions real = grid_options({9, 7}, {Kind::dct2, sines});
    FftOptions complex = real;
    complex.element = Element::complex;
    const auto check = [&](const Make& make, double factor) {
      expect_fields<double>(real, make, {field}, {times(factor)});
      expect_fields<std::complex<double>>(complex, make, {field}, {times(factor)});
    };
    check([&](const Plan& plan) { return operators::laplacian(plan, side_lengths); },
          -wavenumber_squared);
    check([&](const Plan& plan) { return operators::inverse_laplacian(plan, side_lengths); },
          -1 / wavenumber_squared);
    check([&](const Plan& plan) { return operators::derivative(plan, 0, 2, side_lengths); },
          -9 * pi * pi / 4);
    check([&](const Plan& plan) { return operators::gaussian(plan, 0.1, side_lengths); },
          std::exp(-wavenumber_squared * 0.01 / 2));
    check([&](const Plan& plan) { return operators::band_pass(plan, 0, 5.2, side_lengths); }, 1);
    check([&](const Plan& plan) { return operators::band_pass(plan, 0, 5.1, side_lengths); }, 0);
  }
  // A channel with walls along axis 0: derivatives along its periodic axis 1.
  expect_fields<double>(grid_options({9, 8}, {Kind::dct2, Kind::r2c}),
                        [](const Plan& plan) { return operators::derivative(plan, 1); },
                        {[](auto& x) { return std::cos(pi * x[0]) * sine(x[1]); }},
                        {[](auto& x) { return std::cos(pi * x[0]) * cosine(x[1]); }});
}

TEST(Operators, FiltersMatchAnalyticFields) {
  const double wavenumber_squared = 4 * pi * pi * (1 + 1 + 1.0 / 9);
  expect_everywhere(
      shapes, [](const Plan& plan) { return operators::gaussian(plan, 0.2, lengths); }, {wave},
      {[=](auto& x) { return std::exp(-wavenumber_squared * 0.02) * (wave(x) - 0.5) + 0.5; }});
  const Field sum = [](auto& x) { return 1 + sine(x[0]) + cosine(2 * x[1]) + sine(x[0] + x[2]); };
  const auto band = [](double low, double high) {
    return [=](const Plan& plan) { return operators::band_pass(plan, low, high); };
  };
  // Both limits belong to the band.
  expect_everywhere(shapes, band(1, std::sqrt(2.0)), {sum},
                    {[](auto& x) { return sine(x[0]) + sine(x[0] + x[2]); }});
  expect_everywhere(shapes, band(0, 0.9), {sum}, {[](auto&) { return 1.0; }});
  expect_everywhere(shapes, band(1.5, INFINITY), {sum}, {[](auto& x) { return cosine(2 * x[1]); }});
}

TEST(Operators, ShiftMovesFields) {
  const auto moved = [](double a, double b, double c) {
    return Field([=](const std::vector<double>& x) {
      return wave({x[0] - a, x[1] - b, x[2] - c});
    });
  };
  expect_everywhere(shapes,
                    [](const Plan& plan) {
                      return operators::shift(plan, {0.3, -0.2, 1.7});
                    },
                    {wave}, {moved(0.3, -0.2, 1.7)});
  expect_everywhere(shapes, [](const Plan& plan) { return operators::shift(plan, {0.15}); }, {wave},
                    {moved(0.15, 0.15, 0.15)});
  // The field is neither even nor odd, so that a wrong sign of the shift is noticed.
  expect_fields<std::complex<double>>(
      grid_options({8, 6}, Kind::c2c, +1),
      [](const Plan& plan) { return operators::shift(plan, {0.1}); },
      {[](auto& x) { return std::polar(1.0, 2 * pi * (x[0] - 2 * x[1])); }},
      {[](auto& x) { return std::polar(1.0, 2 * pi * (x[0] - 2 * x[1] + 0.1)); }});
  // A shift by half a point makes the Nyquist mode vanish. A shift by a whole point changes its
  // sign.
  for (const auto& [points, factor] : {std::pair{0.5, 0.0}, std::pair{1.0, -1.0}}) {
    const auto by_points = [by = points / 8](const Plan& plan) {
      return operators::shift(plan, {by, 0});
    };
    const Field wanted = [factor = factor](auto& x) { return factor * alternating(8)(x); };
    expect_fields<double>(grid_options({8, 6}, Kind::r2c), by_points, {alternating(8)}, {wanted});
    expect_fields<std::complex<double>>(grid_options({8, 6}, Kind::c2c, +1), by_points,
                                        {alternating(8)}, {wanted});
  }
}

TEST(Operators, BatchAxesAreIgnored) {
  FftOptions options = grid_options({5, 8, 3, 6}, {Kind::c2c, Kind::r2c});
  options.axes = {1, 3};
  const Field field = [](auto& x) { return (1 + x[0]) * (2 + x[2]) * sine(x[1]) * cosine(x[3]); };
  expect_fields<double>(options, [](const Plan& plan) { return operators::laplacian(plan); },
                        {field}, {[=](auto& x) { return -2.0 * field(x); }});
  expect_fields<double>(options, [](const Plan& plan) { return operators::divergence(plan); },
                        {field, field}, {[](auto& x) {
                          return (1 + x[0]) * (2 + x[2]) *
                                 (cosine(x[1]) * cosine(x[3]) - sine(x[1]) * sine(x[3]));
                        }});
}

}  // namespace
}  // namespace weft::test_support
