// Messages that leave before all ranks have agreed on a call: they do leave, and where the call is
// found wrong, nothing of them is left behind.
#include <chrono>
#include <functional>

#include "comm/communicator.hpp"
#include "fft_check.hpp"
#include "same_error.hpp"

namespace weft::test_support {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;

/// All ways in which the first exchange may begin early.
std::vector<Knobs> early_ways() {
  std::vector<Knobs> found;
  for (const Schedule schedule : {Schedule::pairwise, Schedule::cyclic, Schedule::scattered})
    for (const Requests requests : {Requests::ordinary, Requests::persistent})
      for (const std::int64_t chunks : {1, 3})
        for (const std::int64_t piece_bytes : {0, 160})
          found.push_back({.method = Method::messages,
                           .wire_form = WireForm::packed,
                           .schedule = schedule,
                           .requests = requests,
                           .chunks = chunks,
                           .piece_bytes = piece_bytes});
  return found;
}

/// Of the first, the middle and the last rank, each once.
std::vector<int> some_ranks() {
  std::vector<int> found{0};
  for (const int rank : {size_of(world) / 2, size_of(world) - 1})
    if (rank != found.back()) found.push_back(rank);
  return found;
}

/// A transform that all ranks but some call as they should.
template <class T>
class WrongCalls {
 public:
  explicit WrongCalls(const FftOptions& options) : right_(options), other_(options) {
    const auto elements = std::max(right_.input_elements(), right_.output_elements());
    in_.assign(static_cast<std::size_t>(elements), T(2));
    out_.assign(in_.size(), T(3));
    second_.assign(in_.size(), T(3));
  }

  /// Every kind of wrong call where `wrong`, each followed by right ones.
  void check(bool wrong) {
    const auto disagreement = ErrorCode::disagreement;
    for (int again = 0; again < 2; ++again)
      expect_error(ErrorCode::invalid_argument, "null", [&] {
        const bool owns = right_.input_elements() > 0;
        right_.forward(wrong && owns ? nullptr : in_.data(), out_.data());
      });
    is_right();
    expect_error(ErrorCode::invalid_argument, "in place on all ranks or on none",
                 [&] { right_.forward(in_.data(), wrong ? in_.data() : out_.data()); });
    expect_error(disagreement, "direction", [&] {
      wrong ? right_.backward(in_.data(), out_.data()) : right_.forward(in_.data(), out_.data());
    });
    is_right();
    expect_error(disagreement, "transform",
                 [&] { (wrong ? other_ : right_).forward(in_.data(), out_.data()); });
    expect_error(disagreement, "number of arrays", [&] {
      const std::vector<const Number*> in{in_.data(), in_.data()};
      const std::vector<Number*> out{out_.data(), second_.data()};
      wrong ? right_.forward_many(in, out) : right_.forward(in_.data(), out_.data());
    });
    is_right();
  }

 private:
  using Number = std::complex<T>;

  template <class Call>
  void expect_error(ErrorCode code, const std::string& word, Call&& call) {
    expect_same_error(world, code, {word}, call);
    EXPECT_EQ(in_, std::vector<Number>(in_.size(), T(2)));
    EXPECT_EQ(out_, std::vector<Number>(out_.size(), T(3)));
    EXPECT_EQ(second_, std::vector<Number>(second_.size(), T(3)));
  }
  void is_right() {
    Case there;
    there.seed = ++seed_;
    CaseCheck<T>(right_, there, world).run();
    Case back = there;
    back.backward_first = true;
    CaseCheck<T>(other_, back, world).run();
  }

  Fft<T> right_;
  Fft<T> other_;
  std::vector<Number> in_, out_, second_;
  std::uint64_t seed_ = 1;
};

/// Of a ragged shape, which every rank owns a part of.
FftOptions ragged(const Knobs& knobs) {
  const std::int64_t ranks = size_of(world);
  return {.shape = {2 * ranks + 1, ranks + 2, 3}, .comm = world, .knobs = knobs};
}

TEST(FftEarly, NothingIsLeftOfACallThatOneRankGotWrong) {
  if (size_of(world) == 1) GTEST_SKIP() << "one rank agrees with itself";
  const std::vector<Knobs> all = early_ways();
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(describe(all[i]));
    const std::vector<int> ranks = some_ranks();
    const bool wrong = rank_of(world) == ranks[i % ranks.size()];
    if (i % 2 == 0)
      WrongCalls<double>(ragged(all[i])).check(wrong);
    else
      WrongCalls<float>(ragged(all[i])).check(wrong);
  }
  EXPECT_EQ(all.size(), 24u);
}

