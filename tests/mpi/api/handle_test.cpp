// Promises of weft: forward and backward allocate nothing, the same plan gives the same bits, and
// packed exchanges need no pass of their own.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <weft/poisson.hpp>

#include "api/handle.hpp"
#include "base/memory.hpp"
#include "comm/from_mpi.hpp"
#include "mpi/support/every_method.hpp"
#include "mpi/support/fft_check.hpp"
#include "mpi/support/stage_bytes.hpp"
#include "mpi/support/world.hpp"

namespace {
/// Number of allocations by operator new on this thread.
thread_local std::int64_t allocations_here = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
  ++allocations_here;
  const std::size_t whole =
      (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void* memory = alignment <= alignof(std::max_align_t) ? std::malloc(whole)
                                                        : std::aligned_alloc(alignment, whole);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

// These operators replace those of the whole test binary. Each thread has its own count. `delete`
// is not inlined: otherwise the compiler would warn that memory of the library's operator new
// reaches free().
void* operator new(std::size_t bytes) { return allocate(bytes, 1); }
void* operator new[](std::size_t bytes) { return allocate(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t align) {
  return allocate(bytes, std::size_t(align));
}
void* operator new[](std::size_t bytes, std::align_val_t align) {
  return allocate(bytes, std::size_t(align));
}
// std::stable_sort uses this form. Without a replacement, memory of the library's form would reach
// the delete below.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations_here;
  return std::malloc(std::max<std::size_t>(bytes, 1));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace weft::test_support {
namespace {

using Complex = std::complex<double>;

/// Returns one exchange of each method, the packed ones first.
std::vector<Exchange> tried_exchanges() {
  std::vector<Exchange> tried{{.method = Method::collective, .wire_form = WireForm::packed},
                              {.method = Method::messages, .wire_form = WireForm::packed},
                              {.method = Method::collective, .wire_form = WireForm::datatype},
                              {.method = Method::rma},
                              {}};  // shared, if ranks can share memory
  if (all_share_memory())
    for (const NodeUse nodes : {NodeUse::separate, NodeUse::combined})
      tried.push_back({.method = Method::messages, .nodes = nodes});
  return tried;
}

std::vector<Complex> local_noise(const Fft<double>& fft) {
  std::vector<Complex> x(static_cast<std::size_t>(fft.input_elements()));
  fill_noise(reinterpret_cast<double*>(x.data()), 2, fft.input().shape(),
             {fft.input_box(), fft.input().strides(fft.rank())}, 3);
  return x;
}

TEST(FftContract, NothingIsAllocatedWhileRunning) {
  int run = 0;
  for (const Exchange& exchange : tried_exchanges())
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      Problem problem{.shape = {16, 12, 10},
                      .kinds = kind,
                      .output_choice = OutputChoice::same,
                      .exchange = exchange};
      Fft<double> fft(options_of(problem, world));
      std::vector<Complex> x(static_cast<std::size_t>(fft.inplace_bytes()) / sizeof(Complex) + 1);
      std::vector<Complex> y(x.size());
      auto* reals = reinterpret_cast<double*>(x.data());
      auto both_ways = [&] {
        if (kind == Kind::c2c) {
          fft.forward(x.data(), y.data());
          fft.backward(y.data(), x.data());
          fft.forward(x.data(), x.data());
        } else {
          fft.forward(reals, y.data());
          fft.backward(y.data(), reals);
          fft.forward(reals, x.data());
        }
      };
      both_ways();  // a first call, in which libraries may allocate memory that they keep
      const auto by_new = allocations_here;
      const auto by_buffers = memory_counters().allocations;
      both_ways();
      both_ways();
      EXPECT_EQ(allocations_here, by_new);
      EXPECT_EQ(memory_counters().allocations, by_buffers);
      ++run;
    }
  EXPECT_GE(run, 10);
  const auto before = allocations_here;
  // The compiler may remove a new expression, but not an explicit call of operator new.
  ::operator delete(::operator new(8));
  EXPECT_EQ(allocations_here, before + 1) << "the replaced operator new does not count allocations";
}

/// A second round trip of the same kind allocates only the results that it returns.
TEST(FftContract, RoundTripsAllocateNothingAgain) {
  const auto copies = [](const Tile& tile) {
    for (std::int64_t i = 0; i < tile.result_count; ++i) tile.results[i] += 1;
  };
  int run = 0;
  for (const Exchange& exchange : tried_exchanges())
    for (const bool in_spectrum : {true, false})
      for (const std::int64_t results : {0, 3})
        for (const bool has_ends : {false, true})
          for (const bool records : {false, true}) {
            Fft<double> fft(options_of(
                {.shape = {16, 12, 10}, .output_choice = OutputChoice::same, .exchange = exchange},
                world));
            const auto size = static_cast<std::size_t>(fft.inplace_bytes()) / sizeof(Complex) + 1;
            std::vector<Complex> x(size);
            std::vector<Complex> y(size);
            std::vector<Complex> z(size);
            const std::array<const Complex*, 2> in{x.data(), y.data()};
            const std::array<Complex*, 1> out{z.data()};
            FieldWork work{.function = {copies, false, results}};
            if (has_ends) work.before = work.after = FieldFunction{copies, true, 0};
            if (has_ends) work.fields_back = 2;
            fft.set_recording(records);
            const auto trip = [&] {
              const auto found = in_spectrum ? fft.apply_in_spectrum(work, in, out)
                                             : fft.apply_in_space(work, in, out);
              EXPECT_EQ(found.size(), static_cast<std::size_t>(results));
            };
            trip();
            const auto by_new = allocations_here;
            const auto by_buffers = memory_counters().allocations;
            trip();
            trip();
            EXPECT_EQ(allocations_here - by_new, results > 0 ? 2 : 0)
                << describe(exchange) << (records ? ", recorded" : "");
            EXPECT_EQ(memory_counters().allocations, by_buffers);
            ++run;
          }
  EXPECT_GE(run, 80);
}

/// Expects a call to allocate memory `by_new` times when it is repeated, and no buffers.
template <class Call>
void expect_allocations_again(std::int64_t by_new, const Call& call) {
  call();
  const auto allocations = allocations_here;
  const auto buffers = memory_counters().allocations;
  call();
  EXPECT_EQ(allocations_here - allocations, by_new);
  EXPECT_EQ(memory_counters().allocations, buffers);
}

TEST(FftContract, RoundTripsOfEveryProblemAllocateNothingAgain) {
  const FieldWork work{.function = {.call = [](const Tile&) {}, .is_pointwise = true}};
  const std::vector<Problem> problems{
      {.kinds = Kind::r2c},
      {.kinds = Kind::r2c, .modes = {two_thirds}},
      {.kinds = Kind::r2c, .support = {5}},
      {.kinds = Kind::r2c, .modes = {two_thirds}, .support = {5}, .components = 3},
      {.kinds = Kind::c2c, .components = 3},
      {.kinds = Kinds({Kind::dct2, Kind::r2c, Kind::dst1})}};
  int run = 0;
  for (const Exchange& exchange : tried_exchanges())
    for (const ApplyIn turn : {ApplyIn::spectrum, ApplyIn::space})
      for (Problem problem : problems) {
        problem.shape = {10, 12, 9};
        problem.exchange = exchange;
        api::Handle handle(problem, {}, comm::communicator_of(world));
        SCOPED_TRACE(explain(handle.plan()));
        std::vector<AlignedBuffer> memory(2);
        for (AlignedBuffer& each : memory) {
          each = AlignedBuffer(handle.inplace_bytes());
          std::memset(each.data(), 0, static_cast<std::size_t>(each.size()));
        }
        const std::vector<const void*> in{memory[0].data()};
        const std::vector<void*> out{memory[1].data()};
        expect_allocations_again(0, [&] { handle.apply(turn, work, in, out); });
        ++run;
      }
  EXPECT_GE(run, 60);
}

/// A repeated solve allocates only the mean that it returns, if there is one.
TEST(FftContract, PoissonSolversAllocateNothingAgain) {
  for (const Boundary boundary : {Boundary::periodic, Boundary::dirichlet, Boundary::open})
    for (const PoissonOrder order : {PoissonOrder::spectral, PoissonOrder::second}) {
      SCOPED_TRACE(std::string(to_string(boundary)) + ", " + to_string(order));
      PoissonSolver<double> solver(
          {.shape = {8, 9, 10}, .boundary = {boundary}, .order = order, .comm = world});
      std::vector<double> rho(
          static_cast<std::size_t>(solver.layout().local_volume(solver.rank())) + 1);
      std::vector<double> u = rho;
      expect_allocations_again(boundary == Boundary::periodic ? 1 : 0,
                               [&] { solver.solve(rho.data(), u.data()); });
    }
}

/// Compares two runs of one plan, runs of two equal plans, and a run in a workspace at another
/// address.
TEST(FftContract, TheSamePlanGivesTheSameBits) {
  for (const Exchange& exchange : tried_exchanges()) {
    const Problem problem{
        .shape = {15, 14, 13}, .output_choice = OutputChoice::same, .exchange = exchange};
    Fft<double> fft(options_of(problem, world));
    Fft<double> again(options_of(problem, world));
    const auto x = local_noise(fft);
    std::vector<Complex> first(static_cast<std::size_t>(fft.output_elements()), Complex(7));
    auto second = first;
    auto third = first;
    fft.forward(x.data(), first.data());
    fft.forward(x.data(), second.data());
    again.forward(x.data(), third.data());
    EXPECT_TRUE(first.empty() || first[0] != Complex(7));
    EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(Complex)), 0);
    EXPECT_EQ(std::memcmp(first.data(), third.data(), first.size() * sizeof(Complex)), 0);
  }
}

/// Methods move bytes, they do not change them.
TEST(FftContract, AllMethodsGiveTheSameBits) {
  std::vector<std::vector<Complex>> results;
  for (const Exchange& exchange : tried_exchanges()) {
    const Problem problem{
        .shape = {12, 20, 9}, .output_choice = OutputChoice::same, .exchange = exchange};
    Fft<double> fft(options_of(problem, world));
    const auto x = local_noise(fft);
    results.emplace_back(static_cast<std::size_t>(fft.output_elements()));
    fft.forward(x.data(), results.back().data());
  }
  ASSERT_GE(results.size(), 5u);
  for (const auto& each : results) EXPECT_EQ(results[0], each);
}

void check_traffic(const Problem& problem) {
  api::Handle handle(problem, {}, comm::communicator_of(world));
  handle.transform().set_recording(true);
  const int rank = rank_of(world);
  AlignedBuffer x(handle.inplace_bytes());
  AlignedBuffer y(handle.inplace_bytes());
  std::memset(x.data(), 0, static_cast<std::size_t>(x.size()));
  std::memset(y.data(), 0, static_cast<std::size_t>(y.size()));
  for (const bool forward : {true, false}) {
    handle.execute(forward ? Direction::forward : Direction::backward, x.data(), y.data());
    const auto expected = stage_bytes(handle.plan(), rank, forward);
    const auto& records = handle.transform().record();
    ASSERT_EQ(records.size(), 2 * expected.size() - 1);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const StepRecord& r = records[i];
      SCOPED_TRACE(to_json(problem) + (forward ? " forward, " : " backward, ") + r.name);
      EXPECT_EQ(r.is_exchange, i % 2 == 1);
      EXPECT_LE(r.start_s, r.end_s);
      if (!r.is_exchange) {
        EXPECT_EQ(r.bytes_read, expected[i / 2].in);
        EXPECT_EQ(r.bytes_written, expected[i / 2].out);
        continue;
      }
      // The sent elements and the kept ones together are this rank's array. With messages the kept
      // part is not copied either, if the first stage leaves room for it.
      EXPECT_LE(r.bytes_sent + r.bytes_read, expected[i / 2].out);
      if (i == 1 && problem.exchange.method == Method::messages) {
        EXPECT_EQ(r.bytes_read, 0);
      }
      EXPECT_EQ(r.bytes_read, r.bytes_written);
    }
  }
}

TEST(FftContract, PackedMethodsReadAndWriteOnceAStage) {
  const std::int64_t ranks = size_of(world);
  const std::vector<Exchange> tried = tried_exchanges();
  int run = 0;
  std::vector<Shape> shapes = {{16, 16, 16}, {20, 12, 16}, {60, 40}};
  // One rank transforms all axes in one stage. Larger arrays exceed the cache and need several
  // passes.
  if (ranks > 1) shapes = {{32, 32, 32}, {64, 64, 64}, {24, 30, 20}, {60, 80}};
  for (const Shape& shape : shapes)
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const OutputChoice output : {OutputChoice::any, OutputChoice::same})
        for (std::size_t method = 0; method < 2; ++method, ++run)
          for (const bool truncates : {false, true})
            check_traffic({.shape = shape,
                           .kinds = kind,
                           .modes = truncates ? Shape{two_thirds} : Shape{},
                           .output_choice = output,
                           .exchange = tried[method]});
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    Problem pencils{.shape = {16, 12, 20}, .kinds = kind, .ranks = ranks, .has_input = true};
    pencils.input = Layout::pencil(pencils.shape, ranks);
    check_traffic(pencils);
    ++run;
  }
  EXPECT_EQ(run, static_cast<int>(shapes.size()) * 8 + 2);
}

