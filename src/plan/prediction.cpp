#include <weft/prediction.hpp>

namespace weft {

double PlanCost::seconds() const {
  double sum = call_s;
  for (const StepCost& step : steps) sum += step.seconds();
  return sum;
}

}  // namespace weft