TEST(FftEarly, EachRankCanBeTheOneThatIsWrong) {
  if (size_of(world) == 1) GTEST_SKIP() << "one rank agrees with itself";
  const Knobs knobs{.method = Method::messages, .schedule = Schedule::cyclic, .chunks = 3};
  for (int rank = 0; rank < size_of(world); ++rank) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    WrongCalls<double>(ragged(knobs)).check(rank_of(world) == rank);
  }
}

TEST(FftEarly, HalfOfTheRanksAreWrong) {
  if (size_of(world) == 1) GTEST_SKIP() << "one rank agrees with itself";
  for (const Knobs& knobs : early_ways()) {
    SCOPED_TRACE(describe(knobs));
    WrongCalls<double>(ragged(knobs)).check(rank_of(world) % 2 == 1);
  }
}

/// Blocks of which MPI asks before it sends them, in rows and columns of ranks.
TEST(FftEarly, LongMessagesOfPencils) {
  if (size_of(world) == 1) GTEST_SKIP() << "one rank agrees with itself";
  for (const Schedule schedule : {Schedule::pairwise, Schedule::scattered}) {
    FftOptions options{.shape = {26, 22, 20}, .comm = world};
    options.input = Layout::pencil(options.shape, size_of(world));
    options.output = OutputChoice::same;
    options.knobs = {.method = Method::messages,
                     .schedule = schedule,
                     .chunks = schedule == Schedule::pairwise ? 3 : 1};
    SCOPED_TRACE(describe(options.knobs));
    for (const int rank : some_ranks()) WrongCalls<double>(options).check(rank_of(world) == rank);
  }
}

/// A rank without a row of the input, and one without a row of the output.
TEST(FftEarly, RanksWithoutData) {
  const std::int64_t ranks = size_of(world);
  if (ranks < 3) GTEST_SKIP() << "two ranks with data need a third one";
  for (const Shape& shape : {Shape{ranks - 1, ranks + 3, 5}, Shape{ranks + 3, ranks - 1, 5}})
    for (const Knobs& knobs : early_ways()) {
      FftOptions options{.shape = shape, .comm = world, .knobs = knobs};
      options.input = Layout::slab(shape, ranks, 0);
      options.output = Layout::slab(shape, ranks, 1);
      Fft<double> fft(options);
      SCOPED_TRACE(to_json(fft.plan().problem));
      using Array = std::vector<std::complex<double>>;
      Array in(static_cast<std::size_t>(fft.input_elements()), 2.0);
      Array out(static_cast<std::size_t>(fft.output_elements()), 3.0);
      int owner = 0;
      while (fft.input().local_volume(owner) == 0 || fft.output().local_volume(owner) == 0) ++owner;
      const bool wrong = rank_of(world) == owner;
      for (int again = 0; again < 2; ++again)
        expect_same_error(world, ErrorCode::invalid_argument, {"output pointer"}, [&] {
          fft.forward(in.empty() ? nullptr : in.data(),
                      out.empty() || wrong ? nullptr : out.data());
        });
      EXPECT_GT(fft.input().empty_ranks() + fft.output().empty_ranks(), 0);
      EXPECT_EQ(out, Array(out.size(), 3.0));
      CaseCheck<double>(fft, Case{}, world).run();
    }
}

/// Whether a message of `source` waits for this rank, or comes before some seconds have passed.
bool message_comes_from(int source) {
  const MPI_Comm comm = comm::Communicator::of(world).handle();
  const auto start = std::chrono::steady_clock::now();
  int found = 0;
  while (!found && std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
    MPI_Iprobe(source, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
  return found != 0;
}

/// The last rank does not call before it has seen a message of the others' call.
TEST(FftEarly, MessagesLeaveBeforeAllHaveCalled) {
  const int ranks = size_of(world);
  if (ranks == 1) GTEST_SKIP() << "one rank exchanges nothing";
  for (const Knobs& knobs : early_ways()) {
    SCOPED_TRACE(describe(knobs));
    FftOptions options = ragged(knobs);
    options.shape[0] = 3 * ranks;  // else the first chunk would be the last rank's alone
    Fft<double> fft(options);
    if (rank_of(world) == ranks - 1) {
      EXPECT_TRUE(message_comes_from(MPI_ANY_SOURCE));
    }
    CaseCheck<double>(fft, Case{}, world).run();
  }
}

/// A rank that waits for the others goes on with its schedule: the message that the last rank sees
/// is that of the second step.
TEST(FftEarly, StepsGoOnWhileRanksWaitForOthers) {
  const int ranks = size_of(world);
  if (ranks < 4) GTEST_SKIP() << "a second step without the last rank needs four ranks";
  Fft<double> fft(ragged({.method = Method::messages, .schedule = Schedule::cyclic, .chunks = 1}));
  if (rank_of(world) == ranks - 1) {
    EXPECT_TRUE(message_comes_from(ranks - 3));
  }
  CaseCheck<double>(fft, Case{}, world).run();
}

}  // namespace
}  // namespace weft::test_support
