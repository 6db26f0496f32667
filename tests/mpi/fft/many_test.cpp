// Several arrays in one call, and the overlap of their steps.
#include <span>

#include "comm/from_mpi.hpp"
#include "mpi/support/both_ways.hpp"
#include "mpi/support/same_error.hpp"

namespace weft::test_support {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> noisy(std::int64_t elements, std::uint64_t seed) {
  std::vector<Complex> values(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = {noise(seed, 2 * i), noise(seed, 2 * i + 1)};
  return values;
}

struct FieldBatch {
  std::vector<std::vector<Complex>> in;
  std::vector<std::vector<Complex>> out;
  std::vector<const Complex*> in_pointers;
  std::vector<Complex*> out_pointers;

  FieldBatch(const Fft<double>& fft, std::size_t count) {
    const auto rank = static_cast<std::uint64_t>(fft.rank());
    for (std::size_t i = 0; i < count; ++i) {
      in.push_back(noisy(fft.input_elements(), 100 * rank + i));
      out.emplace_back(static_cast<std::size_t>(fft.output_elements()), Complex(-1, -1));
    }
    for (auto& field : in) in_pointers.push_back(field.data());
    for (auto& field : out) out_pointers.push_back(field.data());
  }
};

const std::vector<Exchange> listed_for_many = {
    {},
    {.method = Method::collective, .wire_form = WireForm::packed},
    {.method = Method::collective, .wire_form = WireForm::datatype, .chunks = 3},
    {.method = Method::messages, .schedule = Schedule::pairwise},
    {.method = Method::messages, .schedule = Schedule::cyclic, .chunks = 2},
    {.method = Method::messages,
     .wire_form = WireForm::datatype,
     .schedule = Schedule::scattered,
     .requests = Requests::persistent}};

/// The result has the same bits as one call after the other, because the same stages run on the
/// same numbers.
TEST(FftMany, IsOneCallAfterTheOther) {
  for (const Exchange& choices : with_every_method(listed_for_many))
    for (const OutputChoice output : {OutputChoice::any, OutputChoice::same})
      for (const std::size_t count : {0, 1, 2, 5}) {
        SCOPED_TRACE(describe(choices) + ", " + std::to_string(count) + " arrays");
        Fft<double> fft(
            {.shape = {14, 9, 10}, .comm = world, .output = output, .exchange = choices});
        FieldBatch expected(fft, count);
        FieldBatch found(fft, count);
        for (std::size_t i = 0; i < count; ++i)
          fft.forward(expected.in_pointers[i], expected.out_pointers[i]);
        fft.forward_many(std::span<const Complex* const>(found.in_pointers), found.out_pointers);
        EXPECT_EQ(expected.out, found.out);
        EXPECT_EQ(expected.in, found.in) << "the inputs must not change";
        std::vector<const Complex*> spectra(found.out_pointers.begin(), found.out_pointers.end());
        std::vector<Complex*> back;
        for (auto& field : found.in) back.push_back(field.data());
        for (std::size_t i = 0; i < count; ++i)
          fft.backward(expected.out_pointers[i], expected.in[i].data());
        fft.backward_many(std::span<const Complex* const>(spectra), back);
        EXPECT_EQ(expected.in, found.in);
      }
}

TEST(FftMany, InPlaceIsOneCallAfterTheOther) {
  for (const Exchange& choices : with_every_method(listed_for_many)) {
    SCOPED_TRACE(describe(choices));
    Fft<double> fft({.shape = {12, 10}, .comm = world, .exchange = choices});
    FieldBatch expected(fft, 3);
    for (std::size_t i = 0; i < 3; ++i)
      fft.forward(expected.in_pointers[i], expected.out_pointers[i]);
    std::vector<std::vector<Complex>> both;
    std::vector<const Complex*> from;
    std::vector<Complex*> to;
    for (const auto& field : FieldBatch(fft, 3).in) {
      both.push_back(field);
      both.back().resize(static_cast<std::size_t>(fft.inplace_bytes()) / sizeof(Complex) + 1);
    }
    for (auto& field : both) {
      from.push_back(field.data());
      to.push_back(field.data());
    }
    fft.forward_many(std::span<const Complex* const>(from), to);
    for (std::size_t i = 0; i < 3; ++i) {
      both[i].resize(expected.out[i].size());
      EXPECT_EQ(both[i], expected.out[i]);
    }
  }
}

TEST(FftMany, RefusesWhatDoesNotFitOnAllRanks) {
  Fft<double> fft({.shape = {8, 8}, .comm = world});
  FieldBatch fields(fft, 2);
  const auto call = [&] {
    fft.forward_many(std::span<const Complex* const>(fields.in_pointers), fields.out_pointers);
  };
  if (rank_of(world) == size_of(world) - 1) fields.out_pointers.pop_back();
  expect_same_error(world, ErrorCode::invalid_argument, {"2 inputs and 1 outputs"}, call);
  if (rank_of(world) == size_of(world) - 1) fields.in_pointers.pop_back();
  if (size_of(world) > 1)
    expect_same_error(world, ErrorCode::disagreement, {"with 2 arrays"}, call);
  FieldBatch twice(fft, 2);
  twice.out_pointers[1] = twice.out_pointers[0];
  if (fft.output_elements() == 0) twice.out_pointers = {nullptr, nullptr};
  expect_same_error(world, ErrorCode::invalid_argument, {"an output of its own"}, [&] {
    fft.forward_many(std::span<const Complex* const>(twice.in_pointers), twice.out_pointers);
  });
}

/// Arrays of zeros, which are inputs and outputs at the same time.
struct ZeroArrays {
  std::vector<AlignedBuffer> memory;
  std::vector<void*> outputs;

