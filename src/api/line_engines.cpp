#include "api/line_engines.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <vector>

#include <weft/error.hpp>

#include "api/known_trials.hpp"
#include "api/planned_by.hpp"
#include "comm/agreement.hpp"
#include "kernel/engine.hpp"
#include "kernel/twiddles.hpp"
#include "model/stage_lines.hpp"
#include "plan/kinds.hpp"
#include "planner/line_trials.hpp"
#include "probe/engines.hpp"
#include "probe/line_trial.hpp"

namespace weft::api {
namespace {

/// A trial for longer lines would take seconds. For them, the trial of a shorter line with the same
/// odd factors decides.
constexpr std::int64_t longest_tried = 1 << 18;
/// Most bytes of the lines of a trial. More do not fit in any cache, so more lines would not change
/// the time of a line.
constexpr std::int64_t most_bytes = std::int64_t{32} << 20;
/// Fewer adjacent lines across memory fit in one or two cache lines. So few lines are always
/// transposed, without a trial.
constexpr double fewest_across = 8;

bool is_auto(const std::string& word) { return word == kernel::auto_engine; }

kernel::TileForm form_of(bool across_tile) {
  return across_tile ? kernel::TileForm::across : kernel::TileForm::along;
}

/// Returns the kinds and lengths of a plan's lines, without engines. If there are enough complex
/// lines of a length, they are listed twice: contiguous ones, and ones across memory.
std::vector<LineEngine> lines_of(const Plan& plan) {
  std::vector<LineEngine> found;
  const auto add = [&](const model::StageLines& lines, bool across_memory) {
    const std::int64_t most = most_bytes / lines.length / complex_bytes(plan.problem.precision);
    const auto count = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(
        std::clamp(lines.count, 1.0, std::max(1.0, static_cast<double>(most))))));
    for (LineEngine& each : found)
      if (each.kind == lines.kind && each.length == lines.length &&
          each.across_memory == across_memory) {
        each.lines = std::max(each.lines, count);
        return;
      }
    found.push_back({lines.kind, lines.length, count, across_memory, {}, false});
  };
  for (const Stage& stage : plan.stages)
    for (const int axis : stage.axes) {
      model::StageLines lines = model::lines_along(plan, stage, axis);
      // A kind and its inverse kind, such as dct2 and dct3, share one choice.
      lines.kind = std::min(lines.kind, traits_of(lines.kind).inverse);
      add(lines, false);
      if (lines.kind == Kind::c2c && lines.count >= fewest_across) add(lines, true);
    }
  std::sort(found.begin(), found.end(), [](const LineEngine& one, const LineEngine& two) {
    return std::tuple(one.kind, one.length, one.across_memory) <
           std::tuple(two.kind, two.length, two.across_memory);
  });
  return found;
}

/// Chooses one of several ways for lines. If rank 0 knows a trial of these ways, takes its result.
/// Otherwise makes a new trial.
class Chooser {
 public:
  Chooser(const Plan& plan, const comm::Communicator& comm) : plan_(plan), comm_(comm) {}

  /// Chooses the fastest way that uses one of these engines. Collective.
  void choose(LineEngine& lines, const std::vector<kernel::Engine*>& engines) {
    planner::LineTrial trial = trial_of(lines, engines);
    if (trial.ways.size() < 2 || trial.length > longest_tried) return;
    std::int64_t way = -1;
    if (comm_.rank() == 0) way = known_fastest(trial);
    way = comm_.broadcast_value(way, 0);
    if (way < 0) way = tried(trial);
    lines.engine = trial.ways[static_cast<std::size_t>(way)].engine;
    lines.across_tile = trial.ways[static_cast<std::size_t>(way)].across_tile;
  }

  /// Stores new trials in the user's cache.
  void keep_new() const {
    if (comm_.rank() == 0 && !new_trials_.all().empty()) keep(new_trials_);
  }

 private:
  /// Returns the trial that decides for these lines. It has no times yet.
  planner::LineTrial trial_of(const LineEngine& lines,
                              const std::vector<kernel::Engine*>& engines) const {
    planner::LineTrial trial{
        lines.kind,  plan_.problem.precision, plan_.line_effort,       lines.length,
        lines.lines, lines.across_memory,     !plan_.exchanges.empty()};
    while (trial.length > longest_tried && trial.length % 2 == 0) trial.length /= 2;
    for (const kernel::Engine* engine : engines) {
      trial.ways.push_back({engine->name(), false});
      if (lines.across_memory) trial.ways.push_back({engine->name(), true});
    }
    return trial;
  }

  /// Returns the number of the fastest way in a new trial.
  std::int64_t tried(planner::LineTrial& trial) {
    std::vector<kernel::LineChoice> ways;
    for (const planner::LineWay& way : trial.ways)
      ways.push_back({&kernel::engine(way.engine), form_of(way.across_tile)});
    const std::vector<double> seconds =
        probe::line_trial({trial.kind, trial.precision, trial.effort, trial.length, trial.lines,
                           trial.across_memory, trial.exchanged},
                          ways, comm_);
    for (std::size_t i = 0; i < seconds.size(); ++i) trial.ways[i].seconds = seconds[i];
    new_trials_.add(trial);
    return trial.number_of_fastest();
  }

  const Plan& plan_;
  const comm::Communicator& comm_;
  planner::LineTrials new_trials_;
};

