// Kinds of axes: their traits, their words, and whether stages have real or complex numbers.
#include "plan/kinds.hpp"

#include <gtest/gtest.h>

#include "base/kind_words.hpp"
#include "plan/check_plan.hpp"
#include "unit/support/expect_error.hpp"

namespace weft {
namespace {

using test_support::expect_error;

TEST(Kinds, TraitsAreThoseOfTheirKind) {
  for (const auto& [kind, word] : Words<Kind>::table) EXPECT_EQ(traits_of(kind).kind, kind);
}

TEST(Kinds, R2cHalvesTheLength) {
  EXPECT_EQ(traits_of(Kind::r2c).length_after(7), 4);
  EXPECT_EQ(traits_of(Kind::r2c).length_after(8), 5);
  EXPECT_EQ(traits_of(Kind::c2c).length_after(8), 8);
  EXPECT_EQ(traits_of(Kind::r2c).logical_length(8), 8);
}

TEST(Kinds, OneWordHalvesTheLastTransformedAxis) {
  const Problem problem = checked({.shape = {4, 5, 6}, .axes = {2, 0}, .kinds = Kind::r2c});
  EXPECT_EQ(problem.kinds, (Kinds{Kind::c2c, Kind::r2c}));
  EXPECT_EQ(problem.halved_axis(), 0);
  EXPECT_EQ(problem.output_shape(), (Shape{3, 5, 6}));
  EXPECT_EQ(to_string(problem.kinds), "r2c");
}

TEST(Kinds, AnyAxisCanBeHalved) {
  const Problem problem = checked({.shape = {8, 5, 6}, .kinds = {Kind::r2c, Kind::c2c, Kind::c2c}});
  EXPECT_EQ(problem.halved_axis(), 0);
  EXPECT_EQ(problem.output_shape(), (Shape{5, 5, 6}));
  EXPECT_EQ(to_string(problem.kinds), "r2c, c2c, c2c");
  const Plan plan = make_plan(problem);
  check_plan(plan);
  EXPECT_EQ(plan.stages.front().axes.front(), 0);
}

TEST(Kinds, ElementsOfStagesAreRealUntilAnAxisIsHalved) {
  const Plan plan = make_plan({.shape = {64, 64, 64}, .kinds = Kind::r2c, .ranks = 16});
  ASSERT_GT(plan.stages.size(), 1U);
  EXPECT_EQ(plan.problem.element, Element::real);
  EXPECT_EQ(plan.stages[0].source_element, Element::real);
  EXPECT_EQ(plan.stages[0].target_element, Element::complex);
  EXPECT_EQ(plan.stages[1].source_element, Element::complex);
  Plan other = plan;
  other.stages[1].source_element = Element::real;
  expect_error(ErrorCode::invalid_argument, {"stage 1", "given real to complex"},
               [&] { check_plan(other); });
}

TEST(Kinds, WrongCombinationsAreRefused) {
  expect_error(ErrorCode::invalid_argument, {"one for each of the 3", "given 2"}, [] {
    checked({.shape = {4, 4, 4}, .kinds = {Kind::c2c, Kind::r2c}});
  });
  expect_error(ErrorCode::invalid_argument,
               {"at most one axis is r2c", "(r2c, r2c)", "make the others"}, [] {
                 checked({.shape = {4, 4}, .kinds = {Kind::r2c, Kind::r2c}});
               });
  expect_error(ErrorCode::invalid_argument, {"real numbers is needed", "given complex"}, [] {
    checked({.shape = {4, 4}, .kinds = Kind::r2c, .element = Element::complex});
  });
}

}  // namespace
}  // namespace weft
