#include "model/element_bytes.hpp"

#include <algorithm>

namespace weft::model {
namespace {

/// The stage that turns real numbers into complex ones; for c2c none has to.
std::size_t halving_stage(const Plan& plan) {
  const auto halves = [&](const Stage& stage) {
    return std::find(stage.axes.begin(), stage.axes.end(), plan.problem.halved_axis()) !=
           stage.axes.end();
  };
  const auto found = std::find_if(plan.stages.begin(), plan.stages.end(), halves);
  return static_cast<std::size_t>(found - plan.stages.begin());
}

std::int64_t bytes(const Plan& plan, bool real) {
  const Precision precision = plan.problem.precision;
  return real ? real_bytes(precision) : complex_bytes(precision);
}

}  // namespace

std::int64_t element_bytes_before(const Plan& plan, std::size_t stage) {
  return bytes(plan, plan.problem.kind == Kind::r2c && stage <= halving_stage(plan));
}

std::int64_t element_bytes_after(const Plan& plan, std::size_t stage) {
  return bytes(plan, plan.problem.kind == Kind::r2c && stage < halving_stage(plan));
}

}  // namespace weft::model
