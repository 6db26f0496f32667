#include "model/planning_cost.hpp"

#include <cmath>

#include <weft/error.hpp>

#include "model/stage_lines.hpp"

namespace weft::model {
namespace {

/// planning_s of a machine without a measurement.
constexpr double assumed_planning_s = 0.06;
constexpr double measured_length = 256;
/// A line is planned forward and backward.
constexpr double both_ways = 2;
/// The time of `exhaustive` planning, relative to `measure`.
constexpr double exhaustive_share = 15;

/// Returns the time of planning a line, relative to measured_length. It grows as the square root of
/// the length.
double units(std::int64_t length) {
  return std::sqrt(static_cast<double>(length) / measured_length);
}

/// Returns the time of planning with an effort, relative to `measure`.
double share_of(Effort effort) {
  switch (effort) {
    case Effort::estimate:
      return 0;
    case Effort::measure:
      return 1;
    case Effort::exhaustive:
      return exhaustive_share;
  }
  throw Error(ErrorCode::internal, "no planning cost for this effort");
}

}  // namespace

LineKinds lines_of(const Plan& plan) {
  LineKinds lines;
  for (const Stage& stage : plan.stages)
    for (const int axis : stage.axes) {
      const StageLines along = lines_along(plan, stage, axis);
      lines.insert({along.kind, along.length});
    }
  return lines;
}

double planning_seconds(double planning_s, Effort effort, const LineKinds& lines) {
  const double share = share_of(effort);
  if (share == 0) return 0;
  double sum = 0;
  for (const auto& [kind, length] : lines) sum += units(length);
  return both_ways * sum * (planning_s > 0 ? planning_s : assumed_planning_s) * share;
}

double planning_of_unit(double seconds, std::int64_t length) { return seconds / units(length); }

}  // namespace weft::model
