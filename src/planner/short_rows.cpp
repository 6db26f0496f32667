#include "planner/short_rows.hpp"

#include <cstdint>

namespace weft::planner {
namespace {

/// A plan with short rows must be faster by at least this fraction.
constexpr double worth_short_rows = 0.02;
/// If the array allows it, the rows of a tile have this length.
constexpr std::int64_t short_row_bytes = 512;

/// Returns whether ranks have only short parts of the rows of a plan's output.
bool cuts_rows(const Plan& plan) {
  const Layout& output = plan.stages.back().target;
  if (!output.is_grid()) return false;
  const auto fastest = static_cast<std::size_t>(output.order().back());
  const std::int64_t parts = output.process_grid()[fastest];
  const std::int64_t row_bytes = output.shape()[fastest] * complex_bytes(plan.problem.precision);
  return parts > 1 && row_bytes < short_row_bytes * parts;
}

}  // namespace

PredictedPlan best_worth_its_rows(const std::vector<PredictedPlan>& all,
                                  const PredictedPlan& best) {
  if (!cuts_rows(best.plan)) return best;
  const double limit_s = best.seconds / (1 - worth_short_rows);
  for (const PredictedPlan& each : all) {
    if (each.seconds > limit_s) break;
    if (each.order == best.order && !cuts_rows(each.plan)) return each;
  }
  return best;
}

}  // namespace weft::planner
