#include "plan/end_stages.hpp"
#include "plan/methods/methods.hpp"

#include <algorithm>

namespace weft {
namespace {

/// Returns whether a stage at the end of a plan only copies.
bool only_copies(const Stage& stage) { return stage.axes.empty() && !stage.chirps; }

/// Return the exchange that is executed first, and the exchange that is executed last.
std::size_t first_exchange(const Plan& plan, Variant variant) {
  return variant.is_backward() ? plan.exchanges.size() - 1 : 0;
}
std::size_t last_exchange(const Plan& plan, Variant variant) {
  return variant.is_backward() ? 0 : plan.exchanges.size() - 1;
}

}  // namespace

std::string to_string(Variant variant) {
  return std::string(variant.is_backward() ? "backward" : "forward") +
         (variant.in_place ? " in place" : "");
}

bool carries_reals(const Plan& plan, std::size_t exchange) {
  return plan.stages[exchange].target_element == Element::real;
}

bool unfolds(const Plan& plan, std::size_t stage) {
  return stage > 0 && plan.stages[stage - 1].folds;
}

bool writes_into_outputs(const Plan& plan, Variant variant) {
  if (plan.exchanges.size() < 2) return false;
  if (!variant.is_backward() && unfolds(plan, plan.exchanges.size())) return false;
  const Stage& stage = variant.is_backward() ? plan.stages.front() : plan.stages.back();
  const std::size_t exchange = last_exchange(plan, variant);
  return only_copies(stage) && reads_peers(plan.exchanges[exchange]) &&
         !(variant.in_place && carries_reals(plan, exchange));
}

bool reads_from_inputs(const Plan& plan, Variant variant) {
  if (plan.exchanges.empty()) return false;
  if (variant.is_backward() && unfolds(plan, plan.exchanges.size())) return false;
  const Stage& stage = variant.is_backward() ? plan.stages.back() : plan.stages.front();
  const std::size_t exchange = first_exchange(plan, variant);
  if (!only_copies(stage) || !reads_peers(plan.exchanges[exchange])) return false;
  if (!variant.in_place) return true;
  const std::size_t last_stage = plan.exchanges.size();
  const std::size_t writing_stage = last_stage - (writes_into_outputs(plan, variant) ? 1 : 0);
  return writing_stage >= 2 && !carries_reals(plan, exchange);
}

bool copies_always(const Plan& plan, std::size_t stage, Variant variant) {
  const bool is_first = stage == (variant.is_backward() ? plan.exchanges.size() : 0);
  const bool is_last = stage == (variant.is_backward() ? 0 : plan.exchanges.size());
  return !(is_first && reads_from_inputs(plan, variant)) &&
         !(is_last && writes_into_outputs(plan, variant));
}

}  // namespace weft
