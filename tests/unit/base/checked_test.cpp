#include "base/checked.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <string>

namespace weft {
namespace {

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "no error";
}

TEST(BaseChecked, products_and_sums_that_fit_are_exact) {
  EXPECT_EQ(checked_mul(std::int64_t{1} << 31, (std::int64_t{1} << 31) - 1, "n"),
            ((std::int64_t{1} << 31) - 1) << 31);
  EXPECT_EQ(checked_mul(-3, 5, "n"), -15);
  EXPECT_EQ(checked_mul(0, INT64_MAX, "n"), 0);
  EXPECT_EQ(checked_add(INT64_MAX, -1, "n"), INT64_MAX - 1);
  EXPECT_EQ(checked_add(INT64_MAX - 1, 1, "n"), INT64_MAX);
}

TEST(BaseChecked, products_and_sums_that_do_not_fit_are_refused) {
  EXPECT_EQ(
      message_of(
          [] { checked_mul(std::int64_t{1} << 32, std::int64_t{1} << 31, "points of the array"); }),
      "points of the array: 4294967296 * 2147483648 does not fit in 64 bits; use a smaller size");
  EXPECT_EQ(message_of([] { checked_add(INT64_MAX, 1, "bytes"); }),
            "bytes: 9223372036854775807 + 1 does not fit in 64 bits; use a smaller size");
  EXPECT_NE(message_of([] { checked_mul(INT64_MIN, -1, "n"); }), "no error");
  EXPECT_NE(message_of([] { checked_add(INT64_MIN, -1, "n"); }), "no error");
}

TEST(BaseChecked, casts_at_the_edges_are_exact_or_refused) {
  EXPECT_EQ(checked_cast<int>(std::int64_t{INT_MAX}), INT_MAX);
  EXPECT_EQ(checked_cast<int>(std::int64_t{INT_MIN}), INT_MIN);
  EXPECT_EQ(message_of([] { checked_cast<int>(std::int64_t{INT_MAX} + 1, "a count of MPI"); }),
            "a count of MPI: 2147483648 is outside [-2147483648, 2147483647]; use a smaller size");
  EXPECT_NE(message_of([] { checked_cast<std::size_t>(std::int64_t{-1}); }), "no error");
  EXPECT_NE(message_of([] { checked_cast<std::int64_t>(SIZE_MAX); }), "no error");
}

}  // namespace
}  // namespace weft
