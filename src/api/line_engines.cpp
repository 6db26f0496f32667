#include "api/line_engines.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include <weft/error.hpp>

#include "api/known_trials.hpp"
#include "api/planned_by.hpp"
#include "comm/agreement.hpp"
#include "kernel/engine.hpp"
#include "model/stage_lines.hpp"
#include "planner/line_trials.hpp"
#include "probe/engines.hpp"
#include "probe/line_trial.hpp"

namespace weft::api {
namespace {

/// A trial for longer lines would take seconds. The engine of a shorter line with the same odd
/// factors transforms them.
constexpr std::int64_t longest_tried = 1 << 18;
/// Tiles rarely have more lines.
constexpr double most_lines = 64;

bool is_auto(const std::string& word) { return word == kernel::auto_engine; }

/// Returns the kinds and lengths of a plan's lines, each once, without engines.
std::vector<LineEngine> lines_of(const Plan& plan) {
  std::vector<LineEngine> found;
  for (const Stage& stage : plan.stages)
    for (const int axis : stage.axes) {
      const model::StageLines lines = model::lines_along(plan, stage, axis);
      const auto count =
          std::bit_floor(static_cast<std::uint64_t>(std::clamp(lines.count, 1.0, most_lines)));
      const auto known = std::find_if(found.begin(), found.end(), [&](const LineEngine& each) {
        return each.kind == lines.kind && each.length == lines.length;
      });
      if (known == found.end())
        found.push_back({lines.kind, lines.length, static_cast<std::int64_t>(count), {}});
      else
        known->lines = std::max(known->lines, static_cast<std::int64_t>(count));
    }
  std::sort(found.begin(), found.end(), [](const LineEngine& one, const LineEngine& two) {
    return std::pair(one.kind, one.length) < std::pair(two.kind, two.length);
  });
  return found;
}

/// Returns the trial that decides for these lines, still without times. Returns none if a trial
/// would take seconds and halving the length does not help.
std::optional<planner::LineTrial> trial_of(const LineEngine& given, const Plan& plan) {
  std::int64_t length = given.length;
  while (length > longest_tried && length % 2 == 0) length /= 2;
  if (length > longest_tried) return {};
  return planner::LineTrial{
      given.kind, plan.problem.precision, plan.line_effort, length, given.lines, {}};
}

/// Chooses one of several engines for lines. Takes the result of a trial that rank 0 knows,
/// otherwise of a new trial.
class Chooser {
 public:
  Chooser(const Plan& plan, const std::vector<kernel::Engine*>& engines,
          const comm::Communicator& comm)
      : plan_(plan), engines_(engines), comm_(comm) {}

  /// Collective.
  std::string fastest(const LineEngine& lines) {
    const std::optional<planner::LineTrial> trial = trial_of(lines, plan_);
    if (!trial) return engines_.front()->name();
    std::string known;
    if (comm_.rank() == 0) known = known_fastest(*trial);
    comm_.broadcast(known, 0);
    // Other ranks may have fewer engines than those of the trial.
    return is_common(known) ? known : tried(*trial).fastest();
  }

  /// Stores new trials in the user's cache.
  void keep_new() const {
    if (comm_.rank() == 0 && !new_trials_.all().empty()) keep(new_trials_);
  }

 private:
  bool is_common(const std::string& name) const {
    return std::any_of(engines_.begin(), engines_.end(),
                       [&](const kernel::Engine* each) { return each->name() == name; });
  }

  planner::LineTrial tried(planner::LineTrial trial) {
    const std::vector<double> seconds = probe::line_trial(
        {trial.kind, trial.precision, trial.effort, trial.length, trial.lines}, engines_, comm_);
    for (std::size_t i = 0; i < engines_.size(); ++i)
      trial.times.push_back({engines_[i]->name(), seconds[i]});
    new_trials_.add(trial);
    return trial;
  }

  const Plan& plan_;
  const std::vector<kernel::Engine*>& engines_;
  const comm::Communicator& comm_;
  planner::LineTrials new_trials_;
};

/// Returns the engines of a plan, with their versions on this rank.
std::vector<EngineVersion> versions_of(const std::vector<LineEngine>& lines) {
  std::vector<EngineVersion> found;
  for (const std::string& name : kernel::engine_names())
    if (std::any_of(lines.begin(), lines.end(),
                    [&](const LineEngine& each) { return each.engine == name; }))
      found.push_back({name, kernel::engine(name).description()});
  return found;
}

/// Returns the versions of rank 0, so that all ranks have one plan. Collective.
std::vector<EngineVersion> versions_of_all(const std::vector<LineEngine>& lines,
                                           const comm::Communicator& comm) {
  std::vector<EngineVersion> found = versions_of(lines);
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
    kernel::engine_names();  // reports a library that cannot be loaded
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
  throw Error(ErrorCode::unsupported, "the local engine " + word + " does not have the precision " +
                                          to_string(precision) +
                                          "; use the engine ducc0, or its FFTW of this precision");
}

bool may_try_engines(const Planning& planning, const comm::Communicator& comm) {
  if (planning.machine || planning.plan_by == PlanBy::local) return true;
  return planning.plan_by == PlanBy::by_default && !names_fixed_rule(comm);
}

void choose_line_engines(Plan& plan, const std::string& word, bool may_try,
                         const comm::Communicator& comm) {
  std::vector<LineEngine> lines = lines_of(plan);
  const auto engines = probe::common_engines(word, plan.problem.precision, comm);
  Chooser chooser(plan, engines, comm);
  for (LineEngine& each : lines)
    each.engine = may_try && engines.size() > 1 ? chooser.fastest(each) : engines.front()->name();
  chooser.keep_new();
  plan.line_engines = std::move(lines);
  plan.engines = versions_of_all(plan.line_engines, comm);
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
  const std::vector<EngineVersion> here = versions_of_all(plan.line_engines, comm);
  for (const EngineVersion& mine : here)
    for (const EngineVersion& given : plan.engines)
      if (given.name == mine.name && given.library != mine.library)
        plan.notes.push_back("the plan was made with " + given.library + "; this one is " +
                             mine.library + ", so results may differ by rounding");
  plan.engines = here;
}

kernel::LocalOptions local_options(const Plan& plan) {
  kernel::LocalOptions options{.engine = &kernel::default_engine(),
                               .precision = plan.problem.precision,
                               .effort = plan.line_effort,
                               .threads = plan.problem.threads};
  for (const LineEngine& each : plan.line_engines)
    options.engines.push_back({each.kind == Kind::r2c, each.length, &kernel::engine(each.engine)});
  return options;
}

}  // namespace weft::api
