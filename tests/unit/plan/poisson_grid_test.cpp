// Grids of Poisson problems: the kinds of each boundary, steps, padding, and refusals.
#include "plan/poisson_grid.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/error_text.hpp"

namespace weft::test_support {
namespace {

PoissonProblem problem_of(const Shape& shape, std::vector<AxisEnds> boundary) {
  PoissonProblem problem;
  problem.shape = shape;
  problem.boundary = std::move(boundary);
  problem.lengths = {1.0};
  return problem;
}

struct Wall {
  AxisEnds ends;
  Kind at_cells;
  Kind at_nodes;
  double node_intervals;  ///< of 10 points
};

TEST(PoissonGrid, EachWallHasItsKindAndStep) {
  for (const Wall& wall :
       {Wall{Boundary::dirichlet, Kind::dst2, Kind::dst1, 11},
        Wall{Boundary::neumann, Kind::dct2, Kind::dct1, 9},
        Wall{{Boundary::dirichlet, Boundary::neumann}, Kind::dst4, Kind::dst3, 10},
        Wall{{Boundary::neumann, Boundary::dirichlet}, Kind::dct4, Kind::dct3, 10}}) {
    PoissonProblem problem = problem_of({10}, {wall.ends});
    problem.lengths = {3.0};
    EXPECT_EQ(poisson_grid(problem, 1).transform.kinds, Kinds{wall.at_cells});
    EXPECT_DOUBLE_EQ(poisson_grid(problem, 1).steps[0], 0.3);
    problem.points = GridPoints::nodes;
    EXPECT_EQ(poisson_grid(problem, 1).transform.kinds, Kinds{wall.at_nodes});
    EXPECT_DOUBLE_EQ(poisson_grid(problem, 1).steps[0], 3 / wall.node_intervals);
  }
}

TEST(PoissonGrid, TheLastPeriodicAxisOfRealsIsHalved) {
  PoissonProblem problem =
      problem_of({4, 5, 6}, {Boundary::periodic, Boundary::periodic, Boundary::neumann});
  EXPECT_EQ(poisson_grid(problem, 1).transform.kinds, Kinds({Kind::c2c, Kind::r2c, Kind::dct2}));
  problem.element = Element::complex;
  EXPECT_EQ(poisson_grid(problem, 1).transform.kinds, Kinds({Kind::c2c, Kind::c2c, Kind::dct2}));
}

TEST(PoissonGrid, AZeroModeNeedsAllAxesWithoutAFixedEnd) {
  using enum Boundary;
  EXPECT_TRUE(poisson_grid(problem_of({4, 5}, {periodic, neumann}), 1).has_zero_mode);
  EXPECT_FALSE(poisson_grid(problem_of({4, 5}, {periodic, dirichlet}), 1).has_zero_mode);
  EXPECT_FALSE(poisson_grid(problem_of({4, 5}, {periodic, {neumann, dirichlet}}), 1).has_zero_mode);
  PoissonProblem without_walls = problem_of({4, 5}, {Boundary::open});
  without_walls.order = PoissonOrder::second;
  EXPECT_FALSE(poisson_grid(without_walls, 1).has_zero_mode);
}

TEST(PoissonGrid, OpenAxesArePadded) {
  PoissonProblem problem = problem_of({10, 12, 14}, {Boundary::open});
  problem.lengths = {1, 2, 2};  // a diagonal of 3
  problem.order = PoissonOrder::second;
  PoissonGrid grid = poisson_grid(problem, 1);
  EXPECT_EQ(grid.transform.shape, (Shape{20, 24, 28}));
  EXPECT_EQ(grid.transform.support, problem.shape);
  EXPECT_DOUBLE_EQ(grid.lengths[1], 4);
  problem.order = PoissonOrder::spectral;
  grid = poisson_grid(problem, 1);
  // At least n (L + 3) / L points, without prime factors above 7.
  EXPECT_EQ(grid.transform.shape, (Shape{40, 30, 35}));
  EXPECT_DOUBLE_EQ(grid.radius, 3);
  EXPECT_DOUBLE_EQ(grid.lengths[0], 4);
}

TEST(PoissonGrid, SeveralRanksGetASlabUnlessALayoutIsGiven) {
  PoissonProblem problem = problem_of({9, 8}, {Boundary::periodic});
  EXPECT_FALSE(poisson_grid(problem, 1).transform.has_input);
  EXPECT_EQ(poisson_grid(problem, 3).transform.input, Layout::slab({9, 8}, 3));
  problem.layout = Layout::slab({9, 8}, 3, 1);
  EXPECT_EQ(poisson_grid(problem, 3).transform.input, *problem.layout);
}

struct Refusal {
  PoissonProblem problem;
  const char* text;
};

std::vector<Refusal> refusals() {
  using enum Boundary;
  std::vector<Refusal> all{
      {problem_of({4, 6}, {periodic, periodic, periodic}), "each of the 2 axes; given 3"},
      {problem_of({4, 6}, {}), "each of the 2 axes; given 0"},
      {problem_of({4, 6}, {{periodic, neumann}, periodic}), "given (periodic, neumann)"},
      {problem_of({4, 6}, {{Boundary::open, dirichlet}, periodic}), "both walls"},
      {problem_of({4, 6}, {Boundary::open, periodic}), "all axes must be open, or none"},
      {problem_of({4, 6}, {periodic, Boundary::open}), "all axes must be open, or none"},
      {problem_of({4, 6}, {Boundary::open}), "need three axes; given 2"},
      {problem_of({2, 2, 2, 2}, {Boundary::open}), "1 to 3 axes; given 4"},
      {problem_of({0, 6}, {periodic}), "at least 1; given 0x6"},
      {problem_of({}, {periodic}), "1 to 8 axes"},
      {problem_of({4, 6, 8}, {Boundary::open}), "fewer than 2^40 points"}};
  all.back().problem.lengths = {1, 1, 1e13};
  for (const double wrong : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    all.push_back({problem_of({4, 6}, {periodic}), "finite and above 0"});
    all.back().problem.lengths = {1, wrong};
  }
  all.push_back({problem_of({4, 6}, {periodic}), "each of the 2 axes; given 3"});
  all.back().problem.lengths = {1, 2, 3};
  return all;
}

TEST(PoissonGrid, RefusesConditionsThatDoNotFit) {
  for (const Refusal& each : refusals())
    EXPECT_NE(error_text([&] { poisson_grid(each.problem, 1); }).find(each.text), std::string::npos)
        << error_text([&] { poisson_grid(each.problem, 1); });
}

}  // namespace
}  // namespace weft::test_support
