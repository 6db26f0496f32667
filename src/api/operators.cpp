// Operators of one field. Each element is multiplied by a number.
#include <weft/operators.hpp>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "api/operator_plan.hpp"
#include "api/operator_rows.hpp"

namespace weft::api {
namespace {

/// Returns the function that multiplies by factor(sum of the squares of all axes).
/// make_factor(zero) makes the factor of a precision.
template <class MakeFactor>
FieldFunction of_squares(const OperatorPlan& plan, const AxisNumbers& squares,
                         const MakeFactor& make_factor) {
  return operator_function(plan, plan.rules(), [&]<class T>(T zero) {
    return [tables = AxisTables<T>(squares), factor = make_factor(zero)](const Tile& tile) {
      const std::int64_t axis = row_axis(tile);
      const TileTables<T> of_tile(tables, tile, axis);
      const T* along = of_tile.along();
      for_each_row(tile, axis, [&](const TileRow& row) {
        scale_rows<T>(tile, row, axis, [along, others = of_tile.sum(row), factor](std::int64_t i) {
          return factor(others + along[i]);
        });
      });
    };
  });
}

}  // namespace

FieldFunction divide_by_squares(const OperatorPlan& plan, const AxisNumbers& squares) {
  return of_squares(plan, squares,
                    []<class T>(T) { return [](T square) { return -inverse_or_zero(square); }; });
}

}  // namespace weft::api

