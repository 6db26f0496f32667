#include "planner/trials.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <weft/error.hpp>

namespace weft::planner {
namespace {

/// Trials with a clock that advances by the times that the test gives.
class Pretended final : public Trials {
 public:
  std::function<double(const Plan&)> seconds_of;
  std::function<bool(const Plan&)> fits = [](const Plan&) { return true; };
  double prepare_s = 0.01;
  double now_s = 0;
  double longest_s = 0;  ///< longest step of the trials
  std::vector<Plan> prepared;
  std::vector<int> runs = {0, 0};  ///< repetitions in each place
  int calls = 0;                   ///< of run()

  double elapsed_s() override { return now_s; }
  bool prepare(int place, const Plan& plan) override {
    prepared.push_back(plan);
    now_s += prepare_s;
    at_[place] = plan;
    return fits(plan);
  }
  double run(int place, int repetitions) override {
    const double one_s = seconds_of(at_[place]);
    now_s += one_s * repetitions;
    runs[static_cast<std::size_t>(place)] += repetitions;
    ++calls;
    return one_s;
  }

 private:
  Plan at_[2];
};

const Problem problem{.shape = {128, 128, 128}, .ranks = 16};

Machine machine() { return shipped_machine("ethernet-10g"); }

bool same_choice(const Plan& one, const Plan& other) {
  return one.stages == other.stages && one.exchanges == other.exchanges;
}

/// Returns trials in which every plan but one takes its predicted time.
Pretended as_predicted_but(const Plan& other, double factor) {
  Pretended trials;
  trials.seconds_of = [other, factor](const Plan& plan) {
    return predict(plan, machine()).cost.seconds() * (same_choice(plan, other) ? factor : 1);
  };
  return trials;
}

TEST(Trials, WithoutABudgetTheModelChooses) {
  Pretended trials;
  EXPECT_EQ(plan_by_trials(problem, machine(), trials, 0), make_plan(problem, machine()));
  EXPECT_TRUE(trials.prepared.empty());
}

TEST(Trials, ImpossibleBudgetsAreRefused) {
  for (const double budget_s : {-1.0, std::nan(""), -std::numeric_limits<double>::infinity()}) {
    Pretended trials;
    try {
      plan_by_trials(problem, machine(), trials, budget_s);
      FAIL() << budget_s;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_NE(std::string(error.what()).find("0 seconds"), std::string::npos);
    }
    EXPECT_TRUE(trials.prepared.empty());
  }
}

TEST(Trials, TheFastestTriedPlanIsTaken) {
  const std::vector<Plan> plans = candidates(problem, machine());
  ASSERT_GE(plans.size(), 4u);
  for (std::size_t fast = 0; fast < 4; ++fast) {
    Pretended trials = as_predicted_but(plans[fast], 0.4);
    const Plan plan = plan_by_trials(problem, machine(), trials, 100);
    EXPECT_TRUE(same_choice(plan, plans[fast])) << fast;
    EXPECT_EQ(plan.chosen_by, "trials");
    EXPECT_DOUBLE_EQ(plan.prediction->measured_s, trials.seconds_of(plans[fast]));
    EXPECT_NEAR(plan.prediction->cost.seconds(), 2.5 * plan.prediction->measured_s, 1e-9);
    ASSERT_FALSE(plan.prediction->alternatives.empty());
    EXPECT_GT(plan.prediction->alternatives.front().measured_s, plan.prediction->measured_s);
  }
}

TEST(Trials, OfEquallyFastPlansThatOfTheModelIsTaken) {
  Pretended trials;
  trials.seconds_of = [](const Plan&) { return 0.02; };
  EXPECT_TRUE(
      same_choice(plan_by_trials(problem, machine(), trials, 100), make_plan(problem, machine())));
}

TEST(Trials, ASlowPlanIsDroppedAfterTwoRounds) {
  const Plan best = make_plan(problem, machine());
  Pretended trials;
  trials.seconds_of = [&](const Plan& plan) { return same_choice(plan, best) ? 0.01 : 0.02; };
  plan_by_trials(problem, machine(), trials, 100);
  const auto challengers = static_cast<int>(trials.prepared.size()) - 1;
  ASSERT_GT(challengers, 0);
  // The best plan and a challenger have a warm-up and two rounds each.
  EXPECT_EQ(trials.calls, challengers * 2 * (1 + 2));
}

TEST(Trials, AtMostOneTrialOverruns) {
  for (const double budget_s : {0.05, 0.3, 1.0, 3.0}) {
    Pretended trials;
    trials.prepare_s = 0.1;
    trials.seconds_of = [](const Plan&) { return 0.02; };
    plan_by_trials(problem, machine(), trials, budget_s);
    // Two plans are prepared, with a warm-up and nine rounds of both.
    EXPECT_LE(trials.now_s, budget_s + 2 * 0.1 + 2 * 10 * 0.02) << budget_s;
  }
}

TEST(Trials, AMuchSlowerPlanThanPredictedRunsOnceInEachRound) {
  // The model predicts microseconds. Threads that wait for cores take milliseconds.
  const Problem small{.shape = {8, 8, 8}, .ranks = 4};
  Pretended trials;
  trials.seconds_of = [](const Plan&) { return 0.02; };
  plan_by_trials(small, machine(), trials, 0.1);
  ASSERT_GT(trials.calls, 0);
  EXPECT_EQ(trials.calls, trials.runs[0] + trials.runs[1]);
  EXPECT_LE(trials.now_s, 0.1 + 2 * 10 * 0.02);
}

TEST(Trials, NoTrialStartsThatIsExpectedToOverrun) {
  Pretended trials;
  trials.seconds_of = [](const Plan&) { return 0.02; };
  const Plan plan = plan_by_trials(problem, machine(), trials, 1e-4);
  EXPECT_TRUE(trials.prepared.empty());
  EXPECT_EQ(plan.chosen_by, "model");
  // Each trial takes about 0.4 s here. So the third is expected to end after 1 s.
  Pretended more;
  more.seconds_of = trials.seconds_of;
  plan_by_trials(problem, machine(), more, 1);
  EXPECT_LE(more.now_s, 1);
  EXPECT_GE(more.prepared.size(), 3u);
}

Problem with(Effort effort) {
  Problem asked = problem;
  asked.effort = effort;
  return asked;
}

/// Returns the planning time of lines of 128 points in both directions. `planning_s` is the
/// measured time of one line of 256 points.
double planning_of_128(double planning_s) { return 2 * planning_s * std::sqrt(0.5); }

TEST(Trials, LocalFftsGetTheEffortThatTheBudgetAllows) {
  Machine slow = machine();
  slow.planning_s = 0.1;
  const double all_s = planning_of_128(slow.planning_s);
  const auto effort_of = [&](Effort asked, double budget_s) {
    Pretended trials;
    trials.seconds_of = [](const Plan&) { return 0.02; };
    const Plan plan = plan_by_trials(with(asked), slow, trials, budget_s);
    for (const Plan& prepared : trials.prepared) EXPECT_EQ(prepared.line_effort, plan.line_effort);
    EXPECT_EQ(plan.line_effort, plan_by_model(with(asked), slow, budget_s).line_effort);
    EXPECT_EQ(plan.problem.effort, asked);
    return plan.line_effort;
  };
  EXPECT_EQ(effort_of(Effort::estimate, 100), Effort::estimate);
  EXPECT_EQ(effort_of(Effort::measure, 2 * all_s * 1.01), Effort::measure);
  EXPECT_EQ(effort_of(Effort::measure, 2 * all_s * 0.99), Effort::estimate);
  EXPECT_EQ(effort_of(Effort::measure, 0), Effort::estimate);
  EXPECT_EQ(effort_of(Effort::exhaustive, 100), Effort::exhaustive);
  EXPECT_EQ(effort_of(Effort::exhaustive, 2 * all_s * 14), Effort::measure);
  EXPECT_EQ(effort_of(Effort::exhaustive, 0), Effort::estimate);
}

TEST(Trials, LessEffortThanRequestedHasANote) {
  const auto text_for = [](double budget_s) {
    return explain(plan_by_model(with(Effort::measure), machine(), budget_s));
  };
  EXPECT_NE(
      text_for(0.01).find("planned with estimate, not measure: planning would take 84.9 ms, more"),
      std::string::npos)
      << text_for(0.01);
  EXPECT_NE(text_for(0).find("not measure: the budget is 0"), std::string::npos) << text_for(0);
  EXPECT_EQ(text_for(10).find("local FFTs"), std::string::npos) << text_for(10);
}

TEST(Trials, NoTrialStartsWhosePlanningIsExpectedToOverrun) {
  Machine slow = machine();
  const double once_s = make_plan(with(Effort::measure), slow).prediction->cost.seconds();
  slow.planning_s = 3 * once_s / planning_of_128(1);
  const double all_s = 3 * once_s;
  const auto prepared = [&](double budget_s) {
    Pretended trials;
    trials.seconds_of = [&](const Plan&) { return once_s; };
    plan_by_trials(with(Effort::measure), slow, trials, budget_s);
    return trials.prepared.size();
  };
  // Planning may take half of the budget. The rest must be enough for three rounds of both plans.
  EXPECT_EQ(prepared(2.02 * all_s), 0U);
  EXPECT_EQ(prepared(0.99 * (all_s + 6 * once_s)), 0U);
  EXPECT_GT(prepared(1.01 * (all_s + 6 * once_s)), 0U);
}

/// A line that is planned with less effort is predicted to take longer, if the machine has times
/// for both efforts.
TEST(Trials, LinesArePredictedByTheirEffort) {
  Machine known = machine();
  known.arithmetic = {known.arithmetic[0], known.arithmetic[0]};
  known.arithmetic[0].effort = Effort::estimate;
  known.arithmetic[1].effort = Effort::measure;
  known.arithmetic[1].operation_s /= 4;
  known.arithmetic[0].lines.clear();
  known.arithmetic[1].lines.clear();
  const double with_time =
      plan_by_model(with(Effort::measure), known, 10).prediction->cost.seconds();
  const double without = plan_by_model(with(Effort::measure), known, 0).prediction->cost.seconds();
  EXPECT_LT(with_time, without);
  EXPECT_EQ(without, make_plan(problem, known).prediction->cost.seconds());
}

TEST(Trials, APlanThatDoesNotFitInMemoryIsLeftOut) {
  const std::vector<Plan> plans = candidates(problem, machine());
  for (std::size_t large = 0; large < 2; ++large) {
    Pretended trials;
    trials.seconds_of = [&](const Plan& plan) {
      return same_choice(plan, plans[large]) ? 0.01 : 0.02;
    };
    trials.fits = [&](const Plan& plan) { return !same_choice(plan, plans[large]); };
    EXPECT_TRUE(same_choice(plan_by_trials(problem, machine(), trials, 100), plans[1 - large]));
  }
}

bool is_persistent(const Plan& plan) {
  return std::any_of(plan.exchanges.begin(), plan.exchanges.end(),
                     [](const Exchange& each) { return each.requests == Requests::persistent; });
}

TEST(Trials, PersistentRequestsAreTriedForTheBest) {
  Problem sent = problem;
  sent.exchange.method = Method::messages;
  for (const double factor : {0.8, 1.0}) {
    Pretended trials;
    trials.seconds_of = [factor](const Plan& plan) {
      return predict(plan, machine()).cost.seconds() * (is_persistent(plan) ? factor : 1);
    };
    const Plan plan = plan_by_trials(sent, machine(), trials, 100);
    EXPECT_TRUE(is_persistent(trials.prepared.back())) << "the persistent plan is tried last";
    EXPECT_EQ(std::count_if(trials.prepared.begin(), trials.prepared.end(), is_persistent), 1);
    EXPECT_EQ(is_persistent(plan), factor < 1);
  }
  sent.exchange.requests = Requests::ordinary;
  Pretended trials;
  trials.seconds_of = [](const Plan&) { return 0.02; };
  plan_by_trials(sent, machine(), trials, 100);
  EXPECT_TRUE(std::none_of(trials.prepared.begin(), trials.prepared.end(), is_persistent));
}

TEST(Trials, AProblemWithOnePlanNeedsNoTrial) {
  Pretended trials;
  trials.seconds_of = [](const Plan&) { return 0.02; };
  const Plan plan =
      plan_by_trials({.shape = {64}, .ranks = 1}, shipped_machine("vm-2-cores"), trials, 100);
  EXPECT_EQ(plan.stages.size(), 1u);
  EXPECT_EQ(trials.calls, 0);
}

}  // namespace
}  // namespace weft::planner
