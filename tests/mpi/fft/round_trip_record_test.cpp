// The record of a round trip: its steps, the bytes of its exchanges, and its memory.
#include <limits>

#include "api/handle.hpp"
#include "comm/from_mpi.hpp"
#include "mpi/support/every_method.hpp"
#include "mpi/support/fft_check.hpp"
#include "mpi/support/same_error.hpp"
#include "mpi/support/stage_bytes.hpp"
#include "mpi/support/world.hpp"
#include "plan/round_trip_steps.hpp"

namespace weft::test_support {
namespace {

void do_nothing(const Tile&) {}

/// A transform with arrays, and calls of its round trips.
class Trips {
 public:
  explicit Trips(const Problem& problem, const Planning& planning = {.plan_by = PlanBy::fixed_rule})
      : handle_(problem, {.planning = planning}, comm::communicator_of(world)) {}

  api::Handle& handle() { return handle_; }

  void apply(ApplyIn turn, std::int64_t in, std::int64_t out, const FieldWork& work) {
    const Layout& layout = turn == ApplyIn::spectrum ? handle_.input() : handle_.output();
    const auto bytes =
        static_cast<std::size_t>(16 * layout.local_volume(handle_.comm().rank()) + 16);
    arrays_.resize(static_cast<std::size_t>(in + out));
    for (auto& each : arrays_) each.assign(bytes, 0);
    inputs_.clear();
    outputs_.clear();
    for (std::int64_t i = 0; i < in; ++i)
      inputs_.push_back(arrays_[static_cast<std::size_t>(i)].data());
    for (std::int64_t i = 0; i < out; ++i)
      outputs_.push_back(arrays_[static_cast<std::size_t>(in + i)].data());
    handle_.apply(turn, work, inputs_, outputs_);
  }

 private:
  api::Handle handle_;
  std::vector<std::vector<char>> arrays_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
};

/// Checks the record of a round trip of `in` and `out` fields against the layouts of the plan.
void check_record(const Problem& problem, ApplyIn turn, std::int64_t in, std::int64_t out) {
  Trips trips(problem);
  api::Handle& handle = trips.handle();
  const Plan& plan = handle.plan();
  SCOPED_TRACE(explain(plan) + (turn == ApplyIn::spectrum ? "in the spectrum" : "in space"));
  handle.set_recording(true);
  trips.apply(turn, in, out, {.function = {do_nothing}});
  const FieldTrip trip{turn, {in, in, out, out}};
  const PlanCost predicted = predict(plan, trip, shipped_machine("infiniband-64")).cost;
  const std::vector<StepRecord>& record = handle.record();
  const std::size_t steps = predicted.steps.size();
  const auto lanes = static_cast<std::size_t>(std::max(in, out));
  ASSERT_EQ(record.size(), steps * lanes);
  // The outward stages are those of the plan up to the turn. The return has the same stages.
  const bool in_spectrum = turn == ApplyIn::spectrum;
  const std::size_t there = steps / 4;  // number of outward exchanges
  const std::size_t last = plan.exchanges.size() - 1;
  for (std::size_t i = 0; i < record.size(); ++i) {
    const StepRecord& step = record[i];
    const std::size_t lane = i / steps;
    const std::size_t position = i % steps;
    SCOPED_TRACE(step.name + ", lane " + std::to_string(lane));
    EXPECT_EQ(step.name, predicted.steps[position].name);
    EXPECT_EQ(step.is_exchange, predicted.steps[position].is_exchange);
    EXPECT_GE(step.end_s, step.start_s);
    if (!step.is_exchange) continue;
    const std::size_t exchange = position / 2;
    const bool is_there = exchange < there;
    const std::size_t hop = is_there ? exchange : 2 * there - 1 - exchange;
    const std::size_t number = in_spectrum ? hop : last - hop;  // number of the exchange in the
                                                                // plan
    const bool is_forward = is_there == in_spectrum;
    const MovedBytes moved = moved_bytes(plan, number, handle.comm().rank(), is_forward);
    const bool takes_part = lane < static_cast<std::size_t>(is_there ? in : out);
    const bool by_memory = is_by_memory(plan.exchanges[number]);
    EXPECT_EQ(step.bytes_sent, takes_part && !by_memory ? moved.sent : 0);
    EXPECT_EQ(step.bytes_from_others, takes_part && by_memory ? moved.received : 0);
  }
}

TEST(RoundTripRecord, ExchangesMoveWhatTheLayoutsSay) {
  const std::int64_t ranks = size_of(world);
  int run = 0;
  for (const Exchange& exchange : every_method())
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const ApplyIn turn : {ApplyIn::spectrum, ApplyIn::space})
        for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
          Problem problem{.shape = {9, 10, 7},
                          .kinds = kind,
                          .modes = run % 3 == 1 ? Shape{two_thirds} : Shape{},
                          .support = run % 3 == 2 ? Shape{5} : Shape{},
                          .ranks = ranks,
                          .ranks_per_node = all_share_memory() ? ranks : 1,
                          .output_choice = output,
                          .exchange = exchange};
          if (output == OutputChoice::same && (run % 3 != 0)) problem.modes = problem.support = {};
          check_record(checked(problem), turn, 1 + run % 3, 1 + run % 2);
          ++run;
        }
  EXPECT_GE(run, 56);
}

