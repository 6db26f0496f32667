#include "plan/explain_prediction.hpp"

#include <array>
#include <cstdio>

#include "plan/readable.hpp"

namespace weft {

namespace {

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

/// Returns the limit of a step. If a link that nodes share is the limit, names the link: "limited
/// by bandwidth of LINK".
std::string limit_words(const StepCost& step) {
  if (step.limit == Limit::nothing) return "free";
  std::string words = std::string("limited by ") + to_string(step.limit);
  if (!step.where.empty()) words += " of " + step.where;
  return words;
}

std::string amounts(const StepCost& step) {
  const std::string bytes = readable_bytes(static_cast<double>(step.bytes));
  if (!step.is_exchange) return step.bytes > 0 ? bytes + " read and written" : "";
  if (step.messages == 0) return step.bytes > 0 ? bytes + " from other ranks" : "";
  std::string words = bytes + " in " + counted(step.messages, "message");
  if (step.hidden_s > 0) words += ", " + readable_seconds(step.hidden_s) + " hidden";
  return words;
}

std::string step_line(const StepCost& step) {
  const std::string name = step.is_exchange ? "exchange" : step.name;
  // A name that fills its column needs a separator.
  std::string line = "  " + padded(readable_seconds(step.seconds()), 9) + "  " +
                     padded(name.size() < 10 ? name : name + "; ", 10) + limit_words(step);
  if (const std::string words = amounts(step); !words.empty()) line += "; " + words;
  return line + "\n";
}

/// Returns a line with the order of ranks that the prediction assumes, and the time in the default
/// order. The user must start the ranks in the assumed order.
std::string order_line(const Prediction& prediction) {
  std::string line = "ranks over the nodes in the order " + prediction.order;
  if (prediction.default_order_s > 0)
    line +=
        "; in the default order this plan takes " + readable_seconds(prediction.default_order_s);
  return line + "\n";
}

/// Returns the time of the plan in its trial. For a plan that was not tried, returns the reason why
/// it is slower.
std::string trial_or_disadvantage(const Alternative& alternative) {
  if (alternative.measured_s == 0) return alternative.loses_by;
  return "tried, " + readable_seconds(alternative.measured_s);
}

std::string alternative_line(const Alternative& alternative, double best_s) {
  std::array<char, 16> ratio{};
  std::snprintf(ratio.data(), ratio.size(), "%.2f x", alternative.seconds / best_s);
  return "  " + padded(readable_seconds(alternative.seconds), 9) + "  " + padded(ratio.data(), 10) +
         alternative.way + ": " + trial_or_disadvantage(alternative) + "\n";
}

}  // namespace

std::string prediction_lines(const Prediction& prediction, const std::string& of_what) {
  const double seconds = prediction.cost.seconds();
  std::string text = "predicted on the machine \"" + prediction.machine +
                     "\": " + readable_seconds(seconds) + " " + of_what + "\n";
  if (!prediction.order.empty()) text += order_line(prediction);
  if (prediction.measured_s > 0)
    text += "tried on these ranks: " + readable_seconds(prediction.measured_s) + "\n";
  for (const StepCost& step : prediction.cost.steps) text += step_line(step);
  if (prediction.cost.call_s > 0)
    text += "  " + padded(readable_seconds(prediction.cost.call_s), 9) +
            "  checks of the call, and agreement of all ranks\n";
  if (prediction.alternatives.empty()) return text;
  text += "the next best of " + counted(prediction.considered, "plan") + " that were compared:\n";
  for (const Alternative& each : prediction.alternatives) text += alternative_line(each, seconds);
  return text;
}

}  // namespace weft