/// Expects the exchanges of a recorded run to have moved the bytes that follow from the layouts.
void expect_moved(const api::Handle& handle, bool forward) {
  const Plan& plan = handle.plan();
  const std::size_t exchanges = plan.exchanges.size();
  ASSERT_EQ(handle.record().size(), 2 * exchanges + 1);
  for (std::size_t i = 0; i < exchanges; ++i) {
    const std::size_t number = forward ? i : exchanges - 1 - i;
    const MovedBytes moved = moved_bytes(plan, number, rank_of(world), forward);
    const bool by_memory = is_by_memory(plan.exchanges[number]);
    const StepRecord& step = handle.record()[2 * i + 1];
    SCOPED_TRACE(step.name + (forward ? ", forward\n" : ", backward\n") + explain(plan));
    EXPECT_EQ(step.bytes_sent, by_memory ? 0 : moved.sent);
    EXPECT_EQ(step.bytes_from_others, by_memory ? moved.received : 0);
  }
}

/// No method sends dropped wavenumbers. Every exchange moves only the modes that are left after the
/// stage before it.
TEST(FftContract, DroppedModesAreNotSent) {
  const std::int64_t ranks = size_of(world);
  if (ranks == 1) GTEST_SKIP() << "one rank sends nothing";
  const Shape shape{12, 18, 24};
  for (const Layout& input : {Layout::slab(shape, ranks, 0), Layout::pencil(shape, ranks)})
    for (const Exchange& exchange : every_method())
      for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
        const Problem problem{.shape = shape,
                              .kinds = Kind::r2c,
                              .modes = {two_thirds},
                              .ranks = ranks,
                              .has_input = true,
                              .input = input,
                              .output_choice = output,
                              .exchange = exchange};
        api::Handle handle(problem, {}, comm::communicator_of(world));
        const Plan& plan = handle.plan();
        ASSERT_EQ(plan.output().shape(), (Shape{7, 11, 8}));
        ASSERT_GE(plan.exchanges.size(), output == OutputChoice::any ? 1U : 2U);
        Shape left = shape;
        for (const Stage& stage : plan.stages) {
          for (const int axis : stage.axes) left[axis] = plan.output().shape()[axis];
          EXPECT_EQ(stage.target.shape(), left);
        }
        handle.set_recording(true);
        AlignedBuffer x(handle.inplace_bytes());
        std::memset(x.data(), 0, static_cast<std::size_t>(x.size()));
        for (const bool forward : {true, false}) {
          handle.execute(forward ? Direction::forward : Direction::backward, x.data(), x.data());
          expect_moved(handle, forward);
        }
      }
}

