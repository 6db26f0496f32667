// Words of enumerations and the bytes of numbers.

#include <gtest/gtest.h>

#include <weft/error.hpp>
#include <weft/plan.hpp>

#include "base/precision_words.hpp"
#include "plan/words.hpp"
#include "unit/support/expect_error.hpp"

namespace weft {
namespace {

using test_support::expect_error;

/// The number of words in the table. value_count checks that they are in the order of the values.
template <class E>
int words_that_return() {
  int same = 0;
  for (int i = 0; i < value_count<E>; ++i)
    same += from_string<E>(to_string(static_cast<E>(i))) == static_cast<E>(i);
  return same;
}

TEST(Words, EveryWordReturns) {
  EXPECT_EQ(words_that_return<Kind>(), value_count<Kind>);
  EXPECT_EQ(words_that_return<Element>(), value_count<Element>);
  EXPECT_EQ(words_that_return<Precision>(), value_count<Precision>);
  EXPECT_EQ(words_that_return<Norm>(), value_count<Norm>);
  EXPECT_EQ(words_that_return<OutputChoice>(), value_count<OutputChoice>);
  EXPECT_EQ(words_that_return<Effort>(), value_count<Effort>);
  EXPECT_EQ(words_that_return<Method>(), value_count<Method>);
  EXPECT_EQ(words_that_return<WireForm>(), value_count<WireForm>);
  EXPECT_EQ(words_that_return<Schedule>(), value_count<Schedule>);
  EXPECT_EQ(words_that_return<Requests>(), value_count<Requests>);
  EXPECT_EQ(words_that_return<Preset>(), value_count<Preset>);
  EXPECT_EQ(words_that_return<WirePrecision>(), value_count<WirePrecision>);
  EXPECT_EQ(words_that_return<NodeUse>(), value_count<NodeUse>);
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
