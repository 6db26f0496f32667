// Operators of vectors. They need all components of an element at the same time.
#include <weft/operators.hpp>

#include <array>
#include <string>
#include <type_traits>

#include "api/operator_plan.hpp"
#include "api/operator_rows.hpp"

namespace weft::operators {
namespace {

using api::AxisNumbers;
using api::AxisTables;
using api::OperatorPlan;
using api::Parts;

/// One number for each component. Vectors with fewer components use the first numbers.
template <class Value>
using Components = std::array<Value, max_dims>;

/// The factors c of an element of a row, one for each component. The derivative along the axis of a
/// component multiplies by i*c.
template <class T>
struct RowFactors {
  Components<T> others;  ///< factors of the other axes, constant in the row; 0 for the axis of the
                         ///< row
  Components<T> along;   ///< 1 for the axis of the row, 0 for the others
  const T* table;        ///< factors along the row

  T operator()(std::size_t component, std::int64_t i) const {
    return others[component] + along[component] * table[i];
  }
};

/// The rows of several fields of complex numbers.
template <class T>
struct FieldRows {
  Components<T*> starts{};

  FieldRows(std::size_t count, void* const* arrays, const Tile& tile, const TileRow& row) {
    for (std::size_t i = 0; i < count; ++i) starts[i] = api::row_of<T>(arrays[i], tile, row);
  }
  Parts<T> get(std::size_t component, std::int64_t at) const {
    return {starts[component][2 * at], starts[component][2 * at + 1]};
  }
  void set(std::size_t component, std::int64_t at, Parts<T> value) const {
    starts[component][2 * at] = value.re;
    starts[component][2 * at + 1] = value.im;
  }
};

/// Calls act(row, factors, elements, stride) for each row of a tile. `count`, the number of
/// components, may be a compile-time constant.
template <class T, class Count, class Act>
void for_each_vector_row(const Tile& tile, Count count, const std::vector<int>& axes,
                         const AxisTables<T>& tables, const Act& act) {
  const std::int64_t row_along = row_axis(tile);
  Components<const T*> across{};
  RowFactors<T> factors{{}, {}, tables.of(tile, row_along)};
  for (std::size_t i = 0; i < count; ++i) {
    across[i] = tables.of(tile, axes[i]);
    factors.along[i] = axes[i] == row_along ? T(1) : T(0);
  }
  for_each_row(tile, row_along, [&](const TileRow& row) {
    for (std::size_t i = 0; i < count; ++i)
      factors.others[i] = axes[i] == row_along ? T(0) : across[i][row.index[axes[i]]];
    act(row, factors, tile.extents[row_along], tile.strides[row_along]);
  });
}

struct GradientRow {
  template <class T, class Count>
  void operator()(const Tile& tile, const TileRow& row, Count count, const RowFactors<T>& c,
                  std::int64_t n, std::int64_t stride) const {
    const FieldRows<T> in(1, tile.inputs, tile, row);
    const FieldRows<T> out(count, tile.outputs, tile, row);
    api::for_each_point(n, stride, [=](std::int64_t i, std::int64_t at) {
      const Parts<T> u = in.get(0, at);
      for (std::size_t a = 0; a < count; ++a) {
        const T factor = c(a, i);
        out.set(a, at, {-factor * u.im, factor * u.re});
      }
    });
  }
};

struct DivergenceRow {
  template <class T, class Count>
  void operator()(const Tile& tile, const TileRow& row, Count count, const RowFactors<T>& c,
                  std::int64_t n, std::int64_t stride) const {
    const FieldRows<T> in(count, tile.inputs, tile, row);
    const FieldRows<T> out(1, tile.outputs, tile, row);
    api::for_each_point(n, stride, [=](std::int64_t i, std::int64_t at) {
      Parts<T> sum{0, 0};
      for (std::size_t a = 0; a < count; ++a) {
        const Parts<T> u = in.get(a, at);
        sum = {sum.re + c(a, i) * u.re, sum.im + c(a, i) * u.im};
      }
      out.set(0, at, {-sum.im, sum.re});
    });
  }
};

struct ProjectRow {
  template <class T, class Count>
  void operator()(const Tile& tile, const TileRow& row, Count count, const RowFactors<T>& c,
                  std::int64_t n, std::int64_t stride) const {
    const FieldRows<T> in(count, tile.inputs, tile, row);
    const FieldRows<T> out(count, tile.outputs, tile, row);
    api::for_each_point(n, stride, [=](std::int64_t i, std::int64_t at) {
      Components<Parts<T>> u{};
      T square = 0;
      Parts<T> along{0, 0};
      for (std::size_t a = 0; a < count; ++a) {
        const T factor = c(a, i);
        u[a] = in.get(a, at);
        square += factor * factor;
        along = {along.re + factor * u[a].re, along.im + factor * u[a].im};
      }
      const T scale = inverse_or_zero(square);
      for (std::size_t a = 0; a < count; ++a) {
        const T factor = c(a, i) * scale;
        out.set(a, at, {u[a].re - factor * along.re, u[a].im - factor * along.im});
      }
    });
  }
};

struct CurlRow {
  template <class T, class Count>
  void operator()(const Tile& tile, const TileRow& row, Count count, const RowFactors<T>& c,
                  std::int64_t n, std::int64_t stride) const {
    const FieldRows<T> in(count, tile.inputs, tile, row);
    const FieldRows<T> out(count, tile.outputs, tile, row);
    api::for_each_point(n, stride, [=](std::int64_t i, std::int64_t at) {
      const T x = c(0, i);
      const T y = c(1, i);
      const T z = c(2, i);
      const Parts<T> u = in.get(0, at);
      const Parts<T> v = in.get(1, at);
      const Parts<T> w = in.get(2, at);
      out.set(0, at, {z * v.im - y * w.im, y * w.re - z * v.re});
      out.set(1, at, {x * w.im - z * u.im, z * u.re - x * w.re});
      out.set(2, at, {y * u.im - x * v.im, x * v.re - y * u.re});
    });
  }
};

/// Returns the function that calls `of_row` for each row of a tile.
template <class OfRow>
FieldFunction vector_function(const OperatorPlan& plan, std::int64_t inputs, std::int64_t outputs,
                              const OfRow& of_row) {
  AxisNumbers numbers = plan.filled(0);
  for (const int axis : plan.axes())
    numbers[static_cast<std::size_t>(axis)] = plan.derivative_factors(axis);
  return api::operator_function(plan, plan.rules(inputs, outputs), [&]<class T>(T) {
    return [axes = plan.axes(), tables = AxisTables<T>(numbers), of_row](const Tile& tile) {
      const auto with_count = [&](auto count) {
        for_each_vector_row<T>(tile, count, axes, tables,
                               [&](const TileRow& row, const RowFactors<T>& c, auto n,
                                   auto stride) { of_row(tile, row, count, c, n, stride); });
      };
      // A constant number of components lets the compiler vectorise the loop over a row.
      if (axes.size() == 3)
        with_count(std::integral_constant<std::size_t, 3>());
      else if (axes.size() == 2)
        with_count(std::integral_constant<std::size_t, 2>());
      else
        with_count(axes.size());
    };
  });
}

/// Checks the plan of a vector operator.
OperatorPlan checked_plan(const Plan& plan, const char* name, const Lengths& lengths) {
  OperatorPlan made(plan, name, lengths);
  made.need_fourier_axes("a derivative makes sines of cosines");
  return made;
}

std::int64_t components_of(const OperatorPlan& plan) {
  return static_cast<std::int64_t>(plan.axes().size());
}

}  // namespace

FieldFunction gradient(const Plan& plan, const Lengths& lengths) {
  const OperatorPlan made = checked_plan(plan, "gradient", lengths);
  return vector_function(made, 1, components_of(made), GradientRow());
}

FieldFunction divergence(const Plan& plan, const Lengths& lengths) {
  const OperatorPlan made = checked_plan(plan, "divergence", lengths);
  return vector_function(made, components_of(made), 1, DivergenceRow());
}

FieldFunction project(const Plan& plan, const Lengths& lengths) {
  const OperatorPlan made = checked_plan(plan, "project", lengths);
  return vector_function(made, components_of(made), components_of(made), ProjectRow());
}

FieldFunction curl(const Plan& plan, const Lengths& lengths) {
  const OperatorPlan made = checked_plan(plan, "curl", lengths);
  if (made.axes().size() != 3)
    made.refuse("needs three transformed axes; given " + std::to_string(made.axes().size()) +
                "; in two dimensions use gradient or derivative");
  return vector_function(made, 3, 3, CurlRow());
}

}  // namespace weft::operators