/// The sent bytes are those of the elements that change their rank.
TEST(FftContract, BytesSentAreCounted) {
  const std::int64_t ranks = size_of(world);
  if (ranks == 1) GTEST_SKIP() << "one rank sends nothing";
  const Shape shape{12, 16, 10};
  for (const Exchange& exchange : tried_exchanges()) {
    if (exchange == Exchange{} || is_by_memory(exchange)) continue;  // nothing is sent
    Problem problem{.shape = shape,
                    .ranks = ranks,
                    .has_input = true,
                    .output_choice = OutputChoice::given,
                    .exchange = exchange};
    problem.input = Layout::slab(shape, ranks, 0);
    problem.output = Layout::slab(shape, ranks, 1);
    api::Handle handle(problem, {}, comm::communicator_of(world));
    handle.transform().set_recording(true);
    AlignedBuffer x(handle.inplace_bytes());
    std::memset(x.data(), 0, static_cast<std::size_t>(x.size()));
    handle.execute(Direction::forward, x.data(), x.data());
    ASSERT_EQ(handle.plan().exchanges.size(), 1u);
    const int rank = rank_of(world);
    const auto stays = intersect(problem.input.box(rank), problem.output.box(rank)).volume();
    EXPECT_EQ(
        handle.transform().record()[1].bytes_sent,
        (problem.input.local_volume(rank) - stays) * static_cast<std::int64_t>(sizeof(Complex)));
  }
}

}  // namespace
}  // namespace weft::test_support
