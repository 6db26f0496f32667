#include <weft/round_trip.hpp>

#include "plan/explain_exchange.hpp"
#include "plan/explain_prediction.hpp"
#include "plan/readable.hpp"
#include "plan/round_trip_steps.hpp"

namespace weft {
namespace {

std::string fields_line(const FieldTrip& trip) {
  const FieldCounts& n = trip.counts;
  return std::string("a round trip with a function ") +
         (trip.turn == ApplyIn::spectrum ? "in the spectrum" : "in space") + ": " +
         counted(n.stored_in, "input") + ", " + counted(n.in, "field") + " there, " +
         counted(n.out, "field") + " back, " + counted(n.stored_out, "output") + "\n";
}

/// Returns words for the fields of a stage. At both ends and at the turn, reading and writing may
/// have different numbers of fields.
std::string fields_of_stage(const FieldTrip& trip, const RoundTripSteps& steps,
                            std::size_t position) {
  const FieldCounts& n = trip.counts;
  const bool is_first = position == 0;
  const bool is_last = position + 1 == steps.stages.size();
  if (!is_first && !is_last && position != steps.turn)
    return counted(position < steps.turn ? n.in : n.out, "field");
  const std::int64_t read = is_first ? n.stored_in : position <= steps.turn ? n.in : n.out;
  const std::int64_t written = is_last ? n.stored_out : position < steps.turn ? n.in : n.out;
  return "reads " + counted(read, is_first ? "input" : "field") + ", writes " +
         counted(written, is_last ? "output" : "field");
}

}  // namespace

std::string explain(const Plan& plan, const FieldTrip& trip,
                    const std::optional<Prediction>& prediction) {
  const RoundTripSteps steps = round_trip_steps(plan, trip.turn);
  const std::vector<std::string> names = step_names(plan, trip);
  std::string text = fields_line(trip);
  for (std::size_t i = 0; i < steps.stages.size(); ++i) {
    const Stage stage = executed_stage(plan, trip.turn, steps, i);
    text += names[2 * i] + "; " + fields_of_stage(trip, steps, i) + "; " + stage.source.describe() +
            "\n";
    if (i < steps.exchanges.size())
      text += "exchange of " + counted(fields_exchanged(trip, steps, i), "field") + ", each " +
              exchange_words(plan, steps.exchanges[i]) + "\n";
  }
  if (prediction)
    text += prediction_lines(*prediction, "for the round trip, without its functions");
  return text;
}

}  // namespace weft
