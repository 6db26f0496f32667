#include "bmmc/plan/gf2.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>

#include "bmmc/plan/permutations.hpp"
#include "bmmc/plan/subspace.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"
#include "unit/support/random_bits.hpp"

namespace weft::bmmc {
namespace {

using test_support::expect_error;
using test_support::random_matrix;
using test_support::random_nonsingular;

/// Sizes at the limits: none, one, whole words.
constexpr int sizes[] = {0, 1, 2, 3, 7, 31, 32, 33, 63, 64};

TEST(BitMatrix, product_is_that_of_its_entries) {
  const std::uint64_t seed = test_support::chosen_seed(20261);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  const BitMatrix a = random_matrix(5, 64, random);
  const BitMatrix b = random_matrix(64, 9, random);
  const BitMatrix product = a * b;
  ASSERT_EQ(product.rows(), 5);
  ASSERT_EQ(product.columns(), 9);
  for (int row = 0; row < 5; ++row)
    for (int column = 0; column < 9; ++column) {
      int sum = 0;
      for (int k = 0; k < 64; ++k) sum += a.at(row, k) && b.at(k, column) ? 1 : 0;
      ASSERT_EQ(product.at(row, column), sum % 2 == 1) << row << ", " << column;
    }
}

TEST(BitMatrix, inverse_times_matrix_is_the_identity) {
  const std::uint64_t seed = test_support::chosen_seed(20261);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  for (const int size : sizes) {
    const BitMatrix a = random_nonsingular(size, random);
    ASSERT_EQ(a * inverse(a), BitMatrix::identity(size)) << size;
    ASSERT_EQ(inverse(a) * a, BitMatrix::identity(size)) << size;
  }
}

TEST(BitMatrix, rank_and_kernel_add_up) {
  const std::uint64_t seed = test_support::chosen_seed(20261);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  int deficient = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int rows = static_cast<int>(random() % 65);
    const int columns = static_cast<int>(random() % 65);
    const int between = static_cast<int>(random() % 12);
    const BitMatrix a =
        random_matrix(rows, between, random) * random_matrix(between, columns, random);
    const std::vector<Bits> nothing = kernel(a);
    ASSERT_LE(rank(a), between);
    ASSERT_EQ(rank(a) + static_cast<int>(nothing.size()), columns) << trial;
    ASSERT_EQ(rank(transposed(a)), rank(a));
    int last = -1;
    for (const Bits x : nothing) {
      ASSERT_EQ(a.apply(x), 0u);
      const int column = bits_max - 1 - std::countl_zero(x);
      ASSERT_GT(column, last) << "the highest bits of the vectors ascend";
      last = column;
    }
    ASSERT_EQ(Subspace::spanned(nothing).dimension(), static_cast<int>(nothing.size()));
    deficient += rank(a) < between ? 1 : 0;
  }
  ASSERT_GT(deficient, 0);
}

TEST(BitMatrix, blocks_have_the_entries_of_the_whole) {
  const std::uint64_t seed = test_support::chosen_seed(20261);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  const BitMatrix a = random_matrix(64, 64, random);
  const BitMatrix part = a.block(10, 64, 33, 64);
  ASSERT_EQ(part.rows(), 54);
  ASSERT_EQ(part.columns(), 31);
  for (int row = 0; row < part.rows(); ++row)
    for (int column = 0; column < part.columns(); ++column)
      ASSERT_EQ(part.at(row, column), a.at(10 + row, 33 + column));
  EXPECT_EQ(a.block(0, 64, 0, 64), a);
  EXPECT_EQ(rank(a.block(64, 64, 0, 64)), 0);
  EXPECT_EQ(rank(a.block(0, 64, 64, 64)), 0);
}

TEST(BitMatrix, bits_beyond_its_shape_do_not_count) {
  EXPECT_EQ(BitMatrix::from_columns(2, {0b111, 0b101}), BitMatrix::from_columns(2, {0b11, 0b01}));
  EXPECT_EQ(BitMatrix::from_rows({0b111}, 2), BitMatrix::from_rows({0b11}, 2));
  EXPECT_EQ(BitMatrix::identity(3).apply(0b11010), 0b010u);
}

TEST(BitMatrix, row_operations_are_products_from_the_left) {
  const std::uint64_t seed = test_support::chosen_seed(20261);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  const BitMatrix a = random_matrix(20, 20, random);
  BitMatrix added = a, one_added = BitMatrix::identity(20);
  added.add_row(3, 17);
  one_added.add_row(3, 17);
  EXPECT_EQ(added, one_added * a);
  EXPECT_EQ(added.row(17), a.row(17) ^ a.row(3));
  BitMatrix swapped = a;
  swapped.swap_rows(0, 19);
  EXPECT_EQ(swapped.row(0), a.row(19));
  EXPECT_EQ(swapped.row(19), a.row(0));
}

TEST(BitMatrix, refuses_what_has_no_answer) {
  const BitMatrix wide(3, 4);
  const auto invalid = ErrorCode::invalid_argument;
  expect_error(invalid, {"square", "3 x 4"}, [&] { inverse(wide); });
  expect_error(invalid, {"full rank", "4 x 4", "rank 0"}, [] { inverse(BitMatrix(4, 4)); });
  expect_error(invalid, {"3 x 4", "3 x 4"}, [&] { wide* wide; });
  expect_error(invalid, {"one shape", "3 x 4", "4 x 3"}, [&] { wide + transposed(wide); });
  expect_error(invalid, {"64", "65 x 1"}, [] { BitMatrix(65, 1); });
}

TEST(Subspace, knows_what_it_contains) {
  const std::uint64_t seed = test_support::chosen_seed(20261);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<Bits> vectors;
    for (int k = 0; k < 5; ++k) vectors.push_back(random() & 0xff);
    const Subspace space = Subspace::spanned(vectors);
    std::set<Bits> sums;
    for (int choice = 0; choice < 32; ++choice) {
      Bits sum = 0;
      for (int k = 0; k < 5; ++k) sum ^= (choice >> k & 1) != 0 ? vectors[k] : 0;
      sums.insert(sum);
    }
    ASSERT_EQ(sums.size(), std::size_t{1} << space.dimension());
    for (Bits x = 0; x < 256; ++x) ASSERT_EQ(space.contains(x), sums.count(x) == 1);
    int last = -1;
    for (const Bits x : space.basis()) {
      const int pivot = std::countr_zero(x);
      ASSERT_EQ(x & space.pivot_bits(), Bits{1} << pivot);
      ASSERT_GT(pivot, last);
      last = pivot;
    }
    ASSERT_EQ(space.basis().size(), static_cast<std::size_t>(space.dimension()));
  }
}

