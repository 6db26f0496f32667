#include "plan/check_plan.hpp"

#include <algorithm>

#include <weft/error.hpp>

#include "layout/check.hpp"
#include "plan/chirp_view.hpp"
#include "plan/fixed_rule.hpp"
#include "plan/folded_view.hpp"
#include "plan/kinds.hpp"
#include "plan/line_view.hpp"
#include "plan/methods/methods.hpp"
#include "plan/view_parts.hpp"

namespace weft {
namespace {

std::string name(std::size_t stage) { return "stage " + std::to_string(stage); }

void check_problem(const Plan& plan) {
  Problem complete;
  try {
    complete = checked(plan.problem);
  } catch (const Error& error) {
    refuse_plan(error.what());
  }
  if (complete != plan.problem)
    refuse_plan(
        "its problem must be complete, as checked() makes it; some axes are negative or left out");
}

void check_line_effort(const Plan& plan) {
  if (plan.line_effort > plan.problem.effort)
    refuse_plan(std::string("local FFTs must be planned with the effort of the problem, ") +
                to_string(plan.problem.effort) + ", or less; given " + to_string(plan.line_effort));
}

void check_counts(const Plan& plan) {
  if (plan.stages.empty()) refuse_plan("it must have at least one stage; given none");
  if (plan.stages.size() != plan.exchanges.size() + 1)
    refuse_plan("there must be one exchange between each two stages; given " +
                std::to_string(plan.stages.size()) + " stages and " +
                std::to_string(plan.exchanges.size()) + " exchanges");
}

/// Checks that every axis in problem.axes is transformed once, and the axis that r2c halves first.
void check_axes(const Plan& plan) {
  std::vector<int> done;
  for (const Stage& stage : plan.stages)
    done.insert(done.end(), stage.axes.begin(), stage.axes.end());
  const std::vector<int>& wanted = plan.problem.axes;
  const bool twiddles = std::any_of(plan.stages.begin(), plan.stages.end(),
                                    [](const Stage& stage) { return stage.twiddles; });
  if (twiddles) refuse_plan("only an axis that is seen as two has twiddles");
  const bool folds = std::any_of(plan.stages.begin(), plan.stages.end(),
                                 [](const Stage& stage) { return stage.folds; });
  if (folds) refuse_plan("only an axis that is seen as two has columns to fold");
  if (!std::is_permutation(done.begin(), done.end(), wanted.begin(), wanted.end()))
    refuse_plan("its stages must transform each of the axes (" + join(wanted, ", ") +
                ") once; given (" + join(done, ", ") + ")");
  if (plan.problem.has_halved_axis() && done.front() != plan.problem.halved_axis())
    refuse_plan("r2c must transform the axis it halves, " +
                std::to_string(plan.problem.halved_axis()) + ", before all others; given axis " +
                std::to_string(done.front()) + " first");
}

void check_ranks_of(const Plan& plan, const Layout& layout, const std::string& which) {
  if (layout.ranks() != plan.problem.ranks)
    refuse_plan(which + " must be for " + std::to_string(plan.problem.ranks) + " ranks; given " +
                std::to_string(layout.ranks()));
}

void check_layout(const Layout& layout, const Shape& shape, const Plan& plan,
                  const std::string& which) {
  if (layout.shape() != shape)
    refuse_plan(which + " must have the shape " + to_string(shape) + "; given " +
                to_string(layout.shape()));
  check_ranks_of(plan, layout, which);
}

/// Checks that a stage moves no data between ranks. `owned` is the layout of its source, with the
/// extents of its target.
void check_owns_alike(const Stage& stage, const Layout& owned, const std::string& which) {
  if (!owned.same_boxes(stage.target))
    refuse_plan("source and target of " + which + " must give every rank the same part; given " +
                stage.source.describe() + " and " + stage.target.describe());
}

void check_whole(const Stage& stage, const std::string& which) {
  for (int axis : stage.axes)
    if (!stage.source.is_whole(axis))
      refuse_plan(which + " must have axis " + std::to_string(axis) +
                  " whole to transform it; given " + stage.source.describe());
}

void check_no_chirp(const Plan& plan) {
  if (std::any_of(plan.stages.begin(), plan.stages.end(),
                  [](const Stage& stage) { return stage.chirps; }))
    refuse_plan("only a convolution has a chirp, and no stage convolves");
}

/// Checks the stages of a view (one axis treated as two). The first and the last stage change the
/// shape. The others are as in other plans.
void check_stages_of_view(const Plan& plan) {
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const Stage& stage = plan.stages[i];
    check_ranks_of(plan, stage.source, "the source of " + name(i));
    check_ranks_of(plan, stage.target, "the target of " + name(i));
  }
  if (!plan.problem.has_whole_axes())
    refuse_plan("an axis that is seen as two has all its points and wavenumbers");
  plan.convolves() ? check_chirp(plan) : check_view(plan);
  if (plan.stages.size() == 2) return;  // check_long_line() has checked a long line on one rank
  for (std::size_t i = 1; i < plan.stages.size(); ++i) {
    const Stage& stage = plan.stages[i];
    if (stage.axes.empty()) continue;
    check_whole(stage, name(i));
    const bool changes = stage.source.shape() != stage.target.shape();
    check_owns_alike(stage,
                     changes ? stage.source.with_extent(0, stage.target.shape()[0]) : stage.source,
                     name(i));
  }
}

void check_stages(const Plan& plan) {
  const Problem& problem = plan.problem;
  Shape shape = problem.input_shape();
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const Stage& stage = plan.stages[i];
    check_layout(stage.source, shape, plan, "the source of " + name(i));
    check_whole(stage, name(i));
    Layout owned = stage.source;
    const bool transforms = !stage.axes.empty();
    if (transforms) {
      owned = after_axes(stage.source, problem, stage.axes);
      shape = owned.shape();
    }
    check_layout(stage.target, shape, plan, "the target of " + name(i));
    check_owns_alike(stage, owned, name(i));
  }
}

