// Folded columns of half a spectrum, and the natural order, compared with their definitions.
#include "kernel/hermitian_order.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "kernel/fold.hpp"
#include "support/random_layouts.hpp"
#include "support/seed.hpp"

namespace weft::kernel {
namespace {

using test_support::Random;

/// Returns the position of column k2 among the folded columns.
std::int64_t folded(std::int64_t k2, std::int64_t n2) {
  return k2 < n2 - k2 ? 2 * k2 : 2 * (n2 - 1 - k2) + 1;
}

TEST(KernelFold, unfolded_pieces_have_the_place_of_every_column) {
  for (const std::int64_t n2 : {2, 3, 8, 13})
    for (std::int64_t from = 0; from < n2; ++from)
      for (std::int64_t to = from + 1; to <= n2; ++to) {
        const Place place{{{{{2, from}, {5, to}}, 7, 100, {40, 3}}}, 16};
        std::int64_t seen = 0;
        for (const Piece& piece : unfolded(place, 1, n2).pieces) {
          EXPECT_EQ(piece.buffer, 7);
          for (std::int64_t k2 = piece.box.lower[1]; k2 < piece.box.upper[1]; ++k2, ++seen) {
            const std::int64_t wanted = 100 + 40 + 3 * (folded(k2, n2) - from);
            EXPECT_EQ(
                piece.offset + piece.strides[0] + (k2 - piece.box.lower[1]) * piece.strides[1],
                wanted)
                << k2 << " of " << n2 << " from " << from;
          }
        }
        EXPECT_EQ(seen, to - from);
      }
}

using Complex = std::complex<double>;

/// Returns X[k] of a whole spectrum of n reals: X[n-k] is the conjugate of X[k].
Complex spectrum(std::int64_t k, std::int64_t n) {
  const auto value = [](std::int64_t m) {
    return Complex(static_cast<double>(m) + 1, static_cast<double>(m) / 2);
  };
  if (2 * k == n || k == 0) return value(k).real();
  return 2 * k < n ? value(k) : std::conj(value(n - k));
}

/// Cuts the folded columns into boxes. Each box is a piece of one buffer, in either memory order.
Place pieces_of(const Shape& columns, Random& random) {
  Place place{{}, sizeof(Complex)};
  std::int64_t offset = 3;
  for (const Box& box : test_support::random_boxes(columns, 4, random)) {
    if (box.empty()) continue;
    const std::vector<int> order = offset % 2 ? std::vector<int>{0, 1} : std::vector<int>{1, 0};
    place.pieces.push_back({box, 0, offset, dense_strides(box.shape(), order)});
    offset += box.volume();
  }
  return place;
}

class HalfOrders : public ::testing::TestWithParam<std::pair<std::int64_t, std::int64_t>> {
 protected:
  const std::int64_t n1 = GetParam().first;
  const std::int64_t n2 = GetParam().second;
  const std::int64_t n = n1 * n2;
  const Shape columns{n1 / 2 + 1, n2};
  const Place natural{{{Box::whole({n / 2 + 1}), 1, 2, {1}}}, sizeof(Complex)};

  /// Calls visit(k1, k2, position) for each element of the folded columns.
  template <class Visit>
  void for_each(const Place& place, Visit&& visit) const {
    for (const Piece& piece : place.pieces)
      for (std::int64_t k1 = piece.box.lower[0]; k1 < piece.box.upper[0]; ++k1)
        for (std::int64_t column = piece.box.lower[1]; column < piece.box.upper[1]; ++column) {
          const std::int64_t k2 = column % 2 == 0 ? column / 2 : n2 - 1 - column / 2;
          visit(
              k1, k2,
              static_cast<std::size_t>(piece.offset + (k1 - piece.box.lower[0]) * piece.strides[0] +
                                       (column - piece.box.lower[1]) * piece.strides[1]));
        }
  }
};

TEST_P(HalfOrders, folded_columns_become_the_natural_order) {
  const std::uint64_t seed = test_support::chosen_seed(0);
  SCOPED_TRACE(test_support::repeated_by(seed));
  Random random(seed + static_cast<std::uint64_t>(n));
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Place place = pieces_of(columns, random);
    std::vector<Complex> half(static_cast<std::size_t>(volume(columns) + 3));
    std::vector<Complex> got(static_cast<std::size_t>(n / 2 + 4), -9);
    for_each(place, [&](std::int64_t k1, std::int64_t k2, std::size_t at) {
      half[at] = spectrum(k1 + n1 * k2, n);
    });
    void* const buffers[] = {half.data(), got.data()};
    const HermitianOrderPass pass({n1, n2, true}, Box::whole(columns), place, natural,
                                  1 + repeat % 2);
    EXPECT_EQ(pass.execute(buffers).written_bytes, (n / 2 + 1) * 16);
    for (std::int64_t k = 0; k <= n / 2; ++k)
      EXPECT_EQ(got[static_cast<std::size_t>(k + 2)], spectrum(k, n)) << k;
    for (const std::size_t guard : {std::size_t{0}, std::size_t{1}, got.size() - 1})
      EXPECT_EQ(got[guard], -9.0);
  }
}

/// For rows 0 and n1/2 only the mean of X[k] and the conjugate of X[n-k] is defined.
TEST_P(HalfOrders, the_natural_order_becomes_folded_columns_in_any_boxes) {
  const std::uint64_t seed = test_support::chosen_seed(1);
  SCOPED_TRACE(test_support::repeated_by(seed));
  Random random(seed + static_cast<std::uint64_t>(n));
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Place place = pieces_of(columns, random);
    std::vector<Complex> half(static_cast<std::size_t>(volume(columns) + 3), NAN);
    std::vector<Complex> given(static_cast<std::size_t>(n / 2 + 3));
    for (std::int64_t k = 0; k <= n / 2; ++k)
      given[static_cast<std::size_t>(k + 2)] = spectrum(k, n);
    void* const buffers[] = {half.data(), given.data()};
    for (const Box& box : test_support::random_boxes(columns, 3, random))
      HermitianOrderPass({n1, n2, false}, box, place, natural, 1).execute(buffers);
    std::vector<Complex> found(static_cast<std::size_t>(n), 0);
    for_each(place, [&](std::int64_t k1, std::int64_t k2, std::size_t at) {
      found[static_cast<std::size_t>(k1 + n1 * k2)] = half[at];
    });
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int64_t k1 = k % n1;
      if (k1 > n1 / 2) continue;
      Complex got = found[static_cast<std::size_t>(k)];
      if (k1 == 0 || 2 * k1 == n1)
        got = (got + std::conj(found[static_cast<std::size_t>((n - k) % n)])) / 2.0;
      EXPECT_EQ(got, spectrum(k, n)) << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EvenAndOdd, HalfOrders,
                         ::testing::Values(std::pair{2, 2}, std::pair{2, 3}, std::pair{3, 2},
                                           std::pair{3, 3}, std::pair{6, 10}, std::pair{5, 8},
                                           std::pair{8, 7}, std::pair{7, 9}, std::pair{150, 40}));

}  // namespace
}  // namespace weft::kernel
