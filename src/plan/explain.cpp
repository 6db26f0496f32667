#include <algorithm>

#include <weft/error.hpp>
#include <weft/plan.hpp>

#include "layout/check.hpp"
#include "layout/overlap.hpp"
#include "plan/chunks.hpp"
#include "plan/end_stages.hpp"
#include "plan/exchange_groups.hpp"
#include "plan/explain_exchange.hpp"
#include "plan/explain_prediction.hpp"
#include "plan/kinds.hpp"
#include "plan/methods/methods.hpp"
#include "plan/readable.hpp"
#include "plan/schedule.hpp"

namespace weft {
namespace {

std::string axes_in_words(const std::vector<int>& axes) {
  if (axes.empty()) return "no axis";
  return (axes.size() == 1 ? "axis " : "axes ") + join(axes, ", then ");
}

const char* exponent_sign(const Problem& problem) { return problem.sign < 0 ? "-" : "+"; }

std::string problem_line(const Problem& problem) {
  std::string text = to_string(problem.kinds) + " of " + to_string(problem.shape) + ", " +
                     to_string(problem.precision) + ", over " +
                     (problem.axes.size() == 1 ? "axis " : "axes ") + join(problem.axes, ", ");
  if (!problem.support.empty())
    text += "; support " + join(problem.support, ", ") + ", the input is " +
            to_string(problem.input_shape());
  if (!problem.modes.empty()) text += "; modes " + join(problem.modes, ", ");
  if (problem.has_halved_axis())
    text += "; axis " + std::to_string(problem.halved_axis()) + " is halved";
  if (!problem.modes.empty() || problem.has_halved_axis())
    text += ", the output is " + to_string(problem.output_shape());
  const std::vector<Kind>& kinds = problem.kinds.each();
  if (!std::all_of(kinds.begin(), kinds.end(), keeps_elements))
    text += std::string("; forward has exp(") + exponent_sign(problem) + "2*pi*i*j*k/n)";
  else if (problem.element == Element::complex)
    text += "; of both parts of complex numbers";
  return text + ", norm " + to_string(problem.norm);
}

/// Returns a line about the components. It is empty if the arrays have none.
std::string components_line(const Plan& plan) {
  const std::int64_t components = plan.problem.components;
  if (components == 0) return {};
  std::string text = counted(components, "component");
  if (components > 1) text += ", one after another";
  if (components > 1 && exchanges_can_overlap(plan))
    text += " in a pipeline: one is exchanged while the next is transformed";
  return text + "; layouts, stages and exchanges are those of one, predictions those of all\n";
}

std::string ranks_line(const Problem& problem) {
  return "on " + counted(problem.ranks, "rank") + ", " + counted(problem.threads, "thread") +
         (problem.ranks == 1 ? "" : " each");
}

std::string chooser_line(const Plan& plan) {
  if (plan.chosen_by == "model" && plan.prediction)
    return "chosen by: the model, on the machine \"" + plan.prediction->machine + "\"";
  if (plan.chosen_by == "wisdom")
    return "chosen by: wisdom: the fastest in earlier trials on this machine";
  return "chosen by: " +
         (plan.chosen_by == "fixed rule" ? "a fixed rule (no machine was given)" : plan.chosen_by);
}

std::string ends_lines(const Plan& plan) {
  const Problem& problem = plan.problem;
  std::string text =
      "input:  " + plan.input().describe() + (problem.has_input ? " (given)" : " (chosen)") + "\n";
  text += "output: " + plan.output().describe();
  if (plan.output().shape().size() != problem.shape.size())
    text += ", whose element (k1, k2) is X[k1 + " + std::to_string(plan.view()[0]) + "*k2],";
  switch (problem.output_choice) {
    case OutputChoice::any:
      return text + " (chosen)";
    case OutputChoice::same: {
      const bool has_own_cuts =
          problem.has_halved_axis() && !problem.has_input && !plan.view().empty();
      return text + (has_own_cuts ? " (in natural order)" : " (the same as the input)");
    }
    case OutputChoice::given:
      return text + " (given)";
  }
  return text;
}

/// Returns the cost of a stage that transforms nothing. The stage may be free if the caller's array
/// is in node memory, where other ranks can access it.
std::string cost_without_axes(const Plan& plan, std::size_t index) {
  if (plan.exchanges.empty()) return {};
  int copies = 0;
  std::string copying;
  for (const Direction direction : {Direction::forward, Direction::backward})
    for (const bool in_place : {false, true}) {
      if (!copies_always(plan, index, {direction, in_place})) continue;
      copying += (copying.empty() ? "" : ", ") + to_string(Variant{direction, in_place});
      ++copies;
    }
  if (copies == 4) return "; costs one copy";
  const bool last = index == plan.exchanges.size();
  return std::string("; costs nothing if the ") +
         (last ? "output comes from output" : "input comes from input") +
         ".empty(), otherwise one copy" + (copying.empty() ? "" : "; always one copy: " + copying);
}

/// Returns words for the change of shape by a stage. The new shape follows them.
std::string change_in_words(const Plan& plan, std::size_t index) {
  const Stage& stage = plan.stages[index];
  if (stage.chirps) {
    const std::string chirp = std::string("exp(") + exponent_sign(plan.problem) + "pi*i*j^2/n)";
    return ", times the chirp " + chirp + ", as " +
           (index == 0 ? "rows filled up with zeros, " : "");
  }
  if (plan.convolves())
    return index == 1 ? ", filled up with zeros to " : ", of which the first rows are kept, ";
  if (unfolds(plan, index)) return ", put together with its mirror image, X[n-k] = conj X[k], as ";
  return stage.target.dims() == stage.source.dims() ? ", which becomes " : ", seen as ";
}

/// Returns words for the factors by which a stage multiplies: twiddles, chirps.
std::string products_in_words(const Plan& plan, std::size_t index) {
  const Stage& stage = plan.stages[index];
  if (stage.convolves) return ", times the spectrum of the chirp's conjugate, and back";
  if (!stage.twiddles) return {};
  if (!plan.convolves()) return ", times exp(sign*2*pi*i*k1*j2/n)";
  return index == 1 ? ", times exp(-2*pi*i*k1*j2/m)" : ", after exp(+2*pi*i*k1*j2/m)";
}

std::string stage_line(const Plan& plan, std::size_t index) {
  const Stage& stage = plan.stages[index];
  const bool is_back = plan.convolves() && index == 3;
  std::string text = "stage " + std::to_string(index) + ": transforms " +
                     axes_in_words(stage.axes) + (is_back ? " back" : "") + " of " +
                     stage.source.describe();
  if (stage.target.shape() != stage.source.shape())
    text += change_in_words(plan, index) + to_string(stage.target.shape());
  text += products_in_words(plan, index);
  if (stage.target.dims() == stage.source.dims() && stage.target.order() != stage.source.order())
    text += ", written in memory order (" + join(stage.target.order(), ", ") + ")";
  if (stage.folds) text += ", written in the order of columns 0, n2-1, 1, n2-2, ...";
  if (stage.axes.empty()) text += cost_without_axes(plan, index);
  return text;
}

/// The data that the busiest rank sends or receives. Each member is the larger of the sent and the
/// received number, because backward swaps the two.
struct ExchangedBytes {
  std::int64_t messages = 0;
  std::int64_t elements = 0;
};

ExchangedBytes traffic(const Layout& from, const Layout& to) {
  ExchangedBytes most;
  for (std::int64_t rank = 0; rank < from.ranks(); ++rank) {
    const Box before = from.box(rank);
    const Box after = to.box(rank);
    const std::int64_t kept = intersect(before, after).volume();
    const std::int64_t peers =
        std::max(count_overlaps(from, rank, to), count_overlaps(to, rank, from));
    most.elements = std::max(most.elements, std::max(before.volume(), after.volume()) - kept);
    most.messages = std::max(most.messages, peers - (kept > 0 ? 1 : 0));
  }
  return most;
}

/// Returns the number of ranks in a schedule: a row or column of ranks, or all ranks for node-aware
/// exchanges.
std::int64_t ranks_in_schedule(const Exchange& exchange, const Layout& from, const Layout& to) {
  return is_node_aware(exchange) ? from.ranks() : ranks_per_group(from, to);
}

/// Returns a remark if ranks have fewer partners than the schedule has steps. Without it, a count
/// of thousands of steps would confuse.
std::string empty_ones(std::int64_t steps, std::int64_t others) {
  return steps > others + 1 ? ", empty ones left out" : "";
}

std::string manner(const Exchange& exchange, std::int64_t ranks, std::int64_t others) {
  std::string text = describe(exchange) + ": " + find_method(exchange).summary;
  switch (exchange.schedule) {
    case Schedule::automatic:
      break;
    case Schedule::pairwise:
      return text + ", in " + counted(pairwise_rounds(ranks), "round") + " of perfect matchings" +
             empty_ones(pairwise_rounds(ranks), others);
    case Schedule::cyclic:
      return text + ", in " + counted(ranks - 1, "step") + empty_ones(ranks - 1, others);
    case Schedule::scattered:
      return text + ", all at once";
  }
  return text;
}

/// Returns words for the chunks of a forward transform. Backward may have more or fewer slices.
std::string chunks_words(const Plan& plan, std::size_t index) {
  if (plan.exchanges[index].chunks == 1) return {};
  const Chunking chunking = chunking_of(plan.stages[index], plan.stages[index + 1]);
  if (chunking.axis < 0) return "; forward sends it whole";
  return "; chunks along axis " + std::to_string(chunking.axis) + ", sent while the next are " +
         (chunking.both ? "transformed, and transformed while the next arrive" : "transformed");
}

/// Returns the engine of each line, then the version of each engine.
std::string engine_lines(const Plan& plan) {
  if (plan.line_engines.empty()) return {};
  std::string text;
  for (const LineEngine& each : plan.line_engines)
    text += std::string(text.empty() ? "lines: " : "; ") + to_string(each.kind) + " of " +
            counted(each.length, "point") + (each.across_memory ? " across memory" : "") + " by " +
            each.engine + (each.across_tile ? ", not transposed" : "");
  text += "\n";
  for (const EngineVersion& each : plan.engines)
    text += "engine " + each.name + ": " + each.library + "\n";
  return text;
}

}  // namespace

std::string exchange_words(const Plan& plan, std::size_t index) {
  const Layout& from = plan.stages[index].target;
  const Layout& to = plan.stages[index + 1].source;
  const ExchangedBytes most = traffic(from, to);
  if (most.elements == 0) return "nothing moves between ranks";
  const Exchange& exchange = plan.exchanges[index];
  const bool real = carries_reals(plan, index);
  const Precision precision = plan.problem.precision;
  const double wire = exchange.wire == WirePrecision::f32 ? 0.5 : 1;
  const auto bytes =
      wire * static_cast<double>(real ? real_bytes(precision) : complex_bytes(precision));
  return manner(exchange, ranks_in_schedule(exchange, from, to), most.messages) +
         chunks_words(plan, index) + "; a rank moves at most " +
         counted(most.elements, std::string(real ? "real" : "complex") + " element") + " (" +
         readable_bytes(bytes * static_cast<double>(most.elements)) + ") with at most " +
         counted(most.messages, "other");
}

std::string explain(const Plan& plan) {
  if (plan.stages.empty() || plan.stages.size() != plan.exchanges.size() + 1)
    throw Error(ErrorCode::invalid_argument,
                "a plan that is explained must have one exchange between each two stages; given " +
                    counted(static_cast<std::int64_t>(plan.stages.size()), "stage") + " and " +
                    counted(static_cast<std::int64_t>(plan.exchanges.size()), "exchange"));
  std::string text = problem_line(plan.problem) + "\n" + ranks_line(plan.problem) + "\n" +
                     components_line(plan) + chooser_line(plan) + "\n" + ends_lines(plan) + "\n";
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    text += stage_line(plan, i) + "\n";
    if (i < plan.exchanges.size())
      text += "exchange " + std::to_string(i) + ": " + exchange_words(plan, i) + "\n";
  }
  text += engine_lines(plan);
  for (const std::string& note : plan.notes) text += "note: " + note + "\n";
  if (plan.prediction) text += prediction_lines(*plan.prediction);
  return text;
}

}  // namespace weft
