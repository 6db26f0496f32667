// The predicted time of round trips: their steps, their bytes, and their gain over transforms.
#include "model/round_trip_cost.hpp"

#include <gtest/gtest.h>

#include "plan/round_trip_steps.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::model {
namespace {

using test_support::expect_error;

constexpr std::int64_t n = 32;
constexpr std::int64_t array_bytes = n * n * n * 16;

Plan slabs(std::int64_t ranks, OutputChoice output = OutputChoice::any) {
  Problem problem{.shape = {n, n, n}, .ranks = ranks, .output_choice = output};
  problem.exchange.method = Method::messages;
  return make_plan(problem);
}

FieldTrip trip_of(ApplyIn turn, std::int64_t in, std::int64_t out) {
  return {turn, {in, in, out, out}};
}

TEST(RoundTripCost, HasTheNamesAndKindsOfItsSteps) {
  for (const OutputChoice output : {OutputChoice::any, OutputChoice::same})
    for (const ApplyIn turn : {ApplyIn::spectrum, ApplyIn::space}) {
      const Plan plan = slabs(4, output);
      FieldTrip trip = trip_of(turn, 2, 3);
      trip.has_before = trip.has_after = true;
      const std::vector<std::string> names = step_names(plan, trip);
      const PlanCost found = cost(plan, trip, shipped_machine("ethernet-10g"));
      ASSERT_EQ(found.steps.size(), names.size());
      for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_EQ(found.steps[i].name, names[i]);
        EXPECT_EQ(found.steps[i].is_exchange, i % 2 == 1);
        EXPECT_GT(found.steps[i].seconds(), 0) << names[i];
      }
    }
  const FieldTrip once = trip_of(ApplyIn::spectrum, 1, 1);
  EXPECT_EQ(step_names(slabs(4), once),
            (std::vector<std::string>{"stage 0: axes 2 1", "exchange: messages pairwise packed",
                                      "stage 1: axis 0, function, back",
                                      "exchange: messages pairwise packed", "stage 2: axes 1 2"}));
}

/// The turn is the step that applies the function. A stage without transforms at the turn is left
/// out, together with its exchange. In the spectrum, this is the last stage. In space, the first
/// stage is at the turn, and it has axes.
TEST(RoundTripCost, LeavesOutStagesWithoutAxesAtTheTurn) {
  const Plan plan = slabs(4, OutputChoice::same);
  ASSERT_EQ(plan.stages.size(), 3U);
  EXPECT_EQ(round_trip_steps(plan, ApplyIn::spectrum).stages, (std::vector<std::size_t>{0, 1, 0}));
  EXPECT_EQ(round_trip_steps(plan, ApplyIn::space).stages,
            (std::vector<std::size_t>{2, 1, 0, 1, 2}));
}

TEST(RoundTripCost, TheTurnReadsEachFieldThereAndWritesEachFieldBack) {
  const Machine machine = shipped_machine("ethernet-10g");
  for (const auto& [in, out] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {3, 1}, {2, 5}}) {
    const PlanCost found = cost(slabs(4), trip_of(ApplyIn::spectrum, in, out), machine);
    EXPECT_EQ(found.steps[2].bytes, (in + out) * array_bytes / 4);
    const PlanCost plain = cost(slabs(4), machine);
    EXPECT_EQ(found.steps[1].bytes, in * plain.steps[1].bytes);
    EXPECT_EQ(found.steps[3].bytes, out * plain.steps[1].bytes);
    EXPECT_EQ(found.steps[0].bytes, in * plain.steps[0].bytes);
    EXPECT_EQ(found.steps[4].bytes, out * plain.steps[0].bytes);
    EXPECT_NEAR(found.steps[2].arithmetic_s,
                static_cast<double>(in + out) * plain.steps[2].arithmetic_s, 1e-12);
  }
}

TEST(RoundTripCost, IsLessThanTwoTransforms) {
  for (const char* name : {"ethernet-10g", "infiniband-64", "vm-2-cores"}) {
    const Machine machine = shipped_machine(name);
    for (const std::int64_t ranks : {1, 2, 4})
      for (const ApplyIn turn : {ApplyIn::spectrum, ApplyIn::space}) {
        const Plan plan = slabs(ranks, OutputChoice::same);
        const double alone = 2 * cost(plan, machine).seconds();
        EXPECT_LT(cost(plan, trip_of(turn, 1, 1), machine).seconds(), alone) << name;
      }
  }
}

/// A function before the first stage reads the stored arrays instead of the fields, in the same
/// pass.
TEST(RoundTripCost, FunctionsAtTheEndsReadAndWriteTheStoredArrays) {
  const Machine machine = shipped_machine("ethernet-10g");
  FieldTrip trip = trip_of(ApplyIn::space, 3, 3);
  const PlanCost plain = cost(slabs(4), trip, machine);
  trip.counts.stored_in = 1;
  trip.counts.stored_out = 5;
  trip.has_before = trip.has_after = true;
  const PlanCost found = cost(slabs(4), trip, machine);
  EXPECT_EQ(found.steps.front().bytes, plain.steps.front().bytes - 2 * array_bytes / 4);
  EXPECT_EQ(found.steps.back().bytes, plain.steps.back().bytes + 2 * array_bytes / 4);
  EXPECT_LT(found.steps.front().seconds(), plain.steps.front().seconds());
  EXPECT_GT(found.steps.back().seconds(), plain.steps.back().seconds());
  EXPECT_EQ(found.steps[2], plain.steps[2]);
}

TEST(RoundTripCost, AnExplanationHasEveryStep) {
  const Plan plan = slabs(4);
  const FieldTrip trip = trip_of(ApplyIn::spectrum, 3, 1);
  const Machine machine = shipped_machine("ethernet-10g");
  const std::string text = explain(plan, trip, predict(plan, trip, machine));
  for (const char* each :
       {"in the spectrum: 3 inputs, 3 fields there, 1 field back, 1 output",
        "stage 1: axis 0, function, back; reads 3 fields, writes 1 field", "exchange of 3 fields",
        "exchange of 1 field", "predicted on the machine \"ethernet-10g\""})
    EXPECT_NE(text.find(each), std::string::npos) << each << "\n" << text;
  EXPECT_EQ(explain(plan, trip).find("predicted"), std::string::npos);
}

TEST(RoundTripCost, AViewIsRefused) {
  const Plan line = make_plan({.shape = {4096}, .ranks = 4});
  expect_error(ErrorCode::unsupported, {"whole lines", "4096", "predict"}, [&] {
    cost(line, trip_of(ApplyIn::spectrum, 1, 1), shipped_machine("ethernet-10g"));
  });
}

/// A shared exchange has bytes, although it sends no messages.
TEST(RoundTripCost, SharedExchangesHaveBytes) {
  Problem problem{.shape = {n, n, n}, .ranks = 4, .ranks_per_node = 4};
  problem.exchange.method = Method::shared;
  const Plan plan = make_plan(problem);
  const Machine machine = shipped_machine("infiniband-64");
  const PlanCost plain = cost(plan, machine);
  EXPECT_EQ(plain.steps[1].bytes, array_bytes / 4 * 3 / 4);
  EXPECT_EQ(plain.steps[1].messages, 0);
  EXPECT_EQ(cost(plan, trip_of(ApplyIn::space, 2, 1), machine).steps[1].bytes,
            2 * plain.steps[1].bytes);
}

}  // namespace
}  // namespace weft::model
