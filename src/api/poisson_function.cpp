#include "api/poisson_function.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <type_traits>

#include <weft/operators.hpp>

#include "api/operator_plan.hpp"
#include "api/operator_rows.hpp"
#include "comm/agreement.hpp"
#include "plan/kinds.hpp"

namespace weft::api {
namespace {

/// The precision in which numbers of type T are computed.
template <class T>
using FactorReal = std::conditional_t<std::is_same_v<T, long double>, long double, double>;

/// A distributed array of this rank.
struct LocalArray {
  const Layout& layout;
  std::int64_t rank;
  Element element;
  Precision precision;
  void* data;
};

/// Sets each element to value(sum of the squares of all axes), a real number.
template <class T, class Value>
void fill_from_squares(const LocalArray& array, const AxisNumbers& squares, const Value& value) {
  const Box box = array.layout.box(array.rank);
  if (box.empty()) return;
  const Shape extents = box.shape();
  const Shape strides = array.layout.strides(array.rank);
  Tile tile{};
  tile.dims = box.dims();
  tile.is_complex = array.element == Element::complex ? 1 : 0;
  tile.lower = box.lower.data();
  tile.extents = extents.data();
  tile.strides = strides.data();
  const std::int64_t axis = row_axis(tile);
  const AxisTables<FactorReal<T>> tables(squares);
  const TileTables<FactorReal<T>> of_tile(tables, tile, axis);
  const std::int64_t parts = array.element == Element::complex ? 2 : 1;
  for_each_row(tile, axis, [&](const TileRow& row) {
    T* out = row_of<T>(array.data, tile, row);
    const FactorReal<T> others = of_tile.sum(row);
    for (std::int64_t i = 0; i < tile.extents[axis]; ++i) {
      T* const element = out + i * parts * tile.strides[axis];
      element[0] = static_cast<T>(value(others + of_tile.along()[i]));
      if (parts == 2) element[1] = 0;
    }
  });
}

template <class Value>
void fill_from_squares(const LocalArray& array, const AxisNumbers& squares, const Value& value) {
  switch (array.precision) {
    case Precision::f32:
      return fill_from_squares<float>(array, squares, value);
    case Precision::f64:
      return fill_from_squares<double>(array, squares, value);
    case Precision::f80:
      break;
  }
  fill_from_squares<long double>(array, squares, value);
}

/// Returns the mean of log(r) over a rectangle of sides a and b around the origin.
double mean_logarithm(double a, double b) {
  const double x = a / 2;
  const double y = b / 2;
  return std::log(std::hypot(x, y)) - 1.5 + x / y / 2 * std::atan(y / x) +
         y / x / 2 * std::atan(x / y);
}

/// Returns the mean of 1/r over a box of sides a, b and c around the origin.
double mean_inverse_distance(double a, double b, double c) {
  const double sides[] = {a / 2, b / 2, c / 2};
  const double r = std::hypot(sides[0], sides[1], sides[2]);
  double total = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = sides[i];
    const double y = sides[(i + 1) % 3];
    const double z = sides[(i + 2) % 3];
    total += y * z * std::asinh(x / std::hypot(y, z)) - x * x / 2 * std::atan(y * z / (x * r));
  }
  return 8 * total / (a * b * c);
}

/// The potential of a unit charge in free space, times the volume of a cell. At the charge itself,
/// it is the mean over the cell.
class FreePotential {
 public:
  explicit FreePotential(const std::vector<double>& steps) : dims_(steps.size()) {
    for (const double h : steps) volume_ *= h;
    if (dims_ == 2) at_charge_ = mean_logarithm(steps[0], steps[1]);
    if (dims_ == 3) at_charge_ = mean_inverse_distance(steps[0], steps[1], steps[2]);
  }
  template <class T>
  T operator()(T square) const {
    const T pi = std::numbers::pi_v<T>;
    const bool is_charge = square == 0;
    const T volume = static_cast<T>(volume_);
    if (dims_ == 1) return volume * std::sqrt(square) / 2;
    const T mean = static_cast<T>(at_charge_);
    if (dims_ == 2) return volume * (is_charge ? mean : std::log(square) / 2) / (2 * pi);
    return -volume * (is_charge ? mean : 1 / std::sqrt(square)) / (4 * pi);
  }

 private:
  std::size_t dims_;
  double volume_ = 1;
  double at_charge_ = 0;
};

/// The spectrum of the potential of a unit charge within a radius R (Vico, Greengard and Ferrando
/// 2016): -2 (sin(R k / 2) / k)^2.
struct TruncatedKernel {
  double radius;

  template <class T>
  T operator()(T square) const {
    const T half_radius = static_cast<T>(radius) / 2;
    const T phase = half_radius * std::sqrt(square);
    const T ratio = phase == 0 ? T(1) : std::sin(phase) / phase;
    return -2 * (half_radius * ratio) * (half_radius * ratio);
  }
};

/// Returns the squares of the wavenumbers of centred differences, (2/h sin(k h / 2))^2.
AxisNumbers difference_squares(const OperatorPlan& plan, const std::vector<double>& steps) {
  AxisNumbers numbers = plan.filled(0);
  for (const int axis : plan.axes()) {
    const auto at = static_cast<std::size_t>(axis);
    const long double h = steps[at];
    numbers[at] = plan.wavenumbers(axis);
    for (long double& each : numbers[at]) {
      const long double wave = 2 / h * std::sin(each * h / 2);
      each = wave * wave;
    }
  }
  return numbers;
}

/// Returns the squares of the distances from the origin, on a periodic grid.
AxisNumbers distance_squares(const Shape& shape, const std::vector<double>& steps) {
  AxisNumbers numbers;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    numbers.emplace_back();
    for (std::int64_t j = 0; j < shape[axis]; ++j) {
      const long double distance =
          steps[axis] * static_cast<long double>(std::min(j, shape[axis] - j));
      numbers.back().push_back(distance * distance);
    }
  }
  return numbers;
}

