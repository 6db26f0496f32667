#include "planner/decision.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "planner/describe.hpp"

namespace weft::planner {
namespace {

/// The number of plans that a prediction lists next to the chosen one.
constexpr std::size_t most_alternatives = 5;

using Times = std::map<std::size_t, double>;

/// Returns the measured time of a plan; 0 if it was not tried.
double time_of(const Times& measured_s, std::size_t index) {
  const auto found = measured_s.find(index);
  return found == measured_s.end() ? 0 : found->second;
}

/// Returns the indices of all plans but the chosen one. The tried plans are first, by their
/// measured times. The others follow, by their predicted times.
std::vector<std::size_t> others_in_order(const SearchResult& found, std::size_t chosen,
                                         const Times& measured_s) {
  std::vector<std::size_t> others;
  for (std::size_t index = 0; index < found.plans.size(); ++index)
    if (index != chosen) others.push_back(index);
  std::stable_sort(others.begin(), others.end(), [&](std::size_t one, std::size_t other) {
    const double a = time_of(measured_s, one);
    const double b = time_of(measured_s, other);
    if (a > 0 && b > 0) return a < b;
    return a > 0 && b == 0;
  });
  return others;
}

/// Returns the reason why a plan was not chosen. Even a faster plan may not be chosen, because a
/// small gain does not justify more ranks, or another order of ranks.
std::string loses_by(const PredictedPlan& other, const PredictedPlan& best) {
  if (other.seconds < best.seconds && other.order != best.order)
    return "gains too little to justify another order of the ranks";
  if (other.seconds < best.seconds && ranks_used(other.plan) > ranks_used(best.plan))
    return "gains too little to justify more ranks";
  return difference(other.cost, best.cost);
}

std::string in_words(const PredictedPlan& predicted) {
  const std::string words = describe(predicted.plan);
  return predicted.order.empty() ? words : words + ", ranks in the order " + predicted.order;
}

}  // namespace

Plan decision(SearchResult found, std::size_t chosen, const Machine& machine,
              const Times& measured_s) {
  const PredictedPlan& best = found.plans[chosen];
  Prediction prediction{
      machine.name, best.cost,           {}, found.considered, time_of(measured_s, chosen),
      best.order,   best.default_order_s};
  for (const std::size_t index : others_in_order(found, chosen, measured_s)) {
    if (prediction.alternatives.size() == most_alternatives) break;
    const PredictedPlan& other = found.plans[index];
    prediction.alternatives.push_back(
        {in_words(other), other.seconds, loses_by(other, best), time_of(measured_s, index)});
  }
  Plan plan = std::move(found.plans[chosen].plan);
  plan.chosen_by = measured_s.empty() ? "model" : "trials";
  plan.prediction = std::move(prediction);
  return plan;
}

}  // namespace weft::planner
