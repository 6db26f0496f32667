#include "api/explain_record.hpp"

#include <algorithm>

#include "plan/readable.hpp"

namespace weft {
namespace {

/// Returns the seconds that a step adds to its run. Stages run while messages are under way, so
/// only the wait for messages counts.
double added_seconds(const StepRecord& step) {
  return step.is_exchange && step.messages > 0 ? step.waited_s : step.end_s - step.start_s;
}

std::string step_line(const std::string& name, double seconds, const StepCost* predicted) {
  std::string text = "  " + readable_seconds(seconds);
  text.resize(std::max<std::size_t>(text.size(), 11), ' ');
  text += "  " + name;
  if (predicted != nullptr) text += "; predicted " + readable_seconds(predicted->seconds());
  return text + "\n";
}

}  // namespace

std::string record_lines(std::span<const StepRecord> record, std::size_t steps, std::int64_t fields,
                         const Prediction* prediction) {
  if (record.empty()) return {};
  double first = record.front().start_s;
  double last = record.front().end_s;
  for (const StepRecord& step : record) {
    first = std::min(first, step.start_s);
    last = std::max(last, step.end_s);
  }
  const bool is_summed = record.size() == steps * static_cast<std::size_t>(fields);
  const std::size_t lines = is_summed ? steps : record.size();
  const bool has_prediction = prediction != nullptr && prediction->cost.steps.size() == lines;
  std::string text =
      "the steps of the last run took " + readable_seconds(last - first) + " on this rank";
  // A record does not include the time of the call itself. So the predicted call_s is left out too.
  if (has_prediction)
    text += "; predicted " + readable_seconds(prediction->cost.seconds() - prediction->cost.call_s);
  text += "\n";
  for (std::size_t i = 0; i < lines; ++i) {
    double seconds = 0;
    for (std::size_t each = i; each < record.size(); each += lines)
      seconds += added_seconds(record[each]);
    text +=
        step_line(record[i].name, seconds, has_prediction ? &prediction->cost.steps[i] : nullptr);
  }
  return text;
}

}  // namespace weft
