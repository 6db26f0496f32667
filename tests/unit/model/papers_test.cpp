// The formulas of papers 000 and 004, compared with the numbers that the papers print. Comments
// name misprints.
#include <gtest/gtest.h>

#include "model/chan.hpp"
#include "model/dmitruk.hpp"

namespace weft::model {
namespace {

TEST(Dmitruk, gives_the_times_of_figure_3) {
  const DmitrukMachine& m = dmitruk_celerons;
  EXPECT_NEAR(dmitruk_computing(m, 128, 16), 0.072, 0.0005);
  EXPECT_NEAR(dmitruk_sending(m, 128, 16), 0.088, 0.0005);
  EXPECT_NEAR(dmitruk_computing(m, 256, 16), 0.626, 0.0005);
  EXPECT_NEAR(dmitruk_sending(m, 256, 16), 0.677, 0.0005);
}

TEST(Dmitruk, gives_the_efficiencies_of_figure_4) {
  EXPECT_NEAR(dmitruk_efficiency(dmitruk_celerons, 64, 16), 0.32, 0.005);
  EXPECT_NEAR(dmitruk_efficiency(dmitruk_celerons, 128, 16), 0.40, 0.005);  // measured: 0.35
  EXPECT_NEAR(dmitruk_efficiency(dmitruk_celerons, 256, 16), 0.43, 0.005);
}

TEST(Dmitruk, gives_the_rate_of_figure_6) {
  EXPECT_NEAR(dmitruk_flops(dmitruk_celerons, 256, 16), 773e6, 1e6);  // "up to 800 Mflops"
}

TEST(Dmitruk, speed_up_nearly_equals_the_ratio_of_the_times) {
  for (const std::int64_t n : {64, 128, 256, 512})
    for (const std::int64_t p : {1, 2, 5, 16, 100}) {
      const DmitrukMachine& m = dmitruk_celerons;
      const double from_times = dmitruk_total(m, n, 1) / dmitruk_total(m, n, p);
      EXPECT_NEAR(dmitruk_speed_up(m, n, p) / from_times, 1, 0.03) << n << " on " << p;
    }
}

TEST(Dmitruk, projects_figure_5) {
  const auto best = [](std::int64_t n) {
    std::int64_t most = 1;
    for (std::int64_t p = 1; p <= 1024; ++p)
      if (dmitruk_speed_up(dmitruk_celerons, n, p) > dmitruk_speed_up(dmitruk_celerons, n, most))
        most = p;
    return most;
  };
  // "64^3 degrades beyond about 30 processors, 128^3 is good up to 100, 256^3 nearly linear."
  EXPECT_NEAR(static_cast<double>(best(64)), 30, 15);
  EXPECT_NEAR(static_cast<double>(best(128)), 100, 30);
  EXPECT_GT(best(256), 256);
}

TEST(Dmitruk, tends_to_its_limit_and_blocking_slows_sending_alone) {
  const DmitrukMachine& m = dmitruk_celerons;
  EXPECT_NEAR(dmitruk_limit(m, 1024, 64) / dmitruk_total(m, 1024, 64), 1, 0.02);
  DmitrukMachine blocked = m;
  blocked.blocking = 2;
  EXPECT_EQ(dmitruk_computing(blocked, 128, 8), dmitruk_computing(m, 128, 8));
  const double start = 2 * 7 * m.t_s;
  EXPECT_NEAR(dmitruk_sending(blocked, 128, 8) - start, 2 * (dmitruk_sending(m, 128, 8) - start),
              1e-12);
}

/// Returns an example of section 4.4. The large example is 2048 x 2048 x 512 on 4096 ranks. The
/// other example is 512 x 512 x 128 on 512 ranks.
ChanProblem chan_example(bool large) {
  if (large) return {{2048, 2048, 512}, 64, 64, 4};
  return {{512, 512, 128}, 16, 32, 4};
}
constexpr ChanLimits small_limits{0.002, 0.007, 3};
constexpr ChanLimits large_limits{0.002, 0.035, 7};

TEST(Chan, gives_the_examples_of_equation_9) {
  EXPECT_NEAR(chan_best_row(chan_example(false), small_limits), 1.71, 0.005);  // printed: 1.73
  EXPECT_NEAR(chan_best_us(chan_example(false), small_limits), 3630, 5);       // printed: 3.5 ms
  EXPECT_NEAR(chan_best_row(chan_example(true), large_limits), 2.61, 0.005);   // printed: 5.3
  EXPECT_NEAR(chan_best_us(chan_example(true), large_limits), 95300, 100);     // printed: 93 ms
}

TEST(Chan, equation_9_is_the_least_of_equation_8) {
  ChanProblem problem = chan_example(true);
  const double best = chan_best_us(problem, large_limits);
  for (const std::int64_t p_row : {1, 2, 4, 8, 16}) {
    problem.p_row = p_row;
    problem.p_col = 4096 / p_row;
    EXPECT_GE(chan_small_rows_us(problem, large_limits), best) << p_row;
  }
  // With 2 rows, an integer next to 2.61, the time is close to the best.
  problem.p_row = 2;
  problem.p_col = 2048;
  EXPECT_LT(chan_small_rows_us(problem, large_limits), 1.05 * best);
}

TEST(Chan, equation_7_is_equation_4_with_linear_times) {
  const ChanFit fit{[](std::int64_t ranks) { return 0.001 * static_cast<double>(ranks); },
                    [](std::int64_t ranks) { return 5.0 + static_cast<double>(ranks % 7); }};
  for (const std::int64_t p_row : {2, 8, 16, 64}) {
    const ChanProblem problem{{256, 512, 128}, p_row, 1024 / p_row, 8};
    const double n_over_p = problem.points() / problem.ranks();
    const auto rows = static_cast<double>(p_row);
    const double cols = 1024 / rows;
    const double expected = 8 * (fit.slope(p_row) + fit.slope(1024 / p_row)) * n_over_p +
                            fit.intercept(p_row) * 128 * rows * rows / 1024 +
                            fit.intercept(1024 / p_row) * cols;
    EXPECT_NEAR(chan_fitted_us(problem, fit) / expected, 1, 1e-12) << p_row;
  }
}

TEST(Chan, both_transposes_send_the_whole_array) {
  const ChanProblem problem{{512, 512, 128}, 16, 32, 4};
  const double share = problem.points() / problem.ranks();
  EXPECT_DOUBLE_EQ(chan_row_points(problem) * 16 * 128 / 32, share);
  EXPECT_DOUBLE_EQ(chan_col_points(problem) * 32, share);
}

struct Cell {
  std::int64_t p_row, p_col;
  std::array<std::int64_t, 3> mesh;
  bool filled;  ///< the table has a time there
};

// The cells of Tables 1, 4, 6 and 7. Equation 5 must say which of the cells are empty.
TEST(Chan, equation_5_explains_the_empty_cells) {
  const std::array<std::int64_t, 3> flat{2048, 2048, 512};
  const std::array<std::int64_t, 3> rotated{512, 2048, 2048};
  const Cell cells[] = {
      {8, 64, {256, 256, 64}, true},  {16, 32, {256, 256, 64}, true},
      {32, 16, {256, 256, 64}, true}, {64, 8, {256, 256, 64}, true},
      {8, 64, {64, 256, 256}, true},  {16, 32, {64, 256, 256}, true},
      {32, 16, {64, 256, 256}, true}, {64, 8, {64, 256, 256}, false},
      {8, 64, {512, 512, 128}, true}, {64, 8, {512, 512, 128}, true},
      {8, 64, {128, 512, 512}, true}, {64, 8, {128, 512, 512}, true},
      {8, 512, flat, true},           {32, 128, flat, true},
      {64, 64, flat, true},           {128, 32, flat, true},
      {512, 8, flat, true},           {8, 512, rotated, true},
      {32, 128, rotated, true},       {64, 64, rotated, true},
      {128, 32, rotated, true},       {512, 8, rotated, false},
      {16, 512, flat, true},          {64, 128, flat, true},
      {128, 64, flat, true},          {512, 16, flat, true},
      {16, 512, rotated, true},       {64, 128, rotated, true},
      {128, 64, rotated, true},       {512, 16, rotated, false},
      {16, 1024, flat, false},        {32, 512, flat, true},
      {128, 128, flat, true},         {512, 32, flat, true},
      {1024, 16, flat, true},         {16, 1024, rotated, true},
      {32, 512, rotated, true},       {128, 128, rotated, true},
      {512, 32, rotated, false},      {1024, 16, rotated, false},
  };
  for (const Cell& cell : cells)
    EXPECT_EQ(chan_is_valid({cell.mesh, cell.p_row, cell.p_col, 4}), cell.filled)
        << cell.p_row << " x " << cell.p_col << " of " << cell.mesh[0];
}

}  // namespace
}  // namespace weft::model