/// Checks that the stage at the turn reads each local array once and writes each once.
void check_turn(const Problem& problem, ApplyIn turn, std::int64_t in, std::int64_t out) {
  Trips trips(problem);
  api::Handle& handle = trips.handle();
  const Plan& plan = handle.plan();
  SCOPED_TRACE(explain(plan) + (turn == ApplyIn::spectrum ? "in the spectrum" : "in space"));
  handle.set_recording(true);
  trips.apply(turn, in, out, {.function = {do_nothing}});
  const RoundTripSteps steps = round_trip_steps(plan, turn);
  const Stage& stage = plan.stages[steps.stages[steps.turn]];
  // The array on the outward side of the turn: the stage reads it there, and writes it there on
  // return.
  const bool in_spectrum = turn == ApplyIn::spectrum;
  const std::int64_t array_bytes =
      (in_spectrum ? stage.source : stage.target).local_volume(handle.comm().rank()) *
      weft::element_bytes(in_spectrum ? stage.source_element : stage.target_element,
                          problem.precision);
  const std::size_t steps_a_lane = 2 * steps.stages.size() - 1;
  const std::vector<StepRecord>& record = handle.record();
  ASSERT_EQ(record.size(), steps_a_lane * static_cast<std::size_t>(std::max(in, out)));
  // Fields run in lanes, one after the other. The first lane has the record of all fields.
  for (std::size_t first = 0; first < record.size(); first += steps_a_lane) {
    const StepRecord& step = record[first + 2 * steps.turn];
    SCOPED_TRACE(step.name + ", lane " + std::to_string(first / steps_a_lane));
    EXPECT_EQ(step.bytes_read, first == 0 ? in * array_bytes : 0);
    EXPECT_EQ(step.bytes_written, first == 0 ? out * array_bytes : 0);
  }
}

/// At the turn, the outward transforms, the function and the transforms of the return are one pass
/// through memory, if tiles fit in cache.
TEST(RoundTripRecord, TheStageAtTheTurnIsOnePass) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> counts{{1, 1}, {2, 1}, {1, 3}};
  for (const Exchange& exchange : every_method()) {
    if (exchange.wire == WirePrecision::f32) continue;  // floats on the wire have half the bytes
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const ApplyIn turn : {ApplyIn::spectrum, ApplyIn::space})
        for (const auto& [in, out] : counts) {
          Problem problem{.shape = {9, 10, 7},
                          .kinds = kind,
                          .ranks = size_of(world),
                          .ranks_per_node = all_share_memory() ? size_of(world) : 1,
                          .exchange = exchange};
          check_turn(checked(problem), turn, in, out);
        }
  }
}