TEST(Subspace, intersection_is_what_both_contain) {
  const std::uint64_t seed = test_support::chosen_seed(20261);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  int larger = 0;
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<Bits> a, b;
    for (int k = 0; k < 5; ++k) {
      a.push_back(random() & 0xff);
      b.push_back(random() & 0xff);
    }
    const Subspace one = Subspace::spanned(a), other = Subspace::spanned(b);
    const Subspace both = intersection(one, other);
    for (Bits x = 0; x < 256; ++x)
      ASSERT_EQ(both.contains(x), one.contains(x) && other.contains(x));
    larger += both.dimension() > 1 ? 1 : 0;
  }
  ASSERT_GT(larger, 0);
}

TEST(BitPermutations, move_bits_to_their_targets) {
  EXPECT_EQ(bit_reversal(5).apply(0b00110), 0b01100u);
  EXPECT_EQ(right_rotation(5, 2).apply(0b10110), 0b10101u);
  EXPECT_EQ(right_rotation(5, -1).apply(0b10110), 0b01101u);
  EXPECT_EQ(right_rotation(5, 7), right_rotation(5, 2));
  EXPECT_EQ(gray_code(4).apply(0b1010), 0b1111u);
  for (Bits x = 0; x < 64; ++x) ASSERT_EQ(gray_code(6).apply(x), x ^ x >> 1);
}

TEST(BitPermutations, axes_are_reordered_in_c_order) {
  // (4, 2, 8) to axes (2, 0, 1): the entry at [i][j][k] goes to [k][i][j].
  const BitMatrix a = axes_permutation({2, 1, 3}, {2, 0, 1});
  for (Bits i = 0; i < 4; ++i)
    for (Bits j = 0; j < 2; ++j)
      for (Bits k = 0; k < 8; ++k) ASSERT_EQ(a.apply((i * 2 + j) * 8 + k), (k * 4 + i) * 2 + j);
  EXPECT_EQ(axes_permutation({3, 4}, {1, 0}), right_rotation(7, 4));
}

TEST(BitPermutations, refuse_lists_that_are_no_permutation) {
  const auto invalid = ErrorCode::invalid_argument;
  expect_error(invalid, {"0..2", "0, 2, 2"}, [] { bit_permutation({0, 2, 2}); });
  expect_error(invalid, {"one lg extent", "2 axes", "3"}, [] {
    axes_permutation({1, 1, 1}, {0, 1});
  });
  expect_error(invalid, {"0..1", "0, 2"}, [] { axes_permutation({1, 1}, {0, 2}); });
}

}  // namespace
}  // namespace weft::bmmc
