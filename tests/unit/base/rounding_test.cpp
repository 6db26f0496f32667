#include "base/rounding.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace weft {
namespace {

TEST(Rounding, QuotientsAndMultiplesAreTheNextOnes) {
  for (std::int64_t value = 0; value <= 30; ++value)
    for (std::int64_t by = 1; by <= 9; ++by) {
      std::int64_t quotient = 0;
      while (quotient * by < value) ++quotient;
      EXPECT_EQ(divided_up(value, by), quotient) << value << " by " << by;
      EXPECT_EQ(rounded_up(value, by), quotient * by) << value << " by " << by;
    }
}

TEST(Rounding, TheLargestNumbersDoNotOverflow) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(divided_up(largest, largest - 1), 2);
  EXPECT_EQ(divided_up(largest - 1, largest), 1);
  EXPECT_EQ(rounded_up(largest, 1), largest);
}

}  // namespace
}  // namespace weft
