#include "bmmc/plan/affine_copy.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "support/seed.hpp"
#include "unit/support/random_bits.hpp"

namespace weft::bmmc {
namespace {

Bits place(const AffinePlaces& places, Bits record) {
  return places.first ^ combined(places.columns, record);
}

/// Copies 2^lg records of `bytes` bytes from the places `from` to the places `to`. Expects each
/// record at its new place.
void expect_each_in_its_place(const AffinePlaces& from, const AffinePlaces& to, std::size_t bytes,
                              const std::string& what) {
  const Bits count = Bits{1} << from.columns.size();
  std::vector<unsigned char> source(count * bytes), target(count * bytes);
  for (std::size_t i = 0; i < source.size(); ++i)
    source[i] = static_cast<unsigned char>(i * 37 + i / 251);
  copy_affine(reinterpret_cast<const char*>(source.data()), from,
              reinterpret_cast<char*>(target.data()), to, bytes);
  for (Bits j = 0; j < count; ++j)
    ASSERT_EQ(std::memcmp(&target[place(to, j) * bytes], &source[place(from, j) * bytes], bytes), 0)
        << what << ", record " << j;
}

AffinePlaces along(int lg) {
  AffinePlaces places;
  for (int bit = 0; bit < lg; ++bit) places.columns.push_back(Bits{1} << bit);
  return places;
}

/// Records may be neighbours on one side only, because their places on the other side also differ
/// in a high bit. They must not be copied together.
TEST(AffineCopy, NeighboursOnOneSideOnlyAreCopiedApart) {
  AffinePlaces scattered = along(4);
  scattered.columns[0] = 0b0101;
  scattered.columns[1] = 0b1010;
  for (const std::size_t bytes : {4, 8, 16, 32}) {
    expect_each_in_its_place(along(4), scattered, bytes, "to");
    expect_each_in_its_place(scattered, along(4), bytes, "from");
    expect_each_in_its_place(scattered, scattered, bytes, "both");
  }
}

/// Returns places of a random nonsingular matrix. Its first `units` columns are unit vectors, so
/// records form runs.
AffinePlaces drawn(int lg, int units, std::mt19937_64& random) {
  const BitMatrix above = test_support::random_nonsingular(lg - units, random);
  AffinePlaces places = along(lg);
  places.first = random() & bit_range(0, lg);
  for (int bit = units; bit < lg; ++bit)
    places.columns[static_cast<std::size_t>(bit)] =
        above.apply(Bits{1} << (bit - units)) << units | (random() & bit_range(0, units));
  return places;
}

TEST(AffineCopy, RecordsOfAnyPlacesAreCopied) {
  const std::uint64_t seed = test_support::chosen_seed(20391);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  for (int trial = 0; trial < 2000 && !HasFatalFailure(); ++trial) {
    const int lg = 3 + static_cast<int>(random() % 4);
    const int units = static_cast<int>(random() % 3);
    const AffinePlaces from = drawn(lg, random() % 2 == 0 ? units : 0, random);
    const AffinePlaces to = drawn(lg, units, random);
    expect_each_in_its_place(from, to, std::size_t{4} << random() % 4,
                             test_support::repeated_by(seed) + ", trial " + std::to_string(trial));
  }
}

}  // namespace
}  // namespace weft::bmmc