  ZeroArrays(const api::Handle& handle, std::size_t count) : memory(count) {
    for (AlignedBuffer& x : memory) {
      x = AlignedBuffer(handle.inplace_bytes());
      std::memset(x.data(), 0, static_cast<std::size_t>(x.size()));
      outputs.push_back(x.data());
    }
  }
  std::vector<const void*> inputs() const { return {outputs.begin(), outputs.end()}; }
};

/// The exchanges that send messages.
const std::vector<Exchange> exchanges_that_overlap{
    {.method = Method::collective},
    {.method = Method::collective, .wire_form = WireForm::datatype},
    {.method = Method::messages}};

/// Returns whether any exchange of a call was under way for longer than this rank waited for it.
/// All ranks make the same number of calls.
template <class Call>
bool hides_something(const api::Handle& handle, const Call& call) {
  bool hides = false;
  for (int number = 0; number < 20; ++number) {
    call();
    for (const StepRecord& step : handle.record())
      hides = hides || (step.is_exchange && step.under_way_s > step.waited_s);
  }
  return hides;
}

/// The first exchange continues while the second array is transformed, for every method that sends
/// messages.
TEST(FftMany, AnExchangeIsHiddenBehindTheNextArray) {
  if (size_of(world) == 1) GTEST_SKIP() << "needs an exchange";
  for (const Exchange& choices : exchanges_that_overlap) {
    Problem problem{.shape = {64, 64, 32}, .ranks = size_of(world)};
    problem.exchange = choices;
    api::Handle handle(problem, {}, comm::communicator_of(world));
    handle.transform().set_recording(true);
    ZeroArrays arrays(handle, 3);
    const auto all = [&] {
      handle.execute_many(Direction::forward, arrays.inputs(), arrays.outputs);
    };
    EXPECT_TRUE(hides_something(handle, all)) << describe(choices);
  }
}

/// In a round trip of several fields, an exchange of one field continues while another field is
/// transformed.
TEST(FftMany, AnExchangeOfARoundTripIsHiddenBehindAnotherField) {
  if (size_of(world) == 1) GTEST_SKIP() << "needs an exchange";
  const FieldWork work{.function = {.call = [](const Tile&) {}, .is_pointwise = true}};
  for (const ApplyIn turn : {ApplyIn::spectrum, ApplyIn::space})
    for (const Exchange& choices : exchanges_that_overlap) {
      Problem problem{.shape = {64, 64, 32}, .ranks = size_of(world)};
      problem.exchange = choices;
      api::Handle handle(problem, {}, comm::communicator_of(world));
      handle.set_recording(true);
      ZeroArrays arrays(handle, 3);
      const auto trip = [&] { handle.apply(turn, work, arrays.inputs(), arrays.outputs); };
      EXPECT_TRUE(hides_something(handle, trip)) << describe(choices);
    }
}

/// With one chunk, a rank waits as long as messages are under way. The record shows this.
TEST(FftMany, RecordsShowWhatIsHidden) {
  if (size_of(world) == 1) GTEST_SKIP() << "needs an exchange";
  for (const std::int64_t chunks : {1, 4}) {
    Problem problem{.shape = {32, 32, 16}, .ranks = size_of(world)};
    problem.exchange = {.method = Method::messages, .chunks = chunks};
    api::Handle handle(problem, {}, comm::communicator_of(world));
    handle.transform().set_recording(true);
    AlignedBuffer x(handle.inplace_bytes());
    std::memset(x.data(), 0, static_cast<std::size_t>(x.size()));
    handle.execute(Direction::forward, x.data(), x.data());
    const StepRecord& exchange = handle.transform().record()[1];
    ASSERT_TRUE(exchange.is_exchange);
    EXPECT_GT(exchange.under_way_s, 0);
    EXPECT_GE(exchange.waited_s, 0);
    EXPECT_LE(exchange.under_way_s, exchange.end_s - exchange.start_s + 1e-9);
    EXPECT_LE(exchange.waited_s, exchange.end_s - exchange.start_s + 1e-9);
    // The chunks after the first are transformed while messages may be under way.
    const StepRecord& stage = handle.transform().record()[0];
    EXPECT_EQ(exchange.start_s<stage.end_s, chunks> 1);
    // With one chunk nothing is hidden. Other work may disturb a run, so the best of ten runs
    // counts.
    double least_hidden = 1;
    for (int number = 0; chunks == 1 && number < 10; ++number) {
      handle.execute(Direction::forward, x.data(), x.data());
      const StepRecord& again = handle.transform().record()[1];
      least_hidden = std::min(least_hidden, 1 - again.waited_s / again.under_way_s);
    }
    if (chunks == 1) {
      EXPECT_LT(least_hidden, 0.5);
    }
  }
}

}  // namespace
}  // namespace weft::test_support