/// Returns the engines that have cosine transforms on all ranks. Collective. Throws unsupported if
/// none has them.
std::vector<kernel::Engine*> engines_with_cosines(const std::vector<kernel::Engine*>& engines,
                                                  Precision precision,
                                                  const comm::Communicator& comm) {
  std::vector<kernel::Engine*> found;
  for (kernel::Engine* each : engines)
    if (comm.min(std::int64_t{each->has_cosines(precision)}) == 1) found.push_back(each);
  if (found.empty()) kernel::refuse_cosines(*engines.front());
  return found;
}

/// Returns the engines of a plan, with their versions on this rank. If the plan has twiddles, the
/// last one is weft itself: its products with twiddles also decide the bits of the result.
std::vector<EngineVersion> versions_here(const Plan& plan) {
  std::vector<EngineVersion> found;
  for (const std::string& name : kernel::engine_names())
    if (std::any_of(plan.line_engines.begin(), plan.line_engines.end(),
                    [&](const LineEngine& each) { return each.engine == name; }))
      found.push_back({name, kernel::engine(name).description()});
  if (std::any_of(plan.stages.begin(), plan.stages.end(),
                  [](const Stage& stage) { return stage.twiddles; }))
    found.push_back({"weft", kernel::twiddle_instructions()});
  return found;
}

/// Returns the versions of rank 0, so that all ranks have one plan. Collective.
std::vector<EngineVersion> versions_of(const Plan& plan, const comm::Communicator& comm) {
  std::vector<EngineVersion> found = versions_here(plan);
  for (EngineVersion& each : found) comm.broadcast(each.library, 0);
  return found;
}

}  // namespace

std::string engine_word(const std::string& given, const comm::Communicator& comm) {
  std::string word = given;
  if (given.empty()) {
    if (comm.rank() == 0) word = kernel::wanted_engine();
    comm.broadcast(word, 0);
  }
  comm::together(comm, [&] {
    kernel::engine_names();  // prints a message if a library cannot be loaded
    if (!is_auto(word)) kernel::engine(word);
  });
  return word;
}

std::string engine_versions(const std::string& word) {
  std::string text;
  for (const std::string& name : kernel::engine_names())
    if (is_auto(word) || name == word)
      text += (text.empty() ? "" : "; ") + name + ": " + kernel::engine(name).description();
  return text;
}

void require_precision(const std::string& word, Precision precision) {
  const auto names = is_auto(word) ? kernel::engine_names() : std::vector<std::string>{word};
  if (std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return kernel::engine(name).supports(precision);
      }))
    return;
  throw Error(ErrorCode::unsupported,
              "the local engine " + word + " does not have the precision " + to_string(precision) +
                  "; use the engine ducc0, or install FFTW of this precision");
}

bool may_try_engines(const Planning& planning, const comm::Communicator& comm) {
  if (planning.machine || planning.plan_by == PlanBy::local) return true;
  return planning.plan_by == PlanBy::by_default && !names_fixed_rule(comm);
}

void choose_line_engines(Plan& plan, const std::string& word, bool may_try,
                         const comm::Communicator& comm) {
  std::vector<LineEngine> lines = lines_of(plan);
  const auto engines = probe::common_engines(word, plan.problem.precision, comm);
  const bool has_cosine_lines = std::any_of(
      lines.begin(), lines.end(), [](const LineEngine& each) { return keeps_elements(each.kind); });
  const auto with_cosines =
      has_cosine_lines ? engines_with_cosines(engines, plan.problem.precision, comm) : engines;
  Chooser chooser(plan, comm);
  for (LineEngine& each : lines) {
    const auto& able = keeps_elements(each.kind) ? with_cosines : engines;
    each.engine = able.front()->name();
    if (may_try) chooser.choose(each, able);
  }
  chooser.keep_new();
  plan.line_engines = std::move(lines);
  plan.engines = versions_of(plan, comm);
}

void check_line_engines(Plan& plan, const comm::Communicator& comm) {
  comm::together(comm, [&] {
    for (const LineEngine& each : plan.line_engines)
      if (!kernel::has_engine(each.engine, plan.problem.precision))
        throw Error(ErrorCode::unsupported,
                    "a plan runs with the engines that it names; this one uses " + each.engine +
                        " for lines of " + std::to_string(each.length) +
                        " points, which weft does not have here in the precision " +
                        to_string(plan.problem.precision) +
                        "; give engine = auto to choose again, or install it");
  });
  const std::vector<EngineVersion> here = versions_of(plan, comm);
  for (const EngineVersion& mine : here)
    for (const EngineVersion& given : plan.engines)
      if (given.name == mine.name && given.library != mine.library)
        plan.notes.push_back("the plan was made with " + given.library + "; here it runs with " +
                             mine.library + ", so results may differ by rounding");
  plan.engines = here;
}

kernel::LocalOptions local_options(const Plan& plan) {
  kernel::LocalOptions options{.engine = &kernel::default_engine(),
                               .precision = plan.problem.precision,
                               .effort = plan.line_effort,
                               .threads = plan.problem.threads};
  for (const LineEngine& each : plan.line_engines)
    options.choices.push_back({choice_kind(kernel::line_kind(each.kind, Direction::forward)),
                               each.across_memory,
                               each.length,
                               {&kernel::engine(each.engine), form_of(each.across_tile)}});
  return options;
}

}  // namespace weft::api