namespace weft::operators {
namespace {

using api::AxisNumbers;
using api::AxisTables;
using api::OperatorPlan;
using api::Parts;
using api::TileTables;

enum class Unit { one, i };

/// Returns the function that multiplies by the product of numbers of all axes, or by i times this
/// product.
template <Unit unit>
FieldFunction of_product(const OperatorPlan& plan, const AxisNumbers& numbers) {
  return api::operator_function(plan, plan.rules(), [&]<class T>(T) {
    return [tables = AxisTables<T>(numbers)](const Tile& tile) {
      const std::int64_t axis = row_axis(tile);
      const TileTables<T> of_tile(tables, tile, axis);
      const T* along = of_tile.along();
      for_each_row(tile, axis, [&](const TileRow& row) {
        const auto product = [along, others = of_tile.product(row)](std::int64_t i) {
          return others * along[i];
        };
        if constexpr (unit == Unit::one)
          api::scale_rows<T>(tile, row, axis, product);
        else
          api::turn_rows<T>(tile, row, axis, [product](std::int64_t i) {
            return Parts<T>{0, product(i)};
          });
      });
    };
  });
}

/// Returns the function that multiplies by the product of complex numbers of all axes.
FieldFunction of_complex_product(const OperatorPlan& plan, const AxisNumbers& re,
                                 const AxisNumbers& im) {
  return api::operator_function(plan, plan.rules(), [&]<class T>(T) {
    return [re_tables = AxisTables<T>(re), im_tables = AxisTables<T>(im)](const Tile& tile) {
      const std::int64_t axis = row_axis(tile);
      const T* along_re = re_tables.of(tile, axis);
      const T* along_im = im_tables.of(tile, axis);
      for_each_row(tile, axis, [&](const TileRow& row) {
        Parts<T> others{1, 0};
        for (std::int64_t a = 0; a < tile.dims; ++a) {
          if (a == axis) continue;
          const T c = re_tables.of(tile, a)[row.index[a]];
          const T s = im_tables.of(tile, a)[row.index[a]];
          others = {others.re * c - others.im * s, others.re * s + others.im * c};
        }
        api::turn_rows<T>(tile, row, axis, [=](std::int64_t i) {
          const T c = along_re[i];
          const T s = along_im[i];
          return Parts<T>{others.re * c - others.im * s, others.re * s + others.im * c};
        });
      });
    };
  });
}

int transformed_axis(const OperatorPlan& plan, int axis) {
  const int dims = static_cast<int>(plan.problem().shape.size());
  const int counted = axis < 0 ? axis + dims : axis;
  std::string all;
  for (const int each : plan.axes()) {
    if (each == counted) return counted;
    all += (all.empty() ? "" : ", ") + std::to_string(each);
  }
  plan.refuse("takes a transformed axis, one of (" + all + "); given " + std::to_string(axis) +
              "; give one of these axes, or transform that axis too");
}

bool fits_precision(long double value, Precision precision) {
  return std::isfinite(value) &&
         (precision != Precision::f32 || std::isfinite(narrowed<float>(value))) &&
         (precision != Precision::f64 || std::isfinite(narrowed<double>(value)));
}

}  // namespace

FieldFunction derivative(const Plan& plan, int axis, std::int64_t order, const Lengths& lengths) {
  OperatorPlan made(plan, "derivative", lengths);
  const int along = transformed_axis(made, axis);
  made.set_parameters("of order " + std::to_string(order) + " along axis " + std::to_string(along));
  if (order < 1)
    made.refuse("takes an order of 1 or more; given " + std::to_string(order) +
                "; leave it out for the first derivative");
  const bool is_odd = order % 2 != 0;
  if (is_odd) made.need_fourier(along, "an odd derivative makes sines of cosines");
  AxisNumbers numbers = made.filled(1);
  auto& factors = numbers[static_cast<std::size_t>(along)];
  factors = is_odd ? made.derivative_factors(along) : made.wavenumbers(along);
  for (long double& each : factors) {
    each = derivative_factor(each, order);
    if (!fits_precision(each, made.problem().precision))
      made.refuse("takes an order whose factors do not overflow in " +
                  std::string(to_string(made.problem().precision)) + "; given " +
                  std::to_string(order) + "; lower it");
  }
  return is_odd ? of_product<Unit::i>(made, numbers) : of_product<Unit::one>(made, numbers);
}

FieldFunction laplacian(const Plan& plan, const Lengths& lengths) {
  const OperatorPlan made(plan, "laplacian", lengths);
  return api::of_squares(made, made.squares(),
                         []<class T>(T) { return [](T square) { return -square; }; });
}

FieldFunction inverse_laplacian(const Plan& plan, const Lengths& lengths) {
  const OperatorPlan made(plan, "inverse_laplacian", lengths);
  return api::divide_by_squares(made, made.squares());
}

FieldFunction solve_helmholtz(const Plan& plan, double alpha, const Lengths& lengths) {
  OperatorPlan made(plan, "solve_helmholtz", lengths);
  made.need_finite(alpha, "alpha");
  made.set_parameters(api::exact_words(alpha));
  return api::of_squares(made, made.squares(), [&]<class T>(T) {
    return [added = narrowed<T>(alpha)](T square) { return inverse_or_zero(added + square); };
  });
}

FieldFunction gaussian(const Plan& plan, double sigma, const Lengths& lengths) {
  OperatorPlan made(plan, "gaussian", lengths);
  made.need_finite(sigma, "sigma");
  made.set_parameters(api::exact_words(sigma));
  AxisNumbers numbers = made.filled(1);
  for (const int axis : made.axes()) {
    auto& factors = numbers[static_cast<std::size_t>(axis)];
    factors = made.wavenumbers(axis);
    for (long double& each : factors) each = gaussian_factor<long double>(each * each, sigma);
  }
  return of_product<Unit::one>(made, numbers);
}

FieldFunction band_pass(const Plan& plan, double low, double high, const Lengths& lengths) {
  OperatorPlan made(plan, "band_pass", lengths);
  made.need_finite(low, "low");
  made.set_parameters(api::exact_words(low) + " to " + api::exact_words(high));
  if (std::isnan(high) || low > high)
    made.refuse("takes low <= high; given " + std::to_string(low) + " and " + std::to_string(high) +
                "; give the smaller wavenumber first");
  if (high < 0)
    made.refuse("takes wavenumbers from zero on, because |k| is never less; given " +
                std::to_string(high) + " as high; give a larger one");
  return api::of_squares(made, made.squares(), [&]<class T>(T) {
    return BandFactor<T>(low, high, std::numeric_limits<T>::epsilon());
  });
}

FieldFunction shift(const Plan& plan, const std::vector<double>& offsets) {
  OperatorPlan made(plan, "shift");
  made.need_fourier_axes("a shift makes sines of cosines");
  const std::size_t count = made.axes().size();
  if (offsets.size() != 1 && offsets.size() != count)
    made.refuse("takes one offset, or one for each of the " + std::to_string(count) +
                " transformed axes; given " + std::to_string(offsets.size()) +
                "; give as many as axes");
  for (const double offset : offsets) made.need_finite(offset, "offset");
  made.set_parameters("by " + api::exact_words(offsets, ", "));
  AxisNumbers re = made.filled(1);
  AxisNumbers im = made.filled(0);
  for (std::size_t i = 0; i < count; ++i) {
    const int axis = made.axes()[i];
    const long double offset = offsets[offsets.size() == 1 ? 0 : i];
    const std::vector<long double> k = made.whole_wavenumbers(axis);
    for (std::size_t j = 0; j < k.size(); ++j) {
      const long double turns = k[j] * offset;
      const long double phase = 2 * std::numbers::pi_v<long double> * (turns - std::round(turns));
      re[static_cast<std::size_t>(axis)][j] = std::cos(phase);
      const bool is_nyquist = static_cast<std::int64_t>(j) == made.nyquist_index(axis);
      im[static_cast<std::size_t>(axis)][j] = is_nyquist ? 0 : plan.problem.sign * std::sin(phase);
    }
  }
  return of_complex_product(made, re, im);
}

}  // namespace weft::operators
