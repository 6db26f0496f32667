#include "plan/coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <weft/error.hpp>

#include "base/kinds.hpp"

namespace weft {
namespace {

void check_axis(const Problem& problem, int axis, double length) {
  const auto axes = static_cast<int>(problem.shape.size());
  if (axis < 0 || axis >= axes)
    throw Error(ErrorCode::invalid_argument, "an axis must be in 0.." + std::to_string(axes - 1) +
                                                 "; given " + std::to_string(axis) +
                                                 "; count from 0, without the axis of components");
  if (!std::isfinite(length) || length <= 0)
    throw Error(ErrorCode::invalid_argument,
                "the length of an axis must be finite and above 0; given " +
                    std::to_string(length) + "; give 1 for positions in units of the length");
}

/// Returns the values of `whole` for the indices of a box, multiplied by `unit`.
std::vector<double> part_of(const std::vector<double>& whole, const Box& box, int axis,
                            double unit) {
  const auto at = static_cast<std::size_t>(axis);
  std::vector<double> part(whole.begin() + box.lower[at], whole.begin() + box.upper[at]);
  for (double& value : part) value *= unit;
  return part;
}

}  // namespace

bool is_transformed(const Problem& problem, int axis) {
  return std::find(problem.axes.begin(), problem.axes.end(), axis) != problem.axes.end();
}

std::vector<double> unit_positions(const Problem& problem, int axis) {
  const std::int64_t points = problem.shape[static_cast<std::size_t>(axis)];
  if (!is_transformed(problem, axis)) {
    std::vector<double> all;
    for (std::int64_t j = 0; j < points; ++j)
      all.push_back(static_cast<double>(j) / static_cast<double>(points));
    return all;
  }
  const KindTraits& traits = traits_of(problem.kind_of(axis));
  // The position of a kind's first point equals the lowest wavenumber of its inverse kind.
  const double first = static_cast<double>(traits_of(traits.inverse).twice_lowest) / 2;
  const auto intervals = static_cast<double>(points + traits.logical_shift);
  std::vector<double> all;
  for (std::int64_t j = 0; j < problem.support_of(axis); ++j)
    all.push_back((static_cast<double>(j) + first) / intervals);
  return all;
}

std::vector<double> unit_wavenumbers(const Problem& problem, int axis) {
  const KindTraits& traits = traits_of(problem.kind_of(axis));
  const std::int64_t modes = problem.modes_of(axis);
  const bool is_halved = problem.halves(axis);
  std::vector<double> all;
  for (std::int64_t k = 0; k < (is_halved ? modes / 2 + 1 : modes); ++k) {
    if (is_halved)
      all.push_back(static_cast<double>(k));
    else if (traits.is_periodic())
      all.push_back(static_cast<double>(2 * k < modes ? k : k - modes));
    else
      all.push_back(static_cast<double>(k) + static_cast<double>(traits.twice_lowest) / 2);
  }
  return all;
}

std::vector<double> positions_on(const Plan& plan, std::int64_t rank, int axis, double length) {
  check_axis(plan.problem, axis, length);
  return part_of(unit_positions(plan.problem, axis), plan.input().box(rank), axis, length);
}

std::vector<double> wavenumbers_on(const Plan& plan, std::int64_t rank, int axis, double length) {
  const Problem& problem = plan.problem;
  check_axis(problem, axis, length);
  const Layout& output = plan.output();
  if (output.shape().size() != problem.shape.size())
    throw Error(ErrorCode::unsupported,
                "wavenumbers belong to an axis of the output; this output of one axis has two, " +
                    to_string(output.shape()) +
                    ", and element (k1, k2) is X[k1 + n1*k2]; ask for the output \"same\"");
  const Box box = output.box(rank);
  if (!is_transformed(problem, axis))
    return std::vector<double>(static_cast<std::size_t>(box.extent(axis)), 0.0);
  const bool is_periodic = traits_of(problem.kind_of(axis)).is_periodic();
  const double unit = (is_periodic ? 2 : 1) * std::numbers::pi / length;
  return part_of(unit_wavenumbers(problem, axis), box, axis, unit);
}

}  // namespace weft
