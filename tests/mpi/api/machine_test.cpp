// Transforms that the model of a machine has planned. The result is the same for every choice of
// the model.
#include <cmath>
#include <cstdlib>
#include <set>

#include "mpi/support/fft_check.hpp"
#include "mpi/support/same_error.hpp"

namespace weft::test_support {
namespace {

/// Returns a machine whose times are multiplied by random factors from 1/1000 to 1000. So each
/// choice is the best one for some machine: few ranks or many, pieces, chunks, any schedule.
Machine random_machine(Random& random) {
  const auto factor = [&] { return std::pow(10.0, static_cast<double>(draw(random, -3, 3))); };
  const auto blocking = [&] { return 1 + static_cast<double>(draw(random, 0, 10)) / 10; };
  Machine machine = shipped_machine("ethernet-10g");
  machine.name = "random";
  for (Link* link : {&machine.within_node, &machine.between_nodes}) {
    link->pieces[0].start_s *= factor();
    link->pieces[0].s_per_byte *= factor();
    link->processor_s_per_byte *= factor();
  }
  machine.copying[0].contiguous_s_per_byte *= factor();
  machine.copying[0].transposed_s_per_byte *= factor();
  machine.arithmetic[0].operation_s *= factor();
  machine.barrier_s *= factor();
  machine.blocking.clear();
  for (const std::int64_t bytes : {256, 4096, 65536})
    machine.blocking.push_back({bytes, blocking(), blocking(), blocking(), blocking()});
  return machine;
}

TEST(FftMachine, EveryChosenPlanGivesTheRightResult) {
  const std::uint64_t seed = seed_of_all_ranks(3);
  constexpr std::uint64_t cases = 40;
  const int ranks = size_of(MPI_COMM_WORLD);
  for (std::uint64_t number = 0; number < cases; ++number) {
    Random random(seed * 1000003 + number);
    SCOPED_TRACE(repeated_by(seed) + ", case " + std::to_string(number));
    Case given = random_case(ranks, 2000, random);
    given.machine = random_machine(random);
    check_case(given, MPI_COMM_WORLD);
  }
}

FftOptions options_with(const Machine& machine) {
  FftOptions options;
  options.shape = {12, 10, 8};
  options.comm = MPI_COMM_WORLD;
  options.planning.machine = machine;
  return options;
}

/// These machines lead to more than three different plans. Otherwise the test above would test
/// little.
TEST(FftMachine, DifferentMachinesLeadToDifferentPlans) {
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "one rank has one way";
  std::set<std::string> ways;
  for (std::uint64_t number = 0; number < 40; ++number) {
    // The machines are the same in each run, because a rare random draw could have too few
    // different choices.
    Random random(number);
    const Fft<double> fft(options_with(random_machine(random)));
    EXPECT_EQ(fft.plan().chosen_by, "model");
    std::string way = fft.plan().input().describe();
    for (const Exchange& exchange : fft.plan().exchanges) way += describe(exchange);
    ways.insert(way);
  }
  EXPECT_GT(ways.size(), 3U);
}

TEST(FftMachine, DifferentMachinesOnRanksAreRefused) {
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "one rank agrees with itself";
  expect_same_error(MPI_COMM_WORLD, ErrorCode::disagreement, {"machine", "figures"}, [] {
    Machine machine = shipped_machine("ethernet-10g");
    if (rank_of(MPI_COMM_WORLD) == 1) machine.barrier_s *= 2;
    try {
      const Fft<double> fft(options_with(machine));
    } catch (const Error& error) {
      EXPECT_LT(std::string(error.what()).size(), 400U) << "the message must not list all figures";
      throw;
    }
  });
  expect_same_error(MPI_COMM_WORLD, ErrorCode::disagreement, {"machine", "none"}, [] {
    FftOptions options = options_with(shipped_machine("ethernet-10g"));
    if (rank_of(MPI_COMM_WORLD) == 1) options.planning.machine.reset();
    const Fft<double> fft(options);
  });
}

TEST(FftMachine, AnImpossibleMachineOnOneRankIsRefusedOnAllRanks) {
  expect_same_error(MPI_COMM_WORLD, ErrorCode::invalid_argument, {"barrier_s"}, [] {
    Machine machine = shipped_machine("ethernet-10g");
    if (rank_of(MPI_COMM_WORLD) == size_of(MPI_COMM_WORLD) - 1) machine.barrier_s = -1;
    const Fft<double> fft(options_with(machine));
  });
}

/// All ranks have the same plan, apart from the number of threads. The model plans for the largest
/// number of any rank.
TEST(FftMachine, RanksMayHaveDifferentNumbersOfThreads) {
  for (const char* machine : {"vm-2-cores", "infiniband-64"})
    for (const Effort effort : {Effort::estimate, Effort::measure}) {
      FftOptions options = options_with(shipped_machine(machine));
      options.threads = rank_of(MPI_COMM_WORLD) == 0 ? 1 : 2;
      options.planning.effort = effort;
      options.planning.budget_s = 0.2;
      Fft<double> fft(options);
      EXPECT_EQ(fft.plan().problem.threads, options.threads);
      CaseCheck<double>(fft, {}, MPI_COMM_WORLD).run();
    }
}

TEST(FftMachine, BudgetsAreComparedToTheLastDigit) {
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "one rank agrees with itself";
  expect_same_error(MPI_COMM_WORLD, ErrorCode::disagreement, {"budget_s", "1e-09"}, [] {
    FftOptions options = options_with(shipped_machine("vm-2-cores"));
    options.planning.effort = Effort::measure;
    options.planning.budget_s = rank_of(MPI_COMM_WORLD) == 0 ? 0 : 1e-9;
    const Fft<double> fft(options);
  });
}

/// Without options, several ranks measure their own machine, and every rank gets a part.
TEST(FftMachine, WithoutAMachineTheRanksMeasureTheirOwn) {
  const char* tests_rule = std::getenv("WEFT_MACHINE");
  const std::string before = tests_rule == nullptr ? "" : tests_rule;
  unsetenv("WEFT_MACHINE");
  FftOptions options = options_with({});
  options.planning.machine.reset();
  const Plan plan = Fft<double>(options).plan();
  options.planning.plan_by = PlanBy::fixed_rule;
  const Plan by_fixed_rule = Fft<double>(options).plan();
  options.planning.plan_by = PlanBy::local;
  const Plan local = Fft<double>(options).plan();
  if (!before.empty()) setenv("WEFT_MACHINE", before.c_str(), 1);
  EXPECT_EQ(by_fixed_rule.chosen_by, "fixed rule");
  ASSERT_EQ(local.chosen_by, "model");
  EXPECT_EQ(local.prediction->machine, "local");
  EXPECT_FALSE(local.problem.all_ranks);
  const bool has_choice = size_of(MPI_COMM_WORLD) > 1;
  ASSERT_EQ(plan.chosen_by, has_choice ? "model" : "fixed rule");
  if (!has_choice) return;
  EXPECT_EQ(plan.prediction->machine, "local");
  EXPECT_TRUE(plan.problem.all_ranks);
  EXPECT_EQ(plan.input().empty_ranks(), 0);
}

TEST(FftMachine, DifferentWaysOfPlanningOnRanksAreRefused) {
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "one rank agrees with itself";
  expect_same_error(MPI_COMM_WORLD, ErrorCode::disagreement, {"machine", "fixed-rule"}, [] {
    FftOptions options = options_with({});
    options.planning.machine.reset();
    if (rank_of(MPI_COMM_WORLD) == 1) options.planning.plan_by = PlanBy::fixed_rule;
    const Fft<double> fft(options);
  });
  expect_same_error(MPI_COMM_WORLD, ErrorCode::disagreement, {"all_ranks"}, [] {
    FftOptions options = options_with(shipped_machine("ethernet-10g"));
    options.planning.all_ranks = rank_of(MPI_COMM_WORLD) == 1;
    const Fft<double> fft(options);
  });
}

/// Trials choose the fastest plan of this machine; the result is the same for any plan.
TEST(FftMachine, PlansChosenByTrialsAreRight) {
  const std::uint64_t seed = seed_of_all_ranks(8);
  const int ranks = size_of(MPI_COMM_WORLD);
  for (std::uint64_t number = 0; number < 12; ++number) {
    Random random(seed * 1000003 + number);
    SCOPED_TRACE(repeated_by(seed) + ", case " + std::to_string(number));
    Case given = random_case(ranks, 2000, random);
    given.machine = random_machine(random);
    given.problem.effort = Effort::measure;
    given.budget_s = 0.2;
    check_case(given, MPI_COMM_WORLD);
  }
}

TEST(FftMachine, TrialsNeedEffortAndABudget) {
  FftOptions options = options_with(shipped_machine("vm-2-cores"));
  EXPECT_EQ(Fft<double>(options).plan().chosen_by, "model");
  options.planning.effort = Effort::measure;
  options.planning.budget_s = 0;
  EXPECT_EQ(Fft<double>(options).plan().chosen_by, "model");
  EXPECT_EQ(Fft<double>(options).plan().line_effort, Effort::estimate);
  options.own_workspace = false;
  options.planning.budget_s = 5;
  EXPECT_EQ(Fft<double>(options).plan().line_effort, Effort::measure);
  options.planning.budget_s = 1e-3;
  EXPECT_EQ(Fft<double>(options).plan().line_effort, Effort::estimate);
  options.own_workspace = true;
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "one rank has one way";
  options.planning.budget_s = 5;
  const Plan plan = Fft<double>(options).plan();
  EXPECT_EQ(plan.chosen_by, "trials");
  EXPECT_GT(plan.prediction->measured_s, 0);
  EXPECT_NE(explain(plan).find("tried on these ranks"), std::string::npos);
}

TEST(FftMachine, ImpossibleBudgetsAreRefused) {
  FftOptions options = options_with(shipped_machine("vm-2-cores"));
  for (const double budget_s : {-1.0, std::nan("")}) {
    options.planning.budget_s = budget_s;
    expect_same_error(MPI_COMM_WORLD, ErrorCode::invalid_argument, {"0 seconds", "given"},
                      [&] { const Fft<double> fft(options); });
  }
}

TEST(FftPlan, RunsEveryCandidate) {
  const int ranks = size_of(MPI_COMM_WORLD);
  const Problem problem{.shape = {12, 10, 8}, .kinds = Kind::r2c, .ranks = ranks};
  for (const Plan& plan : candidates(problem, shipped_machine("ethernet-10g"))) {
    SCOPED_TRACE(explain(plan));
    const Fft<double> fft(plan_from_json(to_json(plan)), MPI_COMM_WORLD);
    Plan without_engines = fft.plan();
    EXPECT_FALSE(without_engines.line_engines.empty());
    without_engines.line_engines.clear();
    without_engines.engines.clear();
    EXPECT_EQ(without_engines, plan);
    Case given;
    given.problem = plan.problem;
    given.plan = plan;
    check_case(given, MPI_COMM_WORLD);
  }
}

TEST(FftPlan, PlansThatDoNotFitTheRanksAreRefused) {
  const int ranks = size_of(MPI_COMM_WORLD);
  expect_same_error(MPI_COMM_WORLD, ErrorCode::invalid_argument, {"number of ranks"}, [&] {
    const Fft<double> fft(make_plan({.shape = {8, 8}, .ranks = ranks + 1}), MPI_COMM_WORLD);
  });
  const Plan plan = make_plan({.shape = {8, 8}, .ranks = ranks});
  expect_same_error(MPI_COMM_WORLD, ErrorCode::invalid_argument, {"precision"},
                    [&] { const Fft<float> fft(plan, MPI_COMM_WORLD); });
  if (ranks < 3) GTEST_SKIP() << "too few ranks for nodes that differ";
  Problem nodes{.shape = {8, 8}, .ranks = ranks, .ranks_per_node = ranks - 1};
  nodes.exchange = {.method = Method::messages, .nodes = NodeUse::separate};
  const Plan other_nodes = make_plan(nodes);
  expect_same_error(MPI_COMM_WORLD, ErrorCode::invalid_argument, {"memory of nodes"},
                    [&] { const Fft<double> fft(other_nodes, MPI_COMM_WORLD); });
}

TEST(FftPlan, DifferentPlansOnRanksAreRefused) {
  const int ranks = size_of(MPI_COMM_WORLD);
  if (ranks == 1) GTEST_SKIP() << "one rank agrees with itself";
  expect_same_error(MPI_COMM_WORLD, ErrorCode::disagreement, {"plan"}, [&] {
    const std::int64_t n = rank_of(MPI_COMM_WORLD) == 1 ? 9 : 8;
    const Fft<double> fft(make_plan({.shape = {n, 8}, .ranks = ranks}), MPI_COMM_WORLD);
  });
}

}  // namespace
}  // namespace weft::test_support