/// Checks that the first and the last stage read and write each local array once, although they
/// also call functions. `counts` are the stored and the transformed fields of both directions.
void check_ends(const Problem& problem, ApplyIn turn, const FieldCounts& counts) {
  Trips trips(problem);
  api::Handle& handle = trips.handle();
  const Plan& plan = handle.plan();
  SCOPED_TRACE(explain(plan) + (turn == ApplyIn::spectrum ? "in the spectrum" : "in space"));
  handle.set_recording(true);
  trips.apply(turn, counts.stored_in, counts.stored_out,
              {.function = {do_nothing},
               .before = FieldFunction{do_nothing},
               .after = FieldFunction{do_nothing},
               .fields_there = counts.in,
               .fields_back = counts.out});
  const RoundTripSteps steps = round_trip_steps(plan, turn);
  const Stage first = executed_stage(plan, turn, steps, 0);
  const int rank = handle.comm().rank();
  const auto bytes = [&](const Layout& layout, Element element) {
    return layout.local_volume(rank) * weft::element_bytes(element, problem.precision);
  };
  // The last stage is the first one in the other direction.
  const std::int64_t outside = bytes(first.source, first.source_element);
  const std::int64_t inside = bytes(first.target, first.target_element);
  const std::size_t steps_a_lane = 2 * steps.stages.size() - 1;
  const std::vector<StepRecord>& record = handle.record();
  ASSERT_EQ(record.size() % steps_a_lane, 0U);
  ASSERT_GT(record.size(), 0U);
  StepRecord at_start;
  StepRecord at_end;
  for (std::size_t i = 0; i < record.size(); i += steps_a_lane) {
    at_start.bytes_read += record[i].bytes_read;
    at_start.bytes_written += record[i].bytes_written;
    at_end.bytes_read += record[i + steps_a_lane - 1].bytes_read;
    at_end.bytes_written += record[i + steps_a_lane - 1].bytes_written;
  }
  const bool is_one_stage = steps.turn == 0;
  EXPECT_EQ(at_start.bytes_read, counts.stored_in * outside);
  EXPECT_EQ(at_end.bytes_written, counts.stored_out * outside);
  if (is_one_stage) return;
  EXPECT_EQ(at_start.bytes_written, counts.in * inside);
  EXPECT_EQ(at_end.bytes_read, counts.out * inside);
}

/// The functions before the first stage and after the last are in the pass of that stage, if tiles
/// fit in cache.
TEST(RoundTripRecord, FunctionsAtTheEndsTakeNoFurtherPass) {
  const std::vector<FieldCounts> tried{{1, 3, 2, 1}, {2, 1, 1, 3}};
  int run = 0;
  for (const Exchange& exchange : every_method()) {
    if (exchange.wire == WirePrecision::f32) continue;  // floats on the wire have half the bytes
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const ApplyIn turn : {ApplyIn::spectrum, ApplyIn::space})
        for (const FieldCounts& counts : tried) {
          Problem problem{.shape = {9, 10, 7},
                          .kinds = kind,
                          .ranks = size_of(world),
                          .ranks_per_node = all_share_memory() ? size_of(world) : 1,
                          .exchange = exchange};
          check_ends(checked(problem), turn, counts);
          ++run;
        }
  }
  EXPECT_GE(run, 48);
}

