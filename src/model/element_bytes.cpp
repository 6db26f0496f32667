#include "model/element_bytes.hpp"

#include "plan/end_stages.hpp"

namespace weft::model {
namespace {

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
