// Threads replace the ranks of a node. They run whole transforms by shared exchanges, with the
// programs, executors, workspace and hand-overs of real ranks. `make test-tsan` runs these tests
// under ThreadSanitizer, which reports tiles that are read or overwritten too early.
//
// Two features need processes and are not tested. First, ranks do not expose the callers' arrays: a
// thread would map its peer's memory at a second address, which ThreadSanitizer takes for other
// memory. Second, ranks send no messages, so there is no exchange between nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <thread>
#include <vector>

#include "base/memory.hpp"
#include "run/rank_program.hpp"

namespace weft::run {
namespace {

using Complex = std::complex<double>;
using Array = std::vector<Complex>;

constexpr Variant variants[] = {{Direction::forward, false},
                                {Direction::forward, true},
                                {Direction::backward, false},
                                {Direction::backward, true}};

/// One rank of a transform, with the parts that run::Execution makes with MPI.
class ThreadRank {
 public:
  ThreadRank(const Plan& plan, int rank) : plan_(plan), rank_(rank) {
    for (const Variant& variant : variants) {
      programs_.emplace_back(plan, variant, rank,
                             kernel::LocalOptions{.engine = &kernel::default_engine()}, nullptr);
      for (int buffer = 0; buffer < buffer_count; ++buffer)
        sizes_[buffer] = std::max(sizes_[buffer], programs_.back().buffer_bytes()[buffer]);
      scratch_size_.grow_to(programs_.back().scratch_size());
    }
    for (std::int64_t& size : sizes_) size = aligned(size);
    scratch_size_.plane_bytes = aligned(scratch_size_.plane_bytes);
    memory_ = AlignedBuffer(comm::NodeWorkspace::page_bytes + SharedBuffers::bytes(sizes_));
    spare_ = AlignedBuffer(sizes_[spare_buffer]);
    scratch_ = AlignedBuffer(scratch_size_.thread_bytes());
  }

  char* memory() const { return memory_.as<char>(); }
  const BufferSizes& sizes() const { return sizes_; }

  void connect(const std::vector<char*>& memory, const std::vector<BufferSizes>& sizes) {
    shared_ = std::make_unique<SharedBuffers>(memory, sizes, rank_);
    buffers_.resize(shared_->pointers());
    for (RankProgram& program : programs_)
      program.connect({comm::Communicator::solo(), &shared_->hand_over(), 0});
  }

  void execute(int variant, void* in, void* out) {
    buffers_[input_buffer] = in;
    buffers_[output_buffer] = out;
    buffers_[spare_buffer] = spare_.data();
    const RankProgram& program = programs_[static_cast<std::size_t>(variant)];
    const kernel::Scratch scratch(scratch_size_, scratch_.data(), &progress_);
    program.begin(buffers_.data(), shared_.get());
    for (std::size_t stage = 0; stage < program.stage_count(); ++stage)
      program.execute_stage(stage, {buffers_.data(), scratch, progress_, shared_.get(), nullptr});
    program.end(shared_.get());
  }

  /// Transforms forward and backward, out of place and in place, 10 times without a pause.
  void work() {
    const std::int64_t reals = plan_.problem.has_halved_axis() ? 2 : 1;
    const auto in = static_cast<std::size_t>(plan_.input().local_volume(rank_) / reals);
    const auto out = static_cast<std::size_t>(plan_.output().local_volume(rank_));
    Array x(2 * (in + out + 1));  // room for padded rows
    for (std::size_t i = 0; i < in; ++i)
      x[i] = {std::sin(static_cast<double>(i) + rank_), std::cos(3.0 * static_cast<double>(i))};
    const Array before = x;
    Array X(x.size());
    for (int repetition = 0; repetition < 10; ++repetition) {
      execute(0, x.data(), X.data());
      if (repetition == 0) spectrum_ = X;
      difference_ = std::max(difference_, distance(X, spectrum_, out));
      execute(2, X.data(), x.data());
      difference_ = std::max(difference_, distance(x, before, in));
      execute(3, X.data(), X.data());
      execute(1, X.data(), X.data());
      difference_ = std::max(difference_, distance(X, spectrum_, out));
      x = before;
    }
  }
  double difference() const { return difference_; }

 private:
  static std::int64_t aligned(std::int64_t bytes) {
    const std::int64_t line = AlignedBuffer::alignment_bytes;
    return (bytes + line - 1) / line * line;
  }
  static double distance(const Array& a, const Array& b, std::size_t count) {
    double worst = 0;
    for (std::size_t i = 0; i < count; ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
    return worst;
  }

  const Plan& plan_;
  int rank_;
  std::vector<RankProgram> programs_;
  BufferSizes sizes_{};
  kernel::ScratchSize scratch_size_;
  AlignedBuffer memory_;
  AlignedBuffer spare_;
  AlignedBuffer scratch_;
  std::unique_ptr<SharedBuffers> shared_;
  std::vector<void*> buffers_;
  StageProgress progress_;
  Array spectrum_;
  double difference_ = 0;
};

void check(const Problem& problem) {
  const Plan plan = make_plan(problem);
  std::vector<std::unique_ptr<ThreadRank>> ranks;
  std::vector<char*> memory;
  std::vector<BufferSizes> sizes;
  for (int rank = 0; rank < problem.ranks; ++rank) {
    ranks.push_back(std::make_unique<ThreadRank>(plan, rank));
    memory.push_back(ranks.back()->memory());
    sizes.push_back(ranks.back()->sizes());
  }
  for (auto& rank : ranks) rank->connect(memory, sizes);
  std::vector<std::thread> threads;
  for (auto& rank : ranks) threads.emplace_back([&rank] { rank->work(); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& rank : ranks) EXPECT_LT(rank->difference(), 1e-11) << to_json(problem);
}

class SharedExchangeThreads : public testing::TestWithParam<int> {};

TEST_P(SharedExchangeThreads, EveryCallOfASlabOrPencilTransformGivesTheSameResult) {
  const std::int64_t ranks = GetParam();
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
      Problem problem{.shape = {9, 10, 12}, .kinds = kind, .ranks = ranks, .ranks_per_node = ranks};
      problem.output_choice = output;
      problem.norm = Norm::backward;
      problem.exchange = {.method = Method::shared};
      check(problem);
      problem.has_input = true;
      problem.input = Layout::pencil(problem.shape, ranks);
      check(problem);
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, SharedExchangeThreads, testing::Values(2, 3, 4, 6));

}  // namespace
}  // namespace weft::run
