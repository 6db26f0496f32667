#include "planner/decision.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "planner/describe.hpp"

namespace weft::planner {
namespace {

constexpr std::size_t most_alternatives = 5;

using Times = std::map<std::size_t, double>;

double time_of(const Times& measured_s, std::size_t number) {
  const auto found = measured_s.find(number);
  return found == measured_s.end() ? 0 : found->second;
}

/// Returns the tried plans by their measured times, then the others by the model.
std::vector<std::size_t> others_in_order(const SearchResult& found, std::size_t chosen,
                                         const Times& measured_s) {
  std::vector<std::size_t> others;
  for (std::size_t number = 0; number < found.plans.size(); ++number)
    if (number != chosen) others.push_back(number);
  std::stable_sort(others.begin(), others.end(), [&](std::size_t one, std::size_t other) {
    const double a = time_of(measured_s, one);
    const double b = time_of(measured_s, other);
    if (a > 0 && b > 0) return a < b;
    return a > 0 && b == 0;
  });
  return others;
}

/// Returns the reason why a plan lost. A faster plan is not chosen if it needs more ranks, or
/// another order of ranks, for a negligible gain.
std::string why(const Priced& other, const Priced& best) {
  if (other.seconds < best.seconds && other.order != best.order)
    return "too little faster to justify another order of the ranks";
  if (other.seconds < best.seconds && ranks_used(other.plan) > ranks_used(best.plan))
    return "too little faster to justify more ranks";
  return difference(other.cost, best.cost);
}

std::string in_words(const Priced& priced) {
  const std::string words = describe(priced.plan);
  return priced.order.empty() ? words : words + ", ranks in the order " + priced.order;
}

}  // namespace

Plan decision(SearchResult found, std::size_t chosen, const Machine& machine,
              const Times& measured_s) {
  const Priced& best = found.plans[chosen];
  Prediction prediction{
      machine.name, best.cost,           {}, found.considered, time_of(measured_s, chosen),
      best.order,   best.default_order_s};
  for (const std::size_t number : others_in_order(found, chosen, measured_s)) {
    if (prediction.alternatives.size() == most_alternatives) break;
    const Priced& other = found.plans[number];
    prediction.alternatives.push_back(
        {in_words(other), other.seconds, why(other, best), time_of(measured_s, number)});
  }
  Plan plan = std::move(found.plans[chosen].plan);
  plan.chosen_by = measured_s.empty() ? "model" : "trials";
  plan.prediction = std::move(prediction);
  return plan;
}

}  // namespace weft::planner
