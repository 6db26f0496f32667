#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <weft/tile.h>
#include <weft/tile_rows.hpp>

#include "api/operator_plan.hpp"
#include "base/operator_factors.hpp"

namespace weft::api {

/// AxisNumbers in the precision of the fields.
template <class T>
class AxisTables {
 public:
  explicit AxisTables(const AxisNumbers& numbers) {
    for (const auto& axis : numbers) {
      values_.emplace_back();
      for (const long double value : axis) values_.back().push_back(narrowed<T>(value));
    }
  }
  /// Returns the numbers of an axis from the first index of a tile on.
  const T* of(const Tile& tile, std::int64_t axis) const {
    return values_[static_cast<std::size_t>(axis)].data() + tile.lower[axis];
  }

 private:
  std::vector<std::vector<T>> values_;
};

/// The numbers of all axes for a tile. Each element of a row has its own number along the row. The
/// numbers of the other axes are combined to one number for the row.
template <class T>
class TileTables {
 public:
  TileTables(const AxisTables<T>& tables, const Tile& tile, std::int64_t row_axis) {
    for (std::int64_t axis = 0; axis < tile.dims; ++axis)
      if (axis != row_axis) {
        axes_[count_] = axis;
        tables_[count_++] = tables.of(tile, axis);
      }
    along_ = tables.of(tile, row_axis);
  }
  const T* along() const { return along_; }
  T sum(const TileRow& row) const {
    T total = 0;
    for (std::size_t i = 0; i < count_; ++i) total += tables_[i][row.index[axes_[i]]];
    return total;
  }
  T product(const TileRow& row) const {
    T total = 1;
    for (std::size_t i = 0; i < count_; ++i) total *= tables_[i][row.index[axes_[i]]];
    return total;
  }

 private:
  std::array<const T*, max_dims> tables_{};
  std::array<std::int64_t, max_dims> axes_{};
  std::size_t count_ = 0;
  const T* along_ = nullptr;
};

/// Calls act(i, offset of element i) for the elements of a row. An output may be one of the inputs,
/// so the arrays cannot be `restrict`. The pragma tells the compiler that no element depends on
/// another.
template <class Act>
void for_each_point(std::int64_t count, std::int64_t stride, Act act) {
  if (stride == 1) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) act(i, i);
  } else {
    for (std::int64_t i = 0; i < count; ++i) act(i, i * stride);
  }
}

/// The two parts of a complex number.
template <class T>
struct Parts {
  T re;
  T im;
};

/// A row of an array.
template <class T>
T* row_of(void* array, const Tile& tile, const TileRow& row) {
  return static_cast<T*>(array) + row.offset * (tile.is_complex != 0 ? 2 : 1);
}

/// Multiplies the row of each field by factor(i), a real number.
template <class T, class Factor>
void scale_rows(const Tile& tile, const TileRow& row, std::int64_t axis, Factor factor) {
  for (std::int64_t field = 0; field < tile.input_count; ++field) {
    const T* in = row_of<T>(tile.inputs[field], tile, row);
    T* out = row_of<T>(tile.outputs[field], tile, row);
    if (tile.is_complex != 0)
      for_each_point(tile.extents[axis], tile.strides[axis], [=](std::int64_t i, std::int64_t at) {
        const T f = factor(i);
        const T re = in[2 * at];
        const T im = in[2 * at + 1];
        out[2 * at] = f * re;
        out[2 * at + 1] = f * im;
      });
    else
      for_each_point(tile.extents[axis], tile.strides[axis],
                     [=](std::int64_t i, std::int64_t at) { out[at] = factor(i) * in[at]; });
  }
}

/// Multiplies the row of each field of complex numbers by factor(i), a complex number.
template <class T, class Factor>
void turn_rows(const Tile& tile, const TileRow& row, std::int64_t axis, Factor factor) {
  for (std::int64_t field = 0; field < tile.input_count; ++field) {
    const T* in = row_of<T>(tile.inputs[field], tile, row);
    T* out = row_of<T>(tile.outputs[field], tile, row);
    for_each_point(tile.extents[axis], tile.strides[axis], [=](std::int64_t i, std::int64_t at) {
      const Parts<T> f = factor(i);
      const T re = in[2 * at];
      const T im = in[2 * at + 1];
      out[2 * at] = f.re * re - f.im * im;
      out[2 * at + 1] = f.re * im + f.im * re;
    });
  }
}

/// Makes the function of an operator, with the words of the plan. make(zero) returns a function
/// that is called with each tile. `zero` is a zero in the precision of the fields.
template <class Make>
FieldFunction operator_function(const OperatorPlan& plan, const TileRules& rules,
                                const Make& make) {
  const auto in_precision = [&](auto zero) -> FieldFunction {
    const auto act = std::make_shared<const decltype(make(zero))>(make(zero));
    return {.call =
                [act, rules](const Tile& tile) {
                  rules.check(tile);
                  (*act)(tile);
                },
            .is_pointwise = true,
            .words = plan.words()};
  };
  switch (plan.problem().precision) {
    case Precision::f32:
      return in_precision(0.0F);
    case Precision::f64:
      return in_precision(0.0);
    case Precision::f80:
      break;
  }
  return in_precision(0.0L);
}

}  // namespace weft::api
