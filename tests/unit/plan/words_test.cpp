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

/// Returns the number of values that are read back equal from their words.
template <class E>
int values_read_back() {
  int same = 0;
  for (int i = 0; i < value_count<E>; ++i)
    same += from_string<E>(to_string(static_cast<E>(i))) == static_cast<E>(i);
  return same;
}

TEST(Words, EveryValueIsReadBackFromItsWord) {
  EXPECT_EQ(values_read_back<Kind>(), value_count<Kind>);
  EXPECT_EQ(values_read_back<Element>(), value_count<Element>);
  EXPECT_EQ(values_read_back<Precision>(), value_count<Precision>);
  EXPECT_EQ(values_read_back<Norm>(), value_count<Norm>);
  EXPECT_EQ(values_read_back<OutputChoice>(), value_count<OutputChoice>);
  EXPECT_EQ(values_read_back<Effort>(), value_count<Effort>);
  EXPECT_EQ(values_read_back<Method>(), value_count<Method>);
  EXPECT_EQ(values_read_back<WireForm>(), value_count<WireForm>);
  EXPECT_EQ(values_read_back<Schedule>(), value_count<Schedule>);
  EXPECT_EQ(values_read_back<Requests>(), value_count<Requests>);
  EXPECT_EQ(values_read_back<Preset>(), value_count<Preset>);
  EXPECT_EQ(values_read_back<WirePrecision>(), value_count<WirePrecision>);
  EXPECT_EQ(values_read_back<NodeUse>(), value_count<NodeUse>);
}

TEST(Words, AnUnknownWordIsRefusedWithTheKnownWords) {
  expect_error(ErrorCode::invalid_argument, {"kind", "c2c, r2c", "\"r2r\""},
               [] { from_string<Kind>("r2r"); });
  expect_error(ErrorCode::invalid_argument, {"norm", "none, backward, ortho, forward", "\"\""},
               [] { from_string<Norm>(""); });
  expect_error(ErrorCode::invalid_argument, {"method", "automatic, collective, messages"},
               [] { from_string<Method>("Messages"); });
}

TEST(Words, BytesOfElementsFollowFromThePrecision) {
  EXPECT_EQ(real_bytes(Precision::f32), 4);
  EXPECT_EQ(real_bytes(Precision::f64), 8);
  EXPECT_EQ(real_bytes(Precision::f80), 16);
  EXPECT_EQ(complex_bytes(Precision::f64), 16);
}

}  // namespace
}  // namespace weft