FieldFunction inverse_differences(const PoissonGrid& grid, const Plan& plan) {
  const OperatorPlan made(plan, "second order", grid.lengths);
  return divide_by_squares(made, difference_squares(made, grid.steps));
}

PoissonFunction truncated_kernel(const PoissonGrid& grid, const Handle& fft) {
  const Precision precision = grid.transform.precision;
  const Layout& layout = fft.plan().output();
  const std::int64_t rank = fft.comm().rank();
  PoissonFunction made;
  made.factors = AlignedBuffer(layout.local_volume(rank) * real_bytes(precision));
  const OperatorPlan plan(fft.plan(), "the truncated kernel", grid.lengths);
  fill_from_squares({layout, rank, Element::real, precision, made.factors.data()}, plan.squares(),
                    TruncatedKernel{grid.radius});
  made.function =
      operators::transfer(fft.plan(), {rank, made.factors.data(), Element::real, precision});
  return made;
}

/// Returns the convolution with the potential of a unit charge, on the doubled grid. Collective.
PoissonFunction free_potential(const PoissonGrid& grid, const Handle& fft) {
  const comm::Communicator& comm = fft.comm();
  Problem whole = grid.transform;
  whole.support.clear();
  whole.has_input = false;
  whole.output_choice = OutputChoice::given;
  whole.output = fft.plan().output();
  Handle of_charge(whole, Handle::Options{}, comm);
  const Plan& plan = of_charge.plan();
  const Precision precision = plan.problem.precision;
  PoissonFunction made;
  const AlignedBuffer potential = comm::together(comm, [&] {
    const Element element = plan.stages.front().source_element;
    AlignedBuffer array(plan.input().local_volume(comm.rank()) * element_bytes(element, precision));
    fill_from_squares({plan.input(), comm.rank(), element, precision, array.data()},
                      distance_squares(plan.problem.shape, grid.steps), FreePotential(grid.steps));
    made.factors =
        AlignedBuffer(plan.output().local_volume(comm.rank()) * complex_bytes(precision));
    return array;
  });
  of_charge.execute(Direction::forward, potential.data(), made.factors.data());
  made.function = operators::convolution(
      fft.plan(), {comm.rank(), made.factors.data(), Element::complex, precision});
  return made;
}

/// Returns the element k = 0 of the first field. Returns nothing if the tile does not contain it.
template <class T>
Parts<double> zero_mode(const Tile& tile) {
  for (std::int64_t axis = 0; axis < tile.dims; ++axis)
    if (tile.lower[axis] != 0 || tile.extents[axis] < 1) return {0, 0};
  const T* const element = static_cast<const T*>(tile.inputs[0]);
  return {static_cast<double>(element[0]),
          tile.is_complex != 0 ? static_cast<double>(element[1]) : 0};
}

Parts<double> zero_mode(const Tile& tile, Precision precision) {
  switch (precision) {
    case Precision::f32:
      return zero_mode<float>(tile);
    case Precision::f64:
      return zero_mode<double>(tile);
    case Precision::f80:
      break;
  }
  return zero_mode<long double>(tile);
}

/// Returns a function that also returns the mean of the field as its results.
FieldFunction with_mean(FieldFunction function, const Problem& problem) {
  const auto points = static_cast<double>(logical_points(problem));
  const bool has_two_parts = problem.element == Element::complex;
  function.results = has_two_parts ? 2 : 1;
  function.call = [solve = std::move(function.call), points, has_two_parts,
                   precision = problem.precision](const Tile& tile) {
    const Parts<double> sum = zero_mode(tile, precision);  // read before the output overwrites it
    solve(tile);
    tile.results[0] = sum.re / points;
    if (has_two_parts) tile.results[1] = sum.im / points;
  };
  return function;
}

PoissonFunction function_of_method(const PoissonGrid& grid, const Handle& fft) {
  const comm::Communicator& comm = fft.comm();
  switch (grid.method) {
    case PoissonMethod::inverse_laplacian:
      return {comm::together(
          comm, [&] { return operators::inverse_laplacian(fft.plan(), grid.lengths); })};
    case PoissonMethod::differences:
      return {comm::together(comm, [&] { return inverse_differences(grid, fft.plan()); })};
    case PoissonMethod::truncated_kernel:
      return comm::together(comm, [&] { return truncated_kernel(grid, fft); });
    case PoissonMethod::free_potential:
      break;
  }
  return free_potential(grid, fft);
}

}  // namespace

PoissonFunction poisson_function(const PoissonGrid& grid, const Handle& fft) {
  PoissonFunction made = function_of_method(grid, fft);
  if (grid.has_zero_mode) made.function = with_mean(std::move(made.function), fft.plan().problem);
  return made;
}

}  // namespace weft::api
