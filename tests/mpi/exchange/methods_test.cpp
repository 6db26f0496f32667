// Exchange methods, compared with MPI_Alltoallw. Also floats on the wire, pieces and presets.
#include <set>

#include "comm/from_mpi.hpp"
#include "mpi/support/both_ways.hpp"
#include "plan/words.hpp"

namespace weft::test_support {
namespace {

std::vector<Exchange> exchanges() {
  const Problem here{
      .shape = {8},
      .ranks = size_of(world)};  // no node memory, because Method::shared has its own tests
  std::vector<Exchange> found = all_exchanges(here, 3);
  for (const std::int64_t chunks : {std::int64_t{2}, every_slice})
    found.push_back({.method = Method::messages,
                     .wire_form = WireForm::packed,
                     .schedule = Schedule::scattered,
                     .requests = Requests::ordinary,
                     .chunks = chunks});
  return found;
}

TEST(FftMethods, AgreeWithTheOracle) {
  int compared = 0;
  std::size_t row = 0;
  const auto all = exchanges();
  for (const Problem& problem : exchange_problems())
    for (const bool in_place : {false, true}) {
      const Results expected = run_both(problem, oracle_exchange, false, in_place);
      std::size_t number = row++ / 2 + (in_place ? 1 : 0);  // every second problem is in place
      for (const Exchange& exchange : all) {
        if (!is_compared(number++)) continue;
        SCOPED_TRACE(to_json(problem) + (in_place ? " in place, " : ", ") + describe(exchange));
        const Results found = run_both(problem, exchange, false, in_place);
        EXPECT_LT(distance(expected.forward, found.forward), 1e-14);
        EXPECT_LT(distance(expected.backward, found.backward), 1e-14);
        ++compared;
      }
    }
  std::set<Method> methods;
  for (const Exchange& exchange : all) methods.insert(exchange.method);
  const std::size_t left_out = size_of(world) == 1 ? 1 : 2;  // automatic; with several ranks also
                                                             // shared
  EXPECT_EQ(methods.size() + left_out, static_cast<std::size_t>(value_count<Method>));
  // Collective: 2 forms x 2 chunks. Messages: 2 forms x 3 schedules x 2 requests x 2 chunks. Two
  // more with other chunks.
  const std::size_t ways = 2 * 2 + 2 * 3 * 2 * 2 + 2;
  EXPECT_GE(all.size(), ways);
  const std::size_t cases = all.size() * 2 * exchange_problems().size();
  EXPECT_EQ(compared, static_cast<int>(size_of(world) <= 3 ? cases : cases / 2));
}

/// Floats on the wire halve the bytes. Each exchange adds the rounding error of a float, for all
/// sizes.
TEST(FftMethods, FloatsOnTheWireHalveTheBytes) {
  const std::int64_t ranks = size_of(world);
  if (ranks == 1) GTEST_SKIP() << "one rank exchanges nothing";
  int compared = 0;
  for (const Problem& problem : exchange_problems())
    for (const bool in_place : {false, true})
      for (const Exchange& choices :
           {Exchange{.wire = WirePrecision::f32},
            Exchange{.method = Method::messages, .chunks = 3, .wire = WirePrecision::f32}}) {
        SCOPED_TRACE(to_json(problem) + (in_place ? " in place, " : ", ") + describe(choices));
        Exchange exact = choices;
        exact.method = choices.method == Method::automatic ? Method::collective : choices.method;
        exact.wire_form = WireForm::packed;
        exact.wire = WirePrecision::same;
        const Results expected = run_both(problem, exact, false, in_place);
        const Results found = run_both(problem, choices, false, in_place);
        const double error = distance(expected.forward, found.forward);
        EXPECT_LT(error, 1e-7);
        EXPECT_LT(distance(expected.backward, found.backward), 2e-7);
        std::int64_t sent = 0;
        std::int64_t sent_exactly = 0;
        for (std::size_t i = 0; i < found.forward_record.size(); ++i) {
          sent += found.forward_record[i].bytes_sent;
          sent_exactly += expected.forward_record[i].bytes_sent;
        }
        EXPECT_EQ(2 * sent, sent_exactly);
        const std::int64_t most =
            comm::communicator_of(world).max(sent);  // a batch may exchange nothing
        if (most > 0) {
          EXPECT_GT(error, 1e-9) << "the error is too small for floats on the wire";
        }
        ++compared;
      }
  EXPECT_EQ(compared, static_cast<int>(4 * exchange_problems().size()));
}

/// Floats arrive in the memory of the doubles to which they are converted. If each rank has one
/// row, blocks arrive in the order of the array. A c2r of two passes needs that memory for other
/// data.
TEST(FftMethods, FloatsMayArriveInPlace) {
  const std::int64_t ranks = size_of(world);
  if (ranks == 1) GTEST_SKIP() << "one rank exchanges nothing";
  const Problem rows{.shape = {ranks, 2 * ranks, 8}, .output_choice = OutputChoice::same};
  const Problem sweeps{.shape = {3 * ranks, 64, 64}, .kinds = Kind::r2c, .threads = 2};
  for (const Problem& problem : {rows, sweeps})
    for (const Method method : {Method::messages, Method::collective}) {
      SCOPED_TRACE(to_json(problem));
      const Results expected = run_both(problem, oracle_exchange, false, true);
      const Results found =
          run_both(problem, Exchange{.method = method, .wire = WirePrecision::f32}, false, true);
      EXPECT_LT(distance(expected.forward, found.forward), 1e-7);
      EXPECT_LT(distance(expected.backward, found.backward), 2e-7);
    }
}

/// If a row of reals is divided among ranks, it is not padded. The rows of a chunk have the same
/// place as without chunks. With two threads the first stage needs two passes.
TEST(FftMethods, RealsInPlaceAgreeWithTwoPasses) {
  const std::int64_t ranks = size_of(world);
  if (ranks == 1) GTEST_SKIP() << "one rank exchanges nothing";
  const Problem chunks{.shape = {3 * ranks, 64, 64}, .kinds = Kind::r2c, .threads = 2};
  for (const Method method : {Method::messages, Method::collective}) {
    const Results expected = run_both(chunks, oracle_exchange, false, true);
    const Results found = run_both(chunks, Exchange{.method = method, .chunks = 2}, false, true);
    EXPECT_LT(distance(expected.forward, found.forward), 1e-14);
    EXPECT_LT(distance(expected.backward, found.backward), 1e-14);
  }
  if (ranks != 3 ||
      comm::node_memory_kind(comm::communicator_of(world)) == comm::NodeMemoryKind::ordinary)
    return;
  Problem parts{
      .shape = {16, 4, 64}, .axes = {0, 2}, .kinds = Kind::r2c, .has_input = true, .threads = 2};
  parts.input = Layout::of_boxes(
      parts.shape, {{{0, 0, 0}, {16, 3, 64}}, {{0, 3, 0}, {16, 4, 32}}, {{0, 3, 32}, {16, 4, 64}}});
  for (const bool overwrite : {false, true})
    for (const bool in_place : {false, true}) {
      parts.overwrite_input = overwrite;
      const Results expected = run_both(parts, oracle_exchange, false, in_place);
      const Results found = run_both(parts, Exchange{.method = Method::shared}, false, in_place);
      EXPECT_LT(distance(expected.forward, found.forward), 1e-14);
      EXPECT_LT(distance(expected.backward, found.backward), 1e-14);
    }
}

std::int64_t sum_of(const Results& results, std::int64_t StepRecord::*what) {
  std::int64_t sum = 0;
  for (const StepRecord& step : results.forward_record) sum += step.*what;
  return sum;
}

/// Blocks are cut into pieces, the last one shorter. The same bytes are sent in more messages.
TEST(FftMethods, Pieces) {
  const std::int64_t ranks = size_of(world);
  if (ranks == 1) GTEST_SKIP() << "one rank exchanges nothing";
  constexpr std::int64_t piece_bytes = 160;  // ten complex numbers
  for (const Problem& problem : exchange_problems()) {
    const Results expected = run_both(problem, oracle_exchange, false, false);
    const Exchange uncut{.method = Method::messages, .wire_form = WireForm::packed};
    const Results whole = run_both(problem, uncut, false, false);
    for (const Schedule schedule : {Schedule::pairwise, Schedule::cyclic, Schedule::scattered})
      for (const Requests requests : {Requests::ordinary, Requests::persistent})
        for (const std::int64_t chunks : {1, 3}) {
          Exchange choices = uncut;
          choices.schedule = schedule;
          choices.requests = requests;
          choices.chunks = chunks;
          choices.piece_bytes = piece_bytes;
          SCOPED_TRACE(to_json(problem) + ", " + describe(choices));
          const Results found = run_both(problem, choices, false, false);
          EXPECT_LT(distance(expected.forward, found.forward), 1e-14);
          EXPECT_LT(distance(expected.backward, found.backward), 1e-14);
          const std::int64_t bytes = sum_of(found, &StepRecord::bytes_sent);
          EXPECT_EQ(bytes, sum_of(whole, &StepRecord::bytes_sent));
          const std::int64_t messages = sum_of(found, &StepRecord::messages);
          EXPECT_GE(messages * piece_bytes, bytes) << "a message was longer than a piece";
          if (chunks > 1)
            continue;  // the last piece of each chunk is shorter, so the count
                       // differs
          const std::int64_t blocks = sum_of(whole, &StepRecord::messages);
          EXPECT_LE(messages, bytes / piece_bytes + blocks);
        }
  }
}

/// A preset has the documented method, schedule and form, in the plan and in the report of the run.
TEST(FftMethods, PresetsHaveTheDocumentedChoices) {
  const std::int64_t ranks = size_of(world);
  if (ranks == 1) GTEST_SKIP() << "one rank exchanges nothing";
  const std::vector<std::pair<Preset, std::vector<std::string>>> expected = {
      {Preset::fftw, {"exchange: collective packed"}},
      {Preset::dmitruk, {"exchange: messages pairwise packed"}},
      {Preset::duke, {"exchange: messages scattered packed"}},
      {Preset::fft2d_i, {"exchange: messages scattered datatype"}},
      {Preset::fft2d_p, {"exchange: messages scattered datatype, persistent"}},
      {Preset::p3dfft, {"exchange: collective packed"}}};
  for (const auto& [preset, names] : expected) {
    SCOPED_TRACE(to_string(preset));
    Problem problem{.shape = {2 * ranks, 12, 10}, .exchange = {.preset = preset}};
    api::Handle handle(problem, {}, comm::communicator_of(world));
    handle.transform().set_recording(true);
    AlignedBuffer x(handle.inplace_bytes());
    std::memset(x.data(), 0, static_cast<std::size_t>(x.size()));
    handle.execute(Direction::forward, x.data(), x.data());
    std::vector<std::string> found;
    for (const StepRecord& step : handle.transform().record())
      if (step.is_exchange) found.push_back(step.name.substr(0, step.name.find(", 2 chunks")));
    ASSERT_GE(found.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      EXPECT_TRUE(found[i].starts_with(names[i])) << found[i] << ", not " << names[i];
    const Exchange& first = handle.plan().exchanges[0];
    const bool slices =
        preset == Preset::duke || preset == Preset::fft2d_p || preset == Preset::p3dfft;
    EXPECT_EQ(first.chunks > 1, slices) << describe(first);
    if (preset == Preset::p3dfft && ranks % 2 == 0 && ranks > 2) {  // the preset's pencil divides
                                                                    // two axes
      ASSERT_EQ(handle.plan().stages.size(), 3u);
      EXPECT_EQ(handle.plan().exchanges[1].chunks, 1);
    }
  }
}

}  // namespace
}  // namespace weft::test_support
