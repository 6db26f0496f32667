#include "planner/trials.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "model/planning_cost.hpp"
#include "plan/readable.hpp"
#include "planner/alternatives.hpp"
#include "planner/decision.hpp"
#include "planner/line_effort.hpp"
#include "planner/search.hpp"

namespace weft::planner {
namespace {

/// Number of plans that are tried, the best first.
constexpr std::size_t most_tried = 8;
/// Plans that are slower than the best by this factor, by the model, are not tried.
constexpr double too_slow = 3;
constexpr int least_rounds = 3;
constexpr int most_rounds = 9;
/// A challenger that is slower by this factor after two rounds has lost.
constexpr double lost = 1.25;
/// A challenger must be faster by at least this fraction.
constexpr double worth_a_challenger = 0.01;
/// In a round, short transforms are repeated for about this time.
constexpr double round_s = 2e-3;
constexpr int most_repetitions = 1000;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

int repetitions_of(double seconds) {
  return static_cast<int>(std::clamp(std::ceil(round_s / std::max(seconds, 1e-9)), 1.0,
                                     static_cast<double>(most_repetitions)));
}

/// One of two plans that run in turn (a duel). The fastest run of a plan, not the model, decides
/// its repetitions in a round. The model can be wrong by a factor of 1000 if threads or ranks wait
/// for a shared core.
class Runner {
 public:
  Runner(Trials& trials, int place)
      : trials_(trials), place_(place), fastest_s_(trials.run(place, 1)) {}

  void run() {
    const double seconds = trials_.run(place_, repetitions_of(fastest_s_));
    fastest_s_ = std::min(fastest_s_, seconds);
    times_s_.push_back(seconds);
  }

  double median_s() const { return median(times_s_); }

 private:
  Trials& trials_;
  const int place_;
  double fastest_s_;
  std::vector<double> times_s_;
};

/// Compares the best plan so far with one challenger after the other. The last challenger is the
/// best plan with persistent requests, because the model does not predict their effect.
class Contest {
 public:
  Contest(SearchResult& found, Trials& trials, double planning_s, double budget_s)
      : found_(found), trials_(trials), planning_s_(planning_s), budget_s_(budget_s) {}

  void hold() {
    const std::size_t end = std::min(found_.plans.size(), most_tried);
    for (std::size_t number = 0; number < end; ++number)
      if (!attempt(number)) break;
    if (!has_best_) return;
    if (std::optional<Plan> twin = with_persistent_requests(found_.plans[best_].plan)) {
      found_.plans.push_back(found_.plans[best_]);
      found_.plans.back().plan = *std::move(twin);
      attempt(found_.plans.size() - 1);
    }
  }

  std::size_t best() const { return best_; }
  /// Returns the times of the plans that were in a duel. The speed of a machine drifts, so only the
  /// best plan has its measured time. The time of another plan is the time of the best plan, times
  /// the ratio of their times in duels.
  std::map<std::size_t, double> measured_s() const {
    std::map<std::size_t, double> times;
    for (const auto& [number, ratio] : ratios_) times[number] = best_s_ * ratio / ratios_.at(best_);
    return times;
  }

 private:
  /// Returns the expected time of the next trial: the longest trial so far, or the prediction if
  /// that is longer. The prediction of the first trial includes the planning of its lines.
  double expected_s(std::size_t number) const {
    const Plan& plan = found_.plans[number].plan;
    const double planning_s =
        number > 0 ? 0
                   : model::planning_seconds(planning_s_, plan.line_effort, model::lines_of(plan));
    const double once_s = found_.plans[0].seconds + found_.plans[number].seconds;
    return std::max(longest_s_, planning_s + least_rounds * std::max(once_s, round_s));
  }

  /// Returns false if the plan is too slow, or if there is no time for it.
  bool attempt(std::size_t number) {
    if (found_.plans[number].seconds > too_slow * found_.plans[0].seconds) return false;
    const double begun_s = trials_.elapsed_s();
    if (begun_s + expected_s(number) > budget_s_) return false;
    if (trials_.prepare(has_best_ ? 1 - place_ : place_, found_.plans[number].plan)) enter(number);
    longest_s_ = std::max(longest_s_, trials_.elapsed_s() - begun_s);
    return true;
  }

  void enter(std::size_t number) {
    if (has_best_) return duel(number);
    has_best_ = true;
    best_ = number;
  }

  void duel(std::size_t number) {
    Runner champion(trials_, place_);
    Runner challenger(trials_, 1 - place_);
    for (int round = 0; round < most_rounds; ++round) {
      if (round >= least_rounds && trials_.elapsed_s() > budget_s_) break;
      champion.run();
      challenger.run();
      if (round >= 1 && challenger.median_s() > lost * champion.median_s()) break;
    }
    best_s_ = champion.median_s();
    const double challenger_s = challenger.median_s();
    ratios_.emplace(best_, 1);
    ratios_[number] = ratios_[best_] * challenger_s / best_s_;
    if (challenger_s >= best_s_ * (1 - worth_a_challenger)) return;
    best_ = number;
    best_s_ = challenger_s;
    place_ = 1 - place_;
  }

  SearchResult& found_;
  Trials& trials_;
  const double planning_s_;  ///< Machine::planning_s
  const double budget_s_;
  bool has_best_ = false;
  int place_ = 0;  ///< place of the best plan so far
  std::size_t best_ = 0;
  double longest_s_ = 0;                  ///< longest trial so far
  double best_s_ = 0;                     ///< time of the best plan so far in its last duel
  std::map<std::size_t, double> ratios_;  ///< time of each plan, divided by the time of the first
                                          ///< plan
};

void check_budget(double budget_s) {
  if (budget_s >= 0) return;
  throw Error(
      ErrorCode::invalid_argument,
      "the time for trials must be 0 seconds (none) or more; given " + readable_number(budget_s));
}

SearchResult found_within(const Problem& problem, const Machine& machine, double budget_s,
                          Freedom freedom) {
  check_budget(budget_s);
  const Problem complete = checked(problem);
  freedom.most_effort = affordable_effort(complete, machine.planning_s, budget_s);
  return search(complete, with_ranks_in_place(machine), freedom);
}

}  // namespace

Plan plan_by_model(const Problem& problem, const Machine& machine, double budget_s,
                   const Freedom& freedom) {
  Plan plan = decision(found_within(problem, machine, budget_s, freedom), 0, machine);
  note_effort(plan, machine.planning_s, budget_s);
  return plan;
}

Plan plan_by_trials(const Problem& problem, const Machine& machine, Trials& trials, double budget_s,
                    const Freedom& freedom) {
  SearchResult found = found_within(problem, machine, budget_s, freedom);
  Contest contest(found, trials, machine.planning_s, budget_s);
  if (budget_s > 0) contest.hold();
  Plan plan = decision(std::move(found), contest.best(), machine, contest.measured_s());
  note_effort(plan, machine.planning_s, budget_s);
  return plan;
}

}  // namespace weft::planner