void check_end(const Layout& layout, const Layout& asked, const char* which) {
  if (layout.same_boxes(asked) && layout.order() == asked.order()) return;
  refuse_plan(std::string("its ") + which + " must be the layout that the problem asks for, " +
              asked.describe() + "; given " + layout.describe());
}

/// Returns the layout of output "same". If weft chose the input and the output is half a spectrum,
/// weft also chooses the cuts of the output, among the ranks with data.
Layout same_output(const Plan& plan) {
  const Problem& problem = plan.problem;
  if (problem.has_input || plan.view().empty() || !problem.has_halved_axis())
    return same_layout(plan.input(), problem);
  const std::int64_t busy = problem.ranks - plan.input().empty_ranks();
  if (plan.convolves())
    return cut_between(problem.output_shape()[0], plan.view()[1], busy, problem.ranks);
  return half_between_rows(plan.view(), busy, problem.ranks);
}

void check_ends(const Plan& plan) {
  const Problem& problem = plan.problem;
  if (problem.has_input) check_end(plan.input(), problem.input, "input");
  if (problem.output_choice == OutputChoice::given)
    check_end(plan.output(), problem.output, "output");
  if (problem.output_choice == OutputChoice::same)
    check_end(plan.output(), same_output(plan), "output");
}

void check_elements(const Plan& plan) {
  std::vector<Stage> wanted = plan.stages;
  set_elements(wanted, plan.problem);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] != plan.stages[i])
      refuse_plan(name(i) + " must transform " + to_string(wanted[i].source_element) + " to " +
                  to_string(wanted[i].target_element) + " numbers; given " +
                  to_string(plan.stages[i].source_element) + " to " +
                  to_string(plan.stages[i].target_element));
}

template <class E>
bool keeps(E forced, E given) {
  return forced == E::automatic || forced == given;
}

