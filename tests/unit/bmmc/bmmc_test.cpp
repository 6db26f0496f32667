#include "bmmc/plan/bmmc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "bmmc/plan/permutations.hpp"
#include "bmmc/plan/processor_traffic.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"
#include "unit/support/random_bits.hpp"

namespace weft::bmmc {
namespace {

using test_support::expect_error;
using test_support::random_nonsingular;

constexpr DiskModel disks{.n = 10, .m = 6, .b = 2, .d = 1, .p = 1};

/// Returns an MRC matrix: [[alpha, r], [0, delta]], with alpha and delta nonsingular, and r random.
BitMatrix random_mrc(std::mt19937_64& random) {
  BitMatrix a(disks.n, disks.n);
  const BitMatrix alpha = random_nonsingular(disks.m, random);
  const BitMatrix delta = random_nonsingular(disks.n - disks.m, random);
  for (int row = 0; row < disks.n; ++row)
    for (int column = 0; column < disks.n; ++column) {
      const bool left = column < disks.m;
      if (row < disks.m) a.set(row, column, left ? alpha.at(row, column) : (random() & 1) != 0);
      if (row >= disks.m && !left) a.set(row, column, delta.at(row - disks.m, column - disks.m));
    }
  return a;
}

/// Returns an MLD matrix: [[I, 0], [e, I]], where e is zero in the columns of offset bits.
BitMatrix random_eraser(std::mt19937_64& random) {
  BitMatrix a = BitMatrix::identity(disks.n);
  for (int row = disks.m; row < disks.n; ++row)
    for (int column = disks.b; column < disks.m; ++column) a.set(row, column, (random() & 1) != 0);
  return a;
}

TEST(Bmmc, classes_are_closed_as_the_theory_says) {
  const std::uint64_t seed = test_support::chosen_seed(20263);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  int not_mld = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const BitMatrix x = random_mrc(random), y = random_eraser(random);
    ASSERT_TRUE(is_mrc(x, disks));
    ASSERT_TRUE(is_mrc(inverse(x), disks));
    ASSERT_TRUE(is_mrc(x * random_mrc(random), disks));
    ASSERT_TRUE(is_mld(y, disks));
    ASSERT_TRUE(is_mld(y * x, disks));
    ASSERT_TRUE(is_mld_inverse(inverse(y * x), disks));
    not_mld += is_mld(x * y, disks) ? 0 : 1;
  }
  EXPECT_GT(not_mld, 0) << "MRC after MLD need not be MLD";
}

TEST(Bmmc, classes_of_known_permutations) {
  EXPECT_TRUE(is_mrc(gray_code(disks.n), disks));
  EXPECT_TRUE(is_bpc(bit_reversal(disks.n)));
  EXPECT_TRUE(is_bpc(right_rotation(disks.n, 3)));
  EXPECT_FALSE(is_bpc(gray_code(disks.n)));
  EXPECT_FALSE(is_bpc(BitMatrix(disks.n, disks.n)));
  EXPECT_FALSE(is_mrc(bit_reversal(disks.n), disks));
  EXPECT_FALSE(is_mld(bit_reversal(disks.n), disks));
}

TEST(Bmmc, ranks_are_those_of_paper_003) {
  for (int n = 4; n <= 20; ++n)
    for (int m = 2; m <= n; ++m) {
      const DiskModel model{.n = n, .m = m, .b = 1, .d = 0};
      ASSERT_EQ(rank_phi(bit_reversal(n), model), std::min(m, n - m));
      for (int k = 0; k <= n; ++k)
        ASSERT_LE(rank_phi(right_rotation(n, k), model), std::min({k, n - k, m, n - m}));
    }
}

TEST(Bmmc, composes_and_inverts_with_its_complement) {
  const std::uint64_t seed = test_support::chosen_seed(20263);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  const Bmmc one{random_nonsingular(disks.n, random), random() & bit_range(0, disks.n)};
  const Bmmc other{random_nonsingular(disks.n, random), random() & bit_range(0, disks.n)};
  for (Bits x = 0; x < 1024; ++x) {
    ASSERT_EQ(composed(one, other).target(x), other.target(one.target(x)));
    ASSERT_EQ(inverse(one).target(one.target(x)), x);
  }
}

/// Counts records and messages between processors by visiting every record.
ProcessorTraffic counted(const PermutationPass& pass, const DiskModel& model) {
  const auto owner = [&](Bits x) {
    return x >> (model.b + model.d - model.p) & bit_range(0, model.p);
  };
  std::set<std::tuple<Bits, Bits, Bits>> messages;
  ProcessorTraffic result;
  std::int64_t records = 0;
  for (Bits x = 0; x < Bits{1} << model.n; ++x) {
    const Bits from = owner(x), to = owner(pass.permutation.target(x));
    if (from == to) continue;
    ++records;
    messages.insert({from, to, pass.group.reduced(x)});
  }
  std::map<Bits, std::int64_t> of_processor;
  for (const auto& message : messages) ++of_processor[std::get<0>(message)];
  for (const auto& [from, count] : of_processor) result.messages = std::max(result.messages, count);
  result.records = records >> model.p;
  return result;
}

TEST(Crossing, equals_a_count_of_all_records) {
  const std::uint64_t seed = test_support::chosen_seed(20263);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  const DiskModel model{.n = 9, .m = 6, .b = 1, .d = 3, .p = 2};
  int differing = 0;
  for (int trial = 0; trial < 300; ++trial) {
    // With few entries off the diagonal, processors keep different numbers of records.
    BitMatrix a = BitMatrix::identity(model.n);
    for (int k = 0; k < 4; ++k)
      a.set(static_cast<int>(random() % 6), static_cast<int>(random() % 9), true);
    if (!is_nonsingular(a) || !is_mld(a, model)) continue;
    const PermutationPass pass = make_pass(PassKind::mld, {a, random() & bit_range(0, 9)}, model);
    const ProcessorTraffic found = processor_traffic(pass, model), all = counted(pass, model);
    ASSERT_EQ(found.records, all.records) << "trial " << trial;
    ASSERT_EQ(found.messages, all.messages) << "trial " << trial;
    differing += found.alike ? 0 : 1;
  }
  EXPECT_GT(differing, 0);
}

TEST(DiskModel, is_made_from_powers_of_two) {
  const DiskModel model = disk_model(1 << 20, 1 << 16, 1 << 10, 8, 4);
  EXPECT_EQ(model, (DiskModel{.n = 20, .m = 16, .b = 10, .d = 3, .p = 2}));
  EXPECT_EQ(model.ios_of_a_pass(), 2 * (1 << 7));
}

TEST(DiskModel, refuses_impossible_sizes) {
  const auto refused = [](const std::vector<std::string>& words, auto... sizes) {
    expect_error(ErrorCode::invalid_argument, words, [&] { disk_model(sizes...); });
  };
  refused({"records", "power of two", "1000000", "524288"}, 1000000, 1 << 16, 1 << 10, 8, 4);
  refused({"block", "power of two", "given 0"}, 1 << 20, 1 << 16, 0, 8, 4);
  refused({"M >= 2BD", "2^13", "2^10"}, 1 << 20, 1 << 13, 1 << 10, 8, 4);
  refused({"P <= D", "2^4", "2^3"}, 1 << 20, 1 << 16, 1 << 10, 8, 16);
  refused({"M <= N", "2^16", "2^15"}, 1 << 15, 1 << 16, 1 << 10, 8, 4);
  refused({"2^61", "2^62"}, std::int64_t{1} << 62, 1 << 16, 1 << 10, 8, 4);
}

TEST(Bmmc, refuses_what_is_no_permutation) {
  BitMatrix singular = BitMatrix::identity(10);
  singular.set(3, 4, true);
  singular.set(4, 4, false);
  singular.set(3, 3, false);
  const auto invalid = ErrorCode::invalid_argument;
  expect_error(invalid, {"nonsingular", "rank 10", "given rank"},
               [&] { check(Bmmc{singular}, disks); });
  expect_error(invalid, {"n = 10", "9 x 9"}, [] { check(Bmmc{bit_reversal(9)}, disks); });
  expect_error(invalid, {"complement", "1024"}, [] { check(Bmmc{bit_reversal(10), 1024}, disks); });
}

}  // namespace
}  // namespace weft::bmmc
