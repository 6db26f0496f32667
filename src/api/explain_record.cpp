#include "api/explain_record.hpp"

#include <algorithm>

#include "plan/readable.hpp"

namespace weft {
namespace {

/// Returns the part of a step in the time of a run: messages overlap with stages, so only the wait
/// for them counts.
double spent_s(const StepRecord& step) {
  return step.is_exchange && step.messages > 0 ? step.waited_s : step.end_s - step.start_s;
}

std::string line(const StepRecord& step, const StepCost* predicted) {
  std::string text = "  " + readable_seconds(spent_s(step));
  text.resize(std::max<std::size_t>(text.size(), 11), ' ');
  text += "  " + step.name;
  if (predicted != nullptr) text += "; predicted " + readable_seconds(predicted->seconds());
  return text + "\n";
}

}  // namespace

std::string record_lines(std::span<const StepRecord> record, const Prediction* prediction) {
  if (record.empty()) return {};
  double first = record.front().start_s;
  double last = record.front().end_s;
  for (const StepRecord& step : record) {
    first = std::min(first, step.start_s);
    last = std::max(last, step.end_s);
  }
  const bool alike = prediction != nullptr && prediction->cost.steps.size() == record.size();
  std::string text = "the last run took " + readable_seconds(last - first) + " on this rank";
  if (alike) text += "; predicted " + readable_seconds(prediction->cost.seconds());
  text += "\n";
  for (std::size_t i = 0; i < record.size(); ++i)
    text += line(record[i], alike ? &prediction->cost.steps[i] : nullptr);
  return text;
}

}  // namespace weft