/// Forward and backward record the bytes from other ranks' memory, also with modes and support.
TEST(RoundTripRecord, BytesFromOthersAreThoseOfTheLayouts) {
  if (!all_share_memory()) GTEST_SKIP() << "the ranks share no memory here";
  const std::int64_t ranks = size_of(world);
  for (const Shape& modes : {Shape{}, Shape{two_thirds}})
    for (const Shape& support : {Shape{}, Shape{6}})
      for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
        Problem problem{.shape = {12, 9, 10},
                        .kinds = Kind::r2c,
                        .modes = modes,
                        .support = support,
                        .ranks = ranks,
                        .output_choice = output,
                        .exchange = {.method = Method::shared}};
        Trips trips(problem);
        api::Handle& handle = trips.handle();
        const Plan& plan = handle.plan();
        SCOPED_TRACE(explain(plan));
        handle.set_recording(true);
        std::vector<double> x(static_cast<std::size_t>(handle.inplace_bytes()) / 8 + 2);
        std::vector<double> y(x.size());
        for (const bool is_forward : {true, false}) {
          handle.execute(is_forward ? Direction::forward : Direction::backward, x.data(), y.data());
          const std::size_t exchanges = plan.exchanges.size();
          ASSERT_EQ(handle.record().size(), 2 * exchanges + 1);
          for (std::size_t i = 0; i < exchanges; ++i) {
            const std::size_t number = is_forward ? i : exchanges - 1 - i;
            const StepRecord& step = handle.record()[2 * i + 1];
            EXPECT_EQ(step.bytes_from_others,
                      moved_bytes(plan, number, handle.comm().rank(), is_forward).received);
            EXPECT_EQ(step.bytes_sent, 0);
          }
        }
      }
}

/// A transform that a model planned explains its round trips, before and after they run.
TEST(RoundTripRecord, ExplanationsHavePredictedTimes) {
  Trips trips({.shape = {12, 10, 8}}, {.machine = shipped_machine("vm-2-cores")});
  api::Handle& handle = trips.handle();
  const FieldWork work{.function = {do_nothing}};
  const std::string text = handle.explain_apply(ApplyIn::spectrum, work, 2, 1);
  EXPECT_NE(text.find("2 inputs, 2 fields there, 1 field back, 1 output"), std::string::npos)
      << text;
  EXPECT_NE(text.find("predicted on the machine \"vm-2-cores\""), std::string::npos) << text;
  handle.set_recording(true);
  trips.apply(ApplyIn::spectrum, 2, 1, work);
  const std::string after = handle.explain();
  for (const std::string& name : step_names(handle.plan(), {ApplyIn::spectrum, {2, 2, 1, 1}}))
    EXPECT_NE(after.find(name + "; predicted "), std::string::npos) << name << "\n" << after;
  expect_same_error(world, ErrorCode::invalid_argument, {"outputs", "given 0"},
                    [&] { handle.explain_apply(ApplyIn::spectrum, work, 1, 0); });
}

/// Workspaces of the last few round trips are kept. The least recently used one is dropped.
TEST(RoundTripRecord, OnlyTheLastFewRoundTripsAreKept) {
  constexpr int kept = 8;
  Trips trips({.shape = {10, 9, 8}, .exchange = {.method = Method::messages}});
  api::Handle& handle = trips.handle();
  const std::int64_t alone = handle.workspace_bytes();
  const auto apply = [&](std::int64_t results) {  // each number of results is another round trip
    trips.apply(ApplyIn::spectrum, 1, 1, {.function = {do_nothing, false, results}});
  };
  apply(0);
  const std::int64_t each = handle.workspace_bytes() - alone;
  EXPECT_GT(each, 0);
  for (int i = 1; i < 3 * kept; ++i) {
    apply(i);
    EXPECT_LE(handle.workspace_bytes(), alone + std::min(i + 1, kept) * 2 * each);
    EXPECT_GE(handle.workspace_bytes(), alone + std::min(i + 1, kept) * each / 2);
  }
  // The round trips with 2*kept .. 3*kept - 1 results are kept. The first of them is used again.
  const auto allocations = [] { return memory_counters().allocations; };
  apply(2 * kept);
  auto before = allocations();
  apply(2 * kept);
  EXPECT_EQ(allocations(), before) << "this round trip was not kept";
  apply(100);  // this drops the round trip with 2*kept + 1 results
  before = allocations();
  apply(2 * kept);
  EXPECT_EQ(allocations(), before) << "a recently used round trip was dropped";
  apply(2 * kept + 1);
  EXPECT_GT(allocations(), before) << "the least recently used round trip was kept";
  const std::int64_t live = memory_counters().live_bytes;
  for (int i = 200; i < 220; ++i) apply(i);
  EXPECT_LE(memory_counters().live_bytes, live + live / 4);
}

}  // namespace
}  // namespace weft::test_support
