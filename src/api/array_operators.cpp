// Products with arrays of numbers in the layout of the spectrum.
#include <weft/operators.hpp>

#include <cmath>
#include <string>

#include "api/operator_plan.hpp"
#include "api/operator_rows.hpp"
#include "plan/kinds.hpp"

namespace weft::operators {
namespace {

using api::OperatorPlan;
using api::Parts;

/// An array of this rank in the layout of the spectrum.
struct LocalNumbers {
  const void* numbers;
  Box box;
  Shape strides;

  /// Returns the offset of the first element of a tile. Throws unsupported if the tile is not in
  /// the box.
  std::int64_t offset_of(const Tile& tile, const char* name) const {
    std::int64_t offset = 0;
    bool is_inside = true;
    for (int axis = 0; axis < box.dims(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      is_inside = is_inside && tile.lower[axis] >= box.lower[a] &&
                  tile.lower[axis] + tile.extents[axis] <= box.upper[a];
      offset += (tile.lower[axis] - box.lower[a]) * strides[a];
    }
    if (!is_inside)
      throw Error(ErrorCode::unsupported,
                  std::string(name) +
                      " needs the spectrum in the boxes of the plan's output; given a tile outside "
                      "the box " +
                      to_string(box) +
                      "; give the plan as output the layout of its last stage that transforms, and "
                      "give this rank's array");
    return offset;
  }
  /// Returns the axis along which the numbers of the array are adjacent. The array is read from
  /// memory; the tile is in cache in any case.
  std::int64_t row_axis_of(const Tile& tile) const {
    for (std::int64_t axis = 0; axis < tile.dims; ++axis)
      if (strides[static_cast<std::size_t>(axis)] == 1 && tile.extents[axis] > 1) return axis;
    return row_axis(tile);
  }
  std::int64_t offset_of(const TileRow& row, const Tile& tile) const {
    std::int64_t offset = 0;
    for (std::int64_t a = 0; a < tile.dims; ++a)
      offset += row.index[a] * strides[static_cast<std::size_t>(a)];
    return offset;
  }
};

LocalNumbers checked_numbers(const OperatorPlan& plan, const SpectrumArray& array,
                             bool needs_complex) {
  const Layout& output = plan.plan().output();
  const Element spectrum = plan.rules().is_complex ? Element::complex : Element::real;
  if (array.rank < 0 || array.rank >= output.ranks())
    plan.refuse("takes the array of a rank from 0 to " + std::to_string(output.ranks() - 1) +
                "; given rank " + std::to_string(array.rank) + "; give the transform's rank()");
  if (array.precision != plan.problem().precision)
    plan.refuse(std::string("takes numbers of the transform's precision, ") +
                to_string(plan.problem().precision) + "; given " + to_string(array.precision) +
                "; convert the array");
  if (array.element == Element::automatic)
    plan.refuse("takes real or complex numbers; given automatic; say which of both");
  if (spectrum == Element::real && array.element == Element::complex)
    plan.refuse(
        "takes reals, because the spectrum has reals; given complex numbers; give an array "
        "of reals");
  if (needs_complex && array.element == Element::real)
    plan.refuse(
        "takes the spectrum of a field, complex numbers; given reals; give the result of "
        "forward");
  LocalNumbers local{array.numbers, output.box(array.rank), output.strides(array.rank)};
  if (array.numbers == nullptr && !local.box.empty())
    plan.refuse("takes an array of " + std::to_string(local.box.volume()) +
                " numbers; given a null pointer; give this rank's part of the array");
  return local;
}

/// Returns the function that multiplies by reals of an array.
FieldFunction of_reals(const OperatorPlan& plan, const LocalNumbers& local, const char* name) {
  return api::operator_function(plan, plan.rules(), [&]<class T>(T) {
    return [local, name](const Tile& tile) {
      const std::int64_t axis = local.row_axis_of(tile);
      const std::int64_t step = local.strides[static_cast<std::size_t>(axis)];
      const T* start = static_cast<const T*>(local.numbers) + local.offset_of(tile, name);
      for_each_row(tile, axis, [&](const TileRow& row) {
        const T* h = start + local.offset_of(row, tile);
        if (step == 1)
          api::scale_rows<T>(tile, row, axis, [h](std::int64_t i) { return h[i]; });
        else
          api::scale_rows<T>(tile, row, axis, [h, step](std::int64_t i) { return h[i * step]; });
      });
    };
  });
}

/// Returns the function that multiplies by complex numbers of an array, or their conjugates, and by
/// `scale`.
FieldFunction of_complex(const OperatorPlan& plan, const LocalNumbers& local, const char* name,
                         long double scale, bool conjugates) {
  return api::operator_function(plan, plan.rules(), [&]<class T>(T) {
    const auto re_scale = static_cast<T>(scale);
    const T im_scale = conjugates ? -re_scale : re_scale;
    return [local, name, re_scale, im_scale](const Tile& tile) {
      const std::int64_t axis = local.row_axis_of(tile);
      const std::int64_t step = local.strides[static_cast<std::size_t>(axis)];
      const T* start = static_cast<const T*>(local.numbers) + 2 * local.offset_of(tile, name);
      for_each_row(tile, axis, [&](const TileRow& row) {
        const T* h = start + 2 * local.offset_of(row, tile);
        const auto multiply = [&](auto from) {
          api::turn_rows<T>(tile, row, axis, [=](std::int64_t i) {
            return Parts<T>{re_scale * h[from(i)], im_scale * h[from(i) + 1]};
          });
        };
        if (step == 1)
          multiply([](std::int64_t i) { return 2 * i; });
        else
          multiply([step](std::int64_t i) { return 2 * step * i; });
      });
    };
  });
}

/// Returns the factor that makes backward of a product of two spectra the circular convolution.
long double convolution_scale(const Problem& problem) {
  const auto points = static_cast<long double>(logical_points(problem));
  switch (problem.norm) {
    case Norm::none:
      return 1 / points;
    case Norm::backward:
      return 1;
    case Norm::ortho:
      return std::sqrt(points);
    case Norm::forward:
      break;
  }
  return points;
}

FieldFunction of_other_field(const Plan& plan, const SpectrumArray& other, const char* name,
                             bool conjugates) {
  const OperatorPlan made(plan, name);
  made.need_fourier_axes("only products of Fourier spectra are circular convolutions");
  return of_complex(made, checked_numbers(made, other, true), name, convolution_scale(plan.problem),
                    conjugates);
}

}  // namespace

FieldFunction transfer(const Plan& plan, const SpectrumArray& factors) {
  const OperatorPlan made(plan, "transfer");
  const LocalNumbers local = checked_numbers(made, factors, false);
  if (factors.element == Element::real) return of_reals(made, local, "transfer");
  return of_complex(made, local, "transfer", 1, false);
}

FieldFunction convolution(const Plan& plan, const SpectrumArray& other) {
  return of_other_field(plan, other, "convolution", false);
}

FieldFunction correlation(const Plan& plan, const SpectrumArray& other) {
  return of_other_field(plan, other, "correlation", true);
}

}  // namespace weft::operators
