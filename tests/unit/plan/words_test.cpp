// Words of enumerations and the bytes of numbers.

#include <gtest/gtest.h>

#include <weft/error.hpp>
#include <weft/plan.hpp>

#include "unit/support/expect_error.hpp"

namespace weft {
namespace {

using test_support::expect_error;

template <class E>
int words_that_return(int count) {
  int same = 0;
  for (int i = 0; i < count; ++i)
    same += from_string<E>(to_string(static_cast<E>(i))) == static_cast<E>(i);
  return same;
}

TEST(Words, EveryWordReturns) {
  EXPECT_EQ(words_that_return<Kind>(10), 10);
  EXPECT_EQ(words_that_return<Element>(3), 3);
  EXPECT_EQ(words_that_return<Precision>(3), 3);
  EXPECT_EQ(words_that_return<Norm>(4), 4);
  EXPECT_EQ(words_that_return<OutputChoice>(3), 3);
  EXPECT_EQ(words_that_return<Effort>(3), 3);
  EXPECT_EQ(words_that_return<Method>(4), 4);
  EXPECT_EQ(words_that_return<WireForm>(3), 3);
  EXPECT_EQ(words_that_return<Schedule>(4), 4);
  EXPECT_EQ(words_that_return<Requests>(3), 3);
  EXPECT_EQ(words_that_return<Preset>(7), 7);
  EXPECT_EQ(words_that_return<WirePrecision>(2), 2);
  EXPECT_EQ(words_that_return<NodeUse>(4), 4);
}

TEST(Words, AnUnknownWordIsRefusedWithTheWordsThereAre) {
  expect_error(ErrorCode::invalid_argument, {"kind", "c2c, r2c", "\"r2r\""},
               [] { from_string<Kind>("r2r"); });
  expect_error(ErrorCode::invalid_argument, {"norm", "none, backward, ortho, forward", "\"\""},
               [] { from_string<Norm>(""); });
  expect_error(ErrorCode::invalid_argument, {"method", "automatic, collective, messages"},
               [] { from_string<Method>("Messages"); });
}

TEST(Words, BytesOfElements) {
  EXPECT_EQ(real_bytes(Precision::f32), 4);
  EXPECT_EQ(real_bytes(Precision::f64), 8);
  EXPECT_EQ(real_bytes(Precision::f80), 16);
  EXPECT_EQ(complex_bytes(Precision::f64), 16);
}

}  // namespace
}  // namespace weft
