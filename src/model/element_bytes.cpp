#include "model/element_bytes.hpp"

namespace weft::model {
std::int64_t element_bytes_before(const Plan& plan, std::size_t stage) {
  return element_bytes(plan.stages[stage].source_element, plan.problem.precision);
}

std::int64_t element_bytes_after(const Plan& plan, std::size_t stage) {
  return element_bytes(plan.stages[stage].target_element, plan.problem.precision);
}

}  // namespace weft::model