void check_exchanges(const Plan& plan) {
  for (std::size_t i = 0; i < plan.exchanges.size(); ++i) {
    const Exchange& exchange = plan.exchanges[i];
    const Exchange forced = forced_exchange(plan.problem, i);
    std::string which = "exchange " + std::to_string(i);
    if (exchange.preset != Preset::none)
      refuse_plan(which + " must have its choices decided, without a preset; given the preset " +
                  to_string(exchange.preset));
    try {
      find_method(exchange);
    } catch (const Error& error) {
      refuse_plan(which.append(": ").append(error.what()));
    }
    const std::string why_not = refusal(find_method(exchange), exchange, plan.problem);
    if (!why_not.empty()) refuse_plan(which.append(": ").append(why_not));
    const bool keeps_chunks = forced.chunks == 0 || exchange.chunks <= forced.chunks;
    if (!keeps(forced.method, exchange.method) || !keeps(forced.wire_form, exchange.wire_form) ||
        !keeps(forced.schedule, exchange.schedule) || !keeps(forced.requests, exchange.requests) ||
        !keeps(forced.nodes, exchange.nodes) || !keeps_chunks || forced.wire != exchange.wire ||
        (forced.piece_bytes != 0 && forced.piece_bytes != exchange.piece_bytes))
      refuse_plan(which + " must keep the choices that its problem forces; given " +
                  describe(exchange));
  }
}

/// Checks that no plan mixes shared memory and messages. Ranks that share memory reuse it after all
/// ranks have synchronised. An exchange by messages does not synchronise all ranks. After it, a
/// rank could overwrite shared memory that others still read.
void check_memory_use(const Plan& plan) {
  const auto use = [](const Exchange& exchange) -> std::string {
    if (reads_peers(exchange)) return "shared";
    return is_node_aware(exchange) ? "node-aware" : "by messages or collective calls";
  };
  for (const Exchange& exchange : plan.exchanges)
    if (use(exchange) != use(plan.exchanges[0]))
      refuse_plan(
          "all exchanges must be shared, all node-aware, or all by messages or collective calls; "
          "exchange 0 is " +
          use(plan.exchanges[0]) + ", another " + use(exchange));
}

std::string in_words(const LineEngine& lines) {
  return std::string(to_string(lines.kind)) + " of " + std::to_string(lines.length) + " points" +
         (lines.across_memory ? " across memory" : "");
}

/// Checks the engines of the lines. Lines of one kind, length and direction in memory must have
/// only one entry. Lines without an entry take the default engine.
void check_engines(const Plan& plan) {
  for (const LineEngine& each : plan.line_engines) {
    if (each.length < 1 || each.lines < 1)
      refuse_plan("lines with an engine must have at least 1 point, and be at least 1; given " +
                  std::to_string(each.lines) + " lines, " + in_words(each));
    const auto same_lines = [&](const LineEngine& other) {
      return other.kind == each.kind && other.length == each.length &&
             other.across_memory == each.across_memory;
    };
    if ((each.across_memory || each.across_tile) && each.kind != Kind::c2c)
      refuse_plan("only complex lines are kept across memory; given " + in_words(each));
    if (each.across_tile && !each.across_memory)
      refuse_plan("only lines across memory can be so in a tile; given " + in_words(each));
    if (std::count_if(plan.line_engines.begin(), plan.line_engines.end(), same_lines) > 1)
      refuse_plan("lines must have one engine; two are given for " + in_words(each));
    if (std::none_of(plan.engines.begin(), plan.engines.end(),
                     [&](const EngineVersion& known) { return known.name == each.engine; }))
      refuse_plan("engines must list the engine of every line; it lacks \"" + each.engine +
                  "\", of " + in_words(each));
  }
}

}  // namespace

void refuse_plan(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, "a plan must be consistent: " + message);
}

void check_plan(const Plan& plan) {
  check_problem(plan);
  check_line_effort(plan);
  check_counts(plan);
  if (!plan.convolves()) check_no_chirp(plan);
  if (plan.view().empty()) {
    check_axes(plan);
    check_stages(plan);
  } else {
    check_stages_of_view(plan);
  }
  check_elements(plan);
  check_ends(plan);
  check_exchanges(plan);
  check_memory_use(plan);
  check_engines(plan);
}

}  // namespace weft
