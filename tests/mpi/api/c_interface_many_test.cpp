// The C interface: options of exchanges and machines, several arrays in one call, records of steps.
#include <weft/machine.hpp>

#include "mpi/support/c_interface_check.hpp"

namespace weft::test_support {
namespace {

TEST(CInterface, PlansAreMadeForRanksThatDoNotExist) {
  const int64_t shape[] = {4096, 4096, 4096};
  weft_options c = default_options();
  c.shape = shape;
  c.dims = 3;
  c.kind = WEFT_R2C;
  char* text = nullptr;
  ASSERT_EQ(weft_plan_json(&c, 16384, &text), WEFT_OK) << weft_last_error();
  const Plan plan = plan_from_json(taken(text));
  Problem problem{.shape = {4096, 4096, 4096}, .kinds = Kind::r2c, .ranks = 16384};
  problem.all_ranks = true;
  EXPECT_EQ(plan, make_plan(problem));
  ASSERT_EQ(weft_plan_explain(&c, 16384, &text), WEFT_OK);
  EXPECT_EQ(taken(text), explain(plan));
  c.ranks_per_node = 16384;
  ASSERT_EQ(weft_plan_json(&c, 16384, &text), WEFT_OK);
  EXPECT_EQ(plan_from_json(taken(text)).exchanges[0].method, Method::shared);
  c.ranks_per_node = 0;
  c.planning.machine = "fixed-rule";
  ASSERT_EQ(weft_plan_json(&c, 16384, &text), WEFT_OK);
  EXPECT_EQ(plan_from_json(taken(text)), plan);
  c.planning.machine = "bgl-512";
  ASSERT_EQ(weft_plan_json(&c, 512, &text), WEFT_OK);
  EXPECT_FALSE(plan_from_json(taken(text)).problem.all_ranks);
  c.planning.all_ranks = 1;
  ASSERT_EQ(weft_plan_json(&c, 512, &text), WEFT_OK);
  EXPECT_TRUE(plan_from_json(taken(text)).problem.all_ranks);
  c.planning.all_ranks = 2;
  expect_failure(weft_plan_json(&c, 16384, &text), WEFT_INVALID_ARGUMENT, {"all_ranks", "2"});
  c.planning.all_ranks = 0;
  c.planning.machine = "local";
  expect_failure(weft_plan_json(&c, 16384, &text), WEFT_UNSUPPORTED, {"local", "machine"});
  c.planning.machine = nullptr;
  expect_failure(weft_plan_json(&c, 0, &text), WEFT_INVALID_ARGUMENT, {"rank"});
  expect_failure(weft_plan_json(nullptr, 4, &text), WEFT_INVALID_ARGUMENT, {"options"});
  expect_failure(weft_plan_json(&c, 4, nullptr), WEFT_INVALID_ARGUMENT, {"NULL"});
}

/// All members of weft_exchange, and effort and all_ranks of weft_planning, reach the problem.
TEST(CInterface, ReadsGroupedOptions) {
  const int64_t shape[] = {64, 32, 16};
  weft_options c = default_options();
  c.shape = shape;
  c.dims = 3;
  c.exchange.method = WEFT_METHOD_MESSAGES;
  c.exchange.wire_form = WEFT_WIRE_PACKED;
  c.exchange.schedule = WEFT_SCHEDULE_SCATTERED;
  c.exchange.requests = WEFT_REQUESTS_PERSISTENT;
  c.exchange.chunks = WEFT_EVERY_SLICE;
  c.exchange.nodes = WEFT_NODES_UNAWARE;
  c.exchange.wire = WEFT_WIRE_F32;
  c.exchange.piece_bytes = 4096;
  c.exchange.preset = WEFT_PRESET_DUKE;
  c.planning.effort = WEFT_EXHAUSTIVE;
  c.planning.all_ranks = -1;
  char* text = nullptr;
  ASSERT_EQ(weft_plan_json(&c, 4, &text), WEFT_OK) << weft_last_error();
  const Plan plan = plan_from_json(taken(text));
  const Exchange wanted{.method = Method::messages,
                        .wire_form = WireForm::packed,
                        .schedule = Schedule::scattered,
                        .requests = Requests::persistent,
                        .chunks = every_slice,
                        .nodes = NodeUse::unaware,
                        .wire = WirePrecision::f32,
                        .piece_bytes = 4096,
                        .preset = Preset::duke};
  EXPECT_EQ(plan.problem.exchange, wanted);
  EXPECT_EQ(plan.problem.effort, Effort::exhaustive);
  EXPECT_FALSE(plan.problem.all_ranks);
  for (const Exchange& each : plan.exchanges) EXPECT_EQ(each.preset, Preset::none);
}

TEST(CInterface, RecordsStepsAndTakesSeveralArrays) {
  const int64_t shape[] = {12, 9};
  weft_options c = default_options();
  c.shape = shape;
  c.dims = 2;
  c.exchange.method = WEFT_METHOD_MESSAGES;
  c.exchange.schedule = WEFT_SCHEDULE_CYCLIC;
  c.exchange.requests = WEFT_REQUESTS_PERSISTENT;
  c.exchange.chunks = 2;
  weft_fft* fft = nullptr;
  ASSERT_EQ(weft_fft_create(&c, world, &fft), WEFT_OK) << weft_last_error();
  int64_t bytes = 0;
  ASSERT_EQ(weft_fft_inplace_bytes(fft, &bytes), WEFT_OK);
  std::vector<std::vector<double>> x(3), X(3), expected(3);
  for (std::size_t i = 0; i < 3; ++i) {
    x[i].assign(static_cast<std::size_t>(bytes) / 8 + 2, 0.5 + static_cast<double>(i));
    X[i].assign(x[i].size(), -1);
    expected[i] = X[i];
    ASSERT_EQ(weft_fft_forward(fft, x[i].data(), expected[i].data()), WEFT_OK);
  }
  const void* in[] = {x[0].data(), x[1].data(), x[2].data()};
  void* out[] = {X[0].data(), X[1].data(), X[2].data()};
  ASSERT_EQ(weft_fft_forward_many(fft, 3, in, out), WEFT_OK) << weft_last_error();
  EXPECT_EQ(X, expected);
  ASSERT_EQ(weft_fft_set_recording(fft, 1), WEFT_OK);
  ASSERT_EQ(weft_fft_forward(fft, x[0].data(), X[0].data()), WEFT_OK);
  int64_t count = 0;
  ASSERT_EQ(weft_fft_record(fft, nullptr, 0, sizeof(weft_step), &count), WEFT_OK);
  ASSERT_EQ(count, size_of(world) == 1 ? 1 : 3);
  std::vector<weft_step> steps(static_cast<std::size_t>(count));
  ASSERT_EQ(weft_fft_record(fft, steps.data(), count, sizeof(weft_step), &count), WEFT_OK);
  EXPECT_TRUE(std::string(steps[0].name).starts_with("stage 0")) << steps[0].name;
  for (const weft_step& step : steps) EXPECT_GE(step.end_s, step.start_s);
  if (count == 3) {
    EXPECT_EQ(steps[1].is_exchange, 1);
    EXPECT_TRUE(std::string(steps[1].name).starts_with("exchange: messages cyclic packed, persist"))
        << steps[1].name;
    EXPECT_GT(steps[1].bytes_sent, 0);
  }
  expect_failure(weft_fft_record(fft, nullptr, 1, sizeof(weft_step), &count), WEFT_INVALID_ARGUMENT,
                 {"steps"});
  expect_failure(weft_fft_record(fft, nullptr, 0, 8, &count), WEFT_INVALID_ARGUMENT, {"step_size"});
  expect_failure(weft_fft_forward_many(fft, -1, in, out), WEFT_INVALID_ARGUMENT, {"negative"});
  expect_failure(weft_fft_forward_many(fft, 2, nullptr, out), WEFT_INVALID_ARGUMENT, {"in"});
  weft_fft_destroy(fft);
}

TEST(CInterface, PlansByAMachine) {
  const int64_t shape[] = {64, 64, 64};
  weft_options c = default_options();
  c.shape = shape;
  c.dims = 3;
  char* text = nullptr;
  ASSERT_EQ(weft_plan_explain(&c, 16, &text), WEFT_OK);
  EXPECT_EQ(taken(text).find("predicted"), std::string::npos);
  const std::string json = to_json(shipped_machine("celerons"));
  for (const char* machine : {"celerons", json.c_str()}) {
    c.planning.machine = machine;
    ASSERT_EQ(weft_plan_explain(&c, 16, &text), WEFT_OK) << weft_last_error();
    EXPECT_NE(taken(text).find("predicted on the machine \"celerons\""), std::string::npos);
    weft_fft* fft = nullptr;
    ASSERT_EQ(weft_fft_create(&c, world, &fft), WEFT_OK) << weft_last_error();
    ASSERT_EQ(weft_fft_plan_json(fft, &text), WEFT_OK);
    EXPECT_NE(taken(text).find("\"chosen_by\":\"model\""), std::string::npos);
    weft_fft_destroy(fft);
  }
  weft_fft* fft = nullptr;
  c.planning.machine = "abacus";
  expect_failure(weft_fft_create(&c, world, &fft), WEFT_INVALID_ARGUMENT, {"abacus", "celerons"});
  c.planning.machine = "{\"weft_machine\": 3}";
  expect_failure(weft_plan_json(&c, 4, &text), WEFT_INVALID_ARGUMENT, {"missing"});
}

}  // namespace
}  // namespace weft::test_support
