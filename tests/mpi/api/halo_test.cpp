// Halos by every exchange. Each element is compared with that of its owner.
#include <weft/weft.h>

#include <complex>

#include "api/halo.hpp"
#include "base/memory.hpp"
#include "comm/from_mpi.hpp"
#include "comm/placement.hpp"
#include "mpi/support/c_interface_check.hpp"
#include "mpi/support/same_error.hpp"
#include "support/halo_reference.hpp"

namespace weft::test_support {
namespace {

using Bytes = GuardedArray<unsigned char>;

constexpr unsigned char untouched = 7;

std::vector<Exchange> halo_exchanges() {
  Problem problem;
  problem.ranks = size_of(world);
  problem.ranks_per_node = comm::ranks_sharing_memory(comm::communicator_of(world));
  std::vector<Exchange> found = all_exchanges(problem, 3, 48);
  found.push_back({});
  found.push_back({.preset = Preset::p3dfft});
  return found;
}

HaloOptions halo_options_of(const HaloProblem& problem) {
  return {.layout = problem.layout,
          .below = problem.below,
          .above = problem.above,
          .periodic = problem.periodic,
          .element_bytes = problem.element_bytes,
          .comm = world,
          .exchange = problem.exchange};
}

void fill_and_check(const HaloProblem& problem) {
  const int rank = rank_of(world);
  const std::int64_t bytes = problem.element_bytes;
  Halo halo(halo_options_of(problem));
  EXPECT_EQ(halo.shape(), halo_shape(problem, rank));
  Bytes array(halo.elements() * bytes);
  Bytes wanted(halo.elements() * bytes);
  for_each_halo_element(problem, rank, [&](const HaloElement& element) {
    for (std::int64_t b = 0; b < bytes; ++b) {
      const std::int64_t at = element.local * bytes + b;
      array.data()[at] = element.is_inner ? byte_of(element.whole, b) : untouched;
      wanted.data()[at] = element.whole >= 0 ? byte_of(element.whole, b) : untouched;
    }
  });
  for (int call = 0; call < 2; ++call) {
    halo.fill(array.data());
    EXPECT_TRUE(array.bytes() == wanted.bytes()) << "call " << call;
    EXPECT_TRUE(array.guards_intact());
  }
}

TEST(Halo, FillsRandomHalosByEveryExchange) {
  const std::uint64_t seed = seed_of_all_ranks(1103);
  SCOPED_TRACE(repeated_by(seed));
  Random random(seed);
  const std::int64_t sizes[] = {1, 3, 4, 8, 16, 24, 32};
  std::size_t run = 0;
  for (int round = 0; round < 2; ++round)
    for (const Exchange& exchange : halo_exchanges()) {
      HaloProblem problem = random_halo(size_of(world), random);
      problem.element_bytes = sizes[run++ % std::size(sizes)];
      problem.exchange = exchange;
      SCOPED_TRACE(words_of(problem) + " " + std::to_string(problem.element_bytes) + " bytes, " +
                   describe(exchange));
      fill_and_check(problem);
    }
  EXPECT_GT(run, 30U);
}

/// Returns number `part` (real or imaginary) of the element at `local` in the array of `rank`. It
/// is a small integer, so sums are exact.
template <class T>
T value_of(std::int64_t rank, std::int64_t local, int part) {
  const auto index = static_cast<std::uint64_t>((rank * 100'000 + local) * 2 + part);
  return static_cast<T>(static_cast<int>(noise(5, index) * 50));
}

template <class E>
void accumulate_and_check(HaloProblem problem) {
  using T = typename decltype([] {
    if constexpr (reals_of<E> == 2)
      return std::type_identity<typename E::value_type>{};
    else
      return std::type_identity<E>{};
  }())::type;
  constexpr int parts = reals_of<E>;
  const int rank = rank_of(world);
  problem.element_bytes = sizeof(E);
  Halo halo(halo_options_of(problem));
  GuardedArray<E> array(halo.elements());
  T* reals = reinterpret_cast<T*>(array.data());
  std::vector<T> sums(static_cast<std::size_t>(volume(problem.layout.shape()) * parts), T{0});
  for (std::int64_t each = 0; each < problem.layout.ranks(); ++each)
    for_each_halo_element(problem, each, [&](const HaloElement& element) {
      for (int part = 0; part < parts; ++part) {
        const T value = value_of<T>(each, element.local, part);
        if (each == rank) reals[element.local * parts + part] = value;
        if (element.whole >= 0)
          sums[static_cast<std::size_t>(element.whole * parts + part)] += value;
      }
    });
  halo.accumulate(array.data());
  std::int64_t wrong = 0;
  for_each_halo_element(problem, rank, [&](const HaloElement& element) {
    for (int part = 0; part < parts; ++part) {
      T wanted = value_of<T>(rank, element.local, part);
      if (element.whole >= 0) wanted = 0;
      if (element.is_inner) wanted = sums[static_cast<std::size_t>(element.whole * parts + part)];
      if (reals[element.local * parts + part] != wanted) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(array.guards_intact());
}

TEST(Halo, AccumulatesRandomHalosByEveryExchange) {
  const std::uint64_t seed = seed_of_all_ranks(1104);
  SCOPED_TRACE(repeated_by(seed));
  Random random(seed);
  std::size_t run = 0;
  for (int round = 0; round < 2; ++round)
    for (const Exchange& exchange : halo_exchanges()) {
      HaloProblem problem = random_halo(size_of(world), random);
      problem.exchange = exchange;
      SCOPED_TRACE(words_of(problem) + " " + describe(exchange));
      switch (run++ % 5) {
        case 0:
          accumulate_and_check<float>(problem);
          break;
        case 1:
          accumulate_and_check<double>(problem);
          break;
        case 2:
          accumulate_and_check<std::complex<float>>(problem);
          break;
        case 3:
          accumulate_and_check<std::complex<double>>(problem);
          break;
        default:
          accumulate_and_check<long double>(problem);
      }
    }
  EXPECT_GT(run, 30U);
}

/// The order of additions does not depend on the exchange, so their rounding is the same.
TEST(Halo, SumsHaveTheSameBitsByEveryExchange) {
  const std::int64_t ranks = size_of(world);
  HaloProblem problem;
  problem.layout = Layout::grid({9, 7}, {ranks, 1});
  problem.below = {7, 5};
  problem.above = {9, 2};
  problem.periodic = {true, true};
  std::vector<float> first;
  for (const Exchange& exchange : halo_exchanges()) {
    problem.exchange = exchange;
    problem.element_bytes = sizeof(float);
    Halo halo(halo_options_of(problem));
    std::vector<float> array(static_cast<std::size_t>(halo.elements()));
    for (std::size_t i = 0; i < array.size(); ++i)
      array[i] = static_cast<float>(noise(static_cast<std::uint64_t>(rank_of(world)) + 3, i) / 3);
    halo.accumulate(array.data());
    if (first.empty()) first = array;
    EXPECT_TRUE(first == array) << describe(exchange);
  }
}

TEST(Halo, SecondCallsAllocateNothing) {
  const std::int64_t ranks = size_of(world);
  for (const Exchange& exchange : halo_exchanges()) {
    Halo halo({.layout = Layout::slab({2 * ranks, 8}, ranks),
               .below = {2},
               .comm = world,
               .exchange = exchange});
    std::vector<double> array(static_cast<std::size_t>(halo.elements()), 1.0);
    halo.fill(array.data());
    halo.accumulate(array.data());
    const auto before = memory_counters().allocations;
    halo.fill(array.data());
    halo.accumulate(array.data());
    EXPECT_EQ(memory_counters().allocations, before) << describe(exchange);
  }
}

TEST(Halo, WrongArgumentsAreRefused) {
  const std::int64_t ranks = size_of(world);
  const Layout slab = Layout::slab({12, 4}, ranks);
  const bool last = rank_of(world) == size_of(world) - 1;
  const auto make = [&](const Layout& layout, const Shape& below, const Exchange& exchange = {}) {
    return Halo({.layout = layout, .below = below, .comm = world, .exchange = exchange});
  };
  expect_same_error(world, ErrorCode::layout_mismatch, {"ranks"}, [&] {
    make(Layout::slab({12, 4}, ranks + 1), {1});
  });
  expect_same_error(world, ErrorCode::invalid_argument, {"axis 1", "given 5"},
                    [&] { make(slab, {5}); });
  expect_same_error(world, ErrorCode::unsupported, {"wire"},
                    [&] { make(slab, {1}, {.wire = WirePrecision::f32}); });
  Halo halo = make(slab, {1});
  std::vector<double> array(static_cast<std::size_t>(halo.elements()));
  expect_same_error(world, ErrorCode::invalid_argument, {"null"},
                    [&] { halo.fill(last ? nullptr : array.data()); });
  std::vector<float> small(static_cast<std::size_t>(2 * halo.elements()));
  expect_same_error(world, ErrorCode::invalid_argument, {"8 bytes", "4"},
                    [&] { halo.accumulate(small.data()); });
  if (ranks == 1) return;
  expect_same_error(world, ErrorCode::disagreement, {"widths below", "(2)", "(1)"},
                    [&] { make(slab, {last ? 2 : 1}); });
  expect_same_error(world, ErrorCode::disagreement, {"fill of halo", "accumulate of f64"}, [&] {
    if (last)
      halo.accumulate(array.data());
    else
      halo.fill(array.data());
  });
  Halo other = make(slab, {2});
  std::vector<double> wider(static_cast<std::size_t>(other.elements()));
  expect_same_error(world, ErrorCode::disagreement, {"fill of halo"}, [&] {
    if (last)
      other.fill(wider.data());
    else
      halo.fill(array.data());
  });
}

TEST(Halo, ByTheCInterface) {
  const int64_t ranks = size_of(world);
  const int64_t shape[] = {9, 5};
  const int64_t below[] = {2, 1};
  const int64_t above[] = {1, 3};
  const int periodic[] = {1, 0};
  weft_layout* layout = nullptr;
  ASSERT_EQ(weft_layout_slab(2, shape, ranks, 0, &layout), WEFT_OK);
  weft_halo* halo = nullptr;
  ASSERT_EQ(weft_halo_create(layout, below, above, periodic, sizeof(double), nullptr, world, &halo),
            WEFT_OK)
      << weft_last_error();
  Halo twin({.layout = Layout::slab({9, 5}, ranks),
             .below = {2, 1},
             .above = {1, 3},
             .periodic = {true, false},
             .comm = world});
  int64_t elements = 0;
  int64_t offset = 0;
  int64_t bytes = 0;
  Shape extents(2);
  Shape strides(2);
  ASSERT_EQ(weft_halo_elements(halo, &elements), WEFT_OK);
  ASSERT_EQ(weft_halo_inner_offset(halo, &offset), WEFT_OK);
  ASSERT_EQ(weft_halo_workspace_bytes(halo, &bytes), WEFT_OK);
  ASSERT_EQ(weft_halo_shape(halo, extents.data()), WEFT_OK);
  ASSERT_EQ(weft_halo_strides(halo, strides.data()), WEFT_OK);
  EXPECT_EQ(elements, twin.elements());
  EXPECT_EQ(offset, twin.inner_offset());
  EXPECT_EQ(bytes, twin.workspace_bytes());
  EXPECT_EQ(extents, twin.shape());
  EXPECT_EQ(strides, twin.strides());
  std::vector<double> mine(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = noise(3, i);
  std::vector<double> theirs = mine;
  ASSERT_EQ(weft_halo_fill(halo, mine.data()), WEFT_OK) << weft_last_error();
  twin.fill(theirs.data());
  EXPECT_EQ(mine, theirs);
  ASSERT_EQ(weft_halo_accumulate(halo, mine.data(), WEFT_F64), WEFT_OK) << weft_last_error();
  twin.accumulate(theirs.data());
  EXPECT_EQ(mine, theirs);
  const bool last = rank_of(world) == size_of(world) - 1;
  expect_failure_everywhere(weft_halo_accumulate(halo, mine.data(), last ? 77 : WEFT_F64),
                            WEFT_INVALID_ARGUMENT, {"precision", "77"});
  weft_halo* none = nullptr;
  expect_failure_everywhere(
      weft_halo_create(last ? nullptr : layout, below, above, periodic, 8, nullptr, world, &none),
      WEFT_INVALID_ARGUMENT, {"layout", "NULL"});
  expect_failure(weft_halo_fill(nullptr, mine.data()), WEFT_INVALID_ARGUMENT, {"halo", "NULL"});
  expect_failure(weft_halo_shape(halo, nullptr), WEFT_INVALID_ARGUMENT, {"shape", "NULL"});
  weft_halo_destroy(halo);
  weft_halo_destroy(nullptr);
  weft_layout_destroy(layout);
}

}  // namespace
}  // namespace weft::test_support
