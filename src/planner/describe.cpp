#include "planner/describe.hpp"

#include <array>

#include "layout/check.hpp"
#include "plan/readable.hpp"

namespace weft::planner {
namespace {

std::string axes_words(const Stage& stage) {
  if (stage.chirps) return "chirp";
  if (stage.axes.empty()) return "no axis";
  if (stage.convolves) return "axis " + join(stage.axes, " ") + " there and back";
  return (stage.axes.size() == 1 ? "axis " : "axes ") + join(stage.axes, " ");
}

std::string layout_words(const Layout& layout) {
  std::string text = layout.family();
  if (layout.is_grid() && text != "whole") text += " " + to_string(layout.process_grid());
  const std::int64_t idle = layout.empty_ranks();
  if (idle > 0)
    text += " on " + std::to_string(layout.ranks() - idle) + " of " +
            std::to_string(layout.ranks()) + " ranks";
  return text;
}

std::string in_words(const Plan& plan, const std::vector<Exchange>& exchanges) {
  const Shape view = plan.view();
  const char* const how = plan.convolves() ? " as a convolution of " : " seen as ";
  std::string text =
      layout_words(plan.input()) + (view.empty() ? "" : how + weft::to_string(view)) + ": ";
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    text += axes_words(plan.stages[i]);
    if (i < exchanges.size()) text += ", " + weft::describe(exchanges[i]) + ", ";
  }
  return text;
}

struct PlanPart {
  const char* words;
  double StepCost::*member;
};

constexpr std::array parts{PlanPart{"more arithmetic", &StepCost::arithmetic_s},
                           PlanPart{"more for moving data through memory", &StepCost::memory_s},
                           PlanPart{"more for starting messages", &StepCost::start_s},
                           PlanPart{"more on the wire", &StepCost::wire_s},
                           PlanPart{"more for receiving", &StepCost::processor_s}};

double sum(const PlanCost& cost, double StepCost::*member) {
  double total = 0;
  for (const StepCost& step : cost.steps) total += step.*member;
  return total;
}

}  // namespace

std::string describe(const Plan& plan) { return in_words(plan, plan.exchanges); }

std::string kind_of(const Plan& plan) {
  std::vector<Exchange> exchanges = plan.exchanges;
  for (Exchange& exchange : exchanges) {
    exchange.chunks = 1;
    exchange.piece_bytes = 0;
    if (exchange.requests != Requests::automatic) exchange.requests = Requests::ordinary;
  }
  return in_words(plan, exchanges);
}

std::string difference(const PlanCost& cost, const PlanCost& best) {
  const char* words = "less hidden";
  double most = sum(best, &StepCost::hidden_s) - sum(cost, &StepCost::hidden_s);
  for (const PlanPart& part : parts) {
    const double more = sum(cost, part.member) - sum(best, part.member);
    if (more > most) {
      most = more;
      words = part.words;
    }
  }
  if (most <= 0.001 * best.seconds()) return "as fast, but less simple";
  return readable_seconds(most) + " " + words;
}

}  // namespace weft::planner
