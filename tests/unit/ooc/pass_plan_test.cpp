#include "ooc/plan/pass_plan.hpp"
#include "ooc/plan/k_pass_planner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <set>

#include "kernel/row_twiddles.hpp"
#include "ooc/plan/radices.hpp"
#include "support/random_layouts.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::ooc {
namespace {

using test_support::draw;
using test_support::expect_error;
using test_support::Random;

std::int64_t power(int lg) { return std::int64_t{1} << lg; }

/// Returns a problem of one axis of 2^n points of 16 bytes. Its panels have from 2^m to 2^(m+1)
/// elements, if the tables are smaller than that.
KPassProblem line_of(int n, int m, int b) {
  KPassProblem problem{.shape = {power(n)}, .axes = {0}};
  problem.block_bytes = power(b) * 16;
  problem.memory_bytes = (problem.buffers * power(m) * 16 +
                          kernel::RowTwiddles::table_bytes(power(n)) + power(m - b) * 60 + 2000) /
                         7 * 8;
  return problem;
}

TEST(Passes, powers_of_two_take_as_many_as_the_formula_says) {
  int plans = 0;
  for (int n = 12; n <= 44; ++n)
    for (int b = 2; b <= 16; b += 2)
      for (int m = std::max(b + 2, 10); m < n - 1; ++m) {
        if (kernel::RowTwiddles::table_bytes(power(n)) > power(m + 6)) continue;
        const KPassPlan plan = plan_passes(line_of(n, m, b));
        const int columns = m - b;
        ASSERT_EQ(std::ssize(plan.passes), (n + columns - 1) / columns)
            << "n = " << n << ", m = " << m << ", b = " << b;
        if (power(n - b) > 1 << 16) continue;
        const PassCounts counts = counts_of(plan);
        ASSERT_GE(counts.shortest_run_bytes, power(b) * 16) << n << " " << m << " " << b;
        ASSERT_EQ(counts.read_bytes + counts.written_bytes,
                  2 * std::ssize(plan.passes) * power(n + 4));
        ++plans;
      }
  EXPECT_GT(plans, 300);
}

/// The numbers are lg N, lg M, lg B and the passes, for arrays from 1 TiB to 1 PiB and for the
/// computers of paper 003. The method by superlevels needs eight passes in each case.
TEST(Passes, of_large_transforms_are_two_or_three) {
  const std::vector<std::array<int, 4>> cases = {{36, 30, 12, 2}, {40, 30, 12, 3}, {42, 33, 12, 2},
                                                 {36, 30, 18, 3}, {46, 33, 14, 3}, {24, 23, 12, 3},
                                                 {25, 21, 12, 3}};
  for (const auto& [n, m, b, passes] : cases)
    EXPECT_EQ(std::ssize(plan_passes(line_of(n, m, b)).passes), passes)
        << n << " " << m << " " << b;
}

TEST(Passes, parallel_ios_are_two_k_n_by_bd) {
  const KPassPlan plan = plan_passes(line_of(20, 12, 4));
  ASSERT_EQ(plan.passes.size(), 3u);
  EXPECT_EQ(parallel_ios(plan, 4), 2 * 3 * power(20 - 4 - 2));
}

/// Returns the elements of all panels of a pass on one side, in the order of memory.
std::vector<std::int64_t> touched(const KPass& pass, bool source) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < panel_count(pass); ++i) {
    const Panel panel = panel_of(pass, i);
    const RunGrid grid = source ? source_runs(pass, panel) : target_runs(pass, panel);
    grid.for_each([&](std::int64_t first) {
      for (std::int64_t k = 0; k < grid.length; ++k) all.push_back(first + k);
    });
  }
  return all;
}

/// Expects that panels have every element once. Both sides of a panel have the same elements, apart
/// from the order of digits.
void expect_partition(const KPass& pass) {
  const std::vector<std::int64_t> source = touched(pass, true);
  const std::vector<std::int64_t> target = touched(pass, false);
  std::vector<bool> seen(static_cast<std::size_t>(pass.elements()));
  for (const std::int64_t at : source) {
    ASSERT_FALSE(seen.at(static_cast<std::size_t>(at)));
    seen[static_cast<std::size_t>(at)] = true;
  }
  ASSERT_EQ(std::ssize(source), pass.elements());
  // The place of digit r of [outer][radix][rest][inner], by definition.
  std::size_t at = 0;
  for (std::int64_t i = 0; i < panel_count(pass); ++i) {
    const Panel panel = panel_of(pass, i);
    std::vector<std::int64_t> from(
        source.begin() + static_cast<std::ptrdiff_t>(at),
        source.begin() + static_cast<std::ptrdiff_t>(at) + elements(pass, panel));
    std::vector<std::int64_t> to;
    for (const std::int64_t x : from) {
      const std::int64_t inner = x % pass.inner;
      const std::int64_t rest = x / pass.inner % pass.rest;
      const std::int64_t radix = x / pass.inner / pass.rest % pass.radix;
      const std::int64_t outer = x / pass.inner / pass.rest / pass.radix;
      to.push_back(((outer * pass.rest + rest) * pass.radix + radix) * pass.inner + inner);
    }
    std::sort(to.begin(), to.end());
    std::vector<std::int64_t> written(
        target.begin() + static_cast<std::ptrdiff_t>(at),
        target.begin() + static_cast<std::ptrdiff_t>(at) + elements(pass, panel));
    std::sort(written.begin(), written.end());
    ASSERT_EQ(written, to);
    at += static_cast<std::size_t>(elements(pass, panel));
  }
}

KPassProblem random_problem(Random& random) {
  KPassProblem problem;
  problem.shape.resize(static_cast<std::size_t>(draw(random, 1, 4)));
  for (auto& n : problem.shape) n = draw(random, 1, problem.shape.size() == 1 ? 20000 : 40);
  for (int axis = 0; axis < std::ssize(problem.shape); ++axis)
    if (draw(random, 0, 3) > 0) problem.axes.push_back(axis);
  problem.precision = draw(random, 0, 1) ? Precision::f32 : Precision::f64;
  problem.block_bytes = complex_bytes(problem.precision) * draw(random, 1, 40);
  problem.buffers = static_cast<int>(draw(random, 2, 5));
  problem.threads = static_cast<int>(draw(random, 1, 3));
  problem.memory_bytes = power(static_cast<int>(draw(random, 12, 19)));
  problem.preserve_inputs = draw(random, 0, 1) == 1;
  return problem;
}

/// Returns the plan. If it is refused, returns the plan with the memory that the message names.
KPassPlan plan_with_enough(KPassProblem problem) {
  try {
    return plan_passes(problem);
  } catch (const Error& error) {
    const std::string text = error.what();
    const std::size_t end = text.find(" bytes are enough");
    if (end == std::string::npos) throw;
    problem.memory_bytes = std::stoll(text.substr(text.rfind(' ', end - 1) + 1));
    return plan_passes(problem);
  }
}

TEST(Passes, every_element_is_read_and_written_once_within_memory) {
  const std::uint64_t seed = test_support::chosen_seed(31);
  Random random(seed);
  for (int i = 0; i < 150; ++i) {
    SCOPED_TRACE("problem " + std::to_string(i) + ", seed " + std::to_string(seed));
    const KPassPlan plan = plan_with_enough(random_problem(random));
    ASSERT_FALSE(plan.passes.empty());
    EXPECT_LE(memory_bytes(plan), plan.problem.memory_bytes);
    if (plan.convolution_points > 0) continue;  // bluestein_test.cpp tests these
    for (const KPass& pass : plan.passes) {
      ASSERT_EQ(pass.elements(), volume(plan.problem.shape));
      ASSERT_NO_FATAL_FAILURE(expect_partition(pass));
      const PassCounts counts = counts_of(plan, pass);
      ASSERT_EQ(counts.read_bytes, plan.input_bytes());
      ASSERT_EQ(counts.written_bytes, plan.input_bytes());
      for (std::int64_t k = 0; k < panel_count(pass); ++k)
        ASSERT_LE(elements(pass, panel_of(pass, k)), pass.panel_elements);
    }
  }
}

/// Counts the panels of a pass one by one. Returns the bytes that are read and written, and the
/// runs of both.
std::array<std::int64_t, 4> counted_by_panel(const KPassPlan& plan, const KPass& pass) {
  std::array<std::int64_t, 4> counts{};
  for (std::int64_t i = 0; i < panel_count(pass); ++i) {
    const std::vector<Panel> parts = panel_parts(pass, i);
    for (const RunGrid& grid : reads_of(pass, parts)) {
      counts[0] += grid.runs() * grid.length * plan.source_element_bytes(pass);
      counts[2] += grid.runs();
    }
    for (const RunGrid& grid : writes_of(pass, parts)) {
      counts[1] += grid.runs() * grid.length * plan.target_element_bytes(pass);
      counts[3] += grid.runs();
    }
  }
  return counts;
}

TEST(Passes, counts_are_those_of_all_panels) {
  const std::uint64_t seed = test_support::chosen_seed(35);
  Random random(seed);
  std::int64_t most_panels = 0;
  int convolutions = 0;
  for (int i = 0; i < 400; ++i) {
    KPassProblem problem = random_problem(random);
    if (problem.axes.empty()) problem.axes = {0};
    const auto kind = draw(random, 0, 3);
    problem.real_input = kind == 1;
    problem.real_output = kind == 2;
    if (kind == 3) {
      problem.shape = {draw(random, 1, 5), 4999};
      problem.axes = {1};
    }
    SCOPED_TRACE("problem " + std::to_string(i) + ", seed " + std::to_string(seed));
    const KPassPlan plan = plan_with_enough(problem);
    convolutions += plan.convolution_points > 0 ? 1 : 0;
    for (const KPass& pass : plan.passes) {
      const PassCounts counts = counts_of(plan, pass);
      const auto [read, written, read_runs, written_runs] = counted_by_panel(plan, pass);
      ASSERT_EQ(counts.read_bytes, read);
      ASSERT_EQ(counts.written_bytes, written);
      ASSERT_EQ(counts.read_runs, read_runs);
      ASSERT_EQ(counts.written_runs, written_runs);
      most_panels = std::max(most_panels, counts.panels);
    }
  }
  EXPECT_GT(most_panels, 100);
  EXPECT_GT(convolutions, 20);
}

/// The array has 10^12 numbers in panels of about 20,000. Panels must be counted without a visit to
/// each of them.
TEST(Passes, very_many_panels_are_counted) {
  KPassProblem problem{.shape = {10000, 10000, 10000}, .axes = {0, 1, 2}};
  problem.block_bytes = 4096;
  problem.memory_bytes = 1 << 20;
  const KPassPlan plan = plan_with_enough(problem);
  for (const KPass& pass : plan.passes) {
    const PassCounts counts = counts_of(plan, pass);
    EXPECT_GT(counts.panels, 1 << 24);
    EXPECT_EQ(counts.read_bytes, plan.input_bytes());
    EXPECT_EQ(counts.written_bytes, plan.input_bytes());
  }
}

TEST(Passes, reals_are_unpacked_in_the_last_pass) {
  const std::uint64_t seed = test_support::chosen_seed(33);
  Random random(seed);
  int mirrors = 0;
  for (int i = 0; i < 100; ++i) {
    KPassProblem problem = random_problem(random);
    problem.shape = {2 * draw(random, 1, 20000)};
    problem.axes = {0};
    problem.real_input = true;
    SCOPED_TRACE(std::to_string(problem.shape[0]) + " reals, seed " + std::to_string(seed));
    const KPassPlan plan = plan_with_enough(problem);
    EXPECT_LE(memory_bytes(plan), plan.problem.memory_bytes);
    EXPECT_EQ(plan.input_bytes(), problem.shape[0] * plan.element_bytes / 2);
    EXPECT_EQ(plan.output_bytes(), plan.input_bytes() + plan.element_bytes);
    if (plan.convolution_points > 0) continue;
    const KPass& last = plan.passes.back();
    ASSERT_TRUE(last.unpacks_reals);
    std::vector<int> seen(static_cast<std::size_t>(last.elements()));
    for (std::int64_t k = 0; k < panel_count(last); ++k) {
      const std::vector<Panel> parts = panel_parts(last, k);
      mirrors += parts.size() > 1 ? 1 : 0;
      EXPECT_LE(elements(last, parts), last.panel_elements);
      std::set<std::int64_t> together;
      for (const Panel& part : parts)
        source_runs(last, part).for_each([&](std::int64_t first) {
          for (std::int64_t j = 0; j < source_runs(last, part).length; ++j) {
            ++seen[static_cast<std::size_t>(first + j)];
            together.insert(first + j);
          }
        });
      for (const std::int64_t at : together)
        ASSERT_TRUE(together.contains((last.elements() - at) % last.elements())) << at;
    }
    ASSERT_EQ(std::count(seen.begin(), seen.end(), 1), last.elements());
    ASSERT_EQ(counts_of(plan, last).written_bytes, plan.output_bytes());
  }
  EXPECT_GT(mirrors, 100);
}

TEST(Passes, planes_that_fit_are_one_pass) {
  KPassProblem problem{.shape = {64, 64, 64}, .axes = {0, 1, 2}};
  problem.block_bytes = 16 * 16;
  problem.memory_bytes = 4 * 64 * 64 * 16 * 3 / 2;
  const KPassPlan plan = plan_passes(problem);
  ASSERT_EQ(plan.passes.size(), 2u);
  EXPECT_EQ(plan.passes[0].radix, 64 * 64);
  EXPECT_EQ(plan.passes[1].radix, 64);
  EXPECT_GE(plan.passes[1].inner_width, 16);
  EXPECT_EQ(plan.scratch_bytes, 0);
  problem.axes = {0, 2};  // with a batch in the middle there are still planes
  EXPECT_EQ(plan_passes(problem).passes.size(), 2u);
  problem.axes = {2};
  EXPECT_EQ(plan_passes(problem).passes.size(), 1u);
}

/// Ranks take panels in turn. With different widths, one rank could get all wide panels.
TEST(Passes, panels_of_columns_are_alike) {
  // Memory has room for panels of three blocks. The inner axis has four blocks, so two panels have
  // two blocks each.
  const KPassPlan plan = plan_passes(
      {.shape = {1 << 24}, .axes = {0}, .memory_bytes = 16 << 20, .block_bytes = 16 << 10});
  ASSERT_EQ(plan.passes.size(), 4u);
  EXPECT_EQ(plan.passes[2].inner, 4096);
  EXPECT_GE(plan.passes[2].panel_elements, 64 * 3072);
  EXPECT_EQ(plan.passes[2].inner_width, 2048);
  // 100 rows of 1000 points, in panels of up to 48 rows, are three panels: of 34, 34 and 32 rows.
  const KPassPlan rows = plan_passes(
      {.shape = {100, 1000}, .axes = {1}, .memory_bytes = 4 * 50 * 1000 * 16, .block_bytes = 4096});
  ASSERT_EQ(rows.passes.size(), 1u);
  EXPECT_EQ(panel_count(rows.passes[0]), 3);
  EXPECT_EQ(rows.passes[0].outer_width, 34);
}

TEST(Passes, scratch_is_taken_only_where_digits_move) {
  const KPassPlan two = plan_passes(line_of(16, 12, 4));
  ASSERT_EQ(two.passes.size(), 2u);
  EXPECT_EQ(two.scratch_bytes, 0);
  const KPassPlan three = plan_passes(line_of(22, 12, 4));
  ASSERT_EQ(three.passes.size(), 3u);
  EXPECT_EQ(three.scratch_bytes, power(26));
  EXPECT_EQ(three.passes[0].target, model::VolumeRole::scratch);
  EXPECT_EQ(three.passes[1].target, model::VolumeRole::output);
  KPassProblem problem = line_of(16, 12, 4);
  problem.preserve_inputs = true;
  const KPassPlan kept = plan_passes(problem);
  EXPECT_EQ(kept.scratch_bytes, power(20));
  for (const KPass& pass : kept.passes) EXPECT_NE(pass.source, pass.target);
}

TEST(Passes, in_place_takes_scratch_for_moved_digits_or_a_journal) {
  KPassProblem problem{.shape = {64, 64, 64}, .axes = {0, 1, 2}};
  problem.block_bytes = 16 * 16;
  problem.memory_bytes = 4 * 64 * 64 * 16 * 3 / 2;
  problem.in_place = true;
  EXPECT_EQ(plan_passes(problem).scratch_bytes, 0);
  problem.preserve_inputs = true;
  const KPassPlan planes = plan_passes(problem);
  EXPECT_EQ(planes.scratch_bytes, 2 * planes.journal_slot_bytes);
  EXPECT_GE(planes.journal_slot_bytes, 64 * 64 * 16);
  EXPECT_EQ(counts_of(planes).journal_bytes, 2 * planes.output_bytes());
  EXPECT_EQ(counts_of(planes).written_bytes, 4 * planes.output_bytes());
  for (const KPass& pass : planes.passes) {
    EXPECT_TRUE(pass.journaled);
    EXPECT_EQ(pass.source, model::VolumeRole::output);
    EXPECT_EQ(pass.target, model::VolumeRole::output);
  }
  for (const int lg_n : {16, 22, 26}) {  // in 2, 3 and 4 passes
    problem = line_of(lg_n, 12, 4);
    problem.in_place = true;
    EXPECT_EQ(plan_passes(problem).scratch_bytes, 16 * power(lg_n)) << lg_n;
  }
}

TEST(Passes, in_place_nothing_is_written_over_before_it_is_read) {
  const std::uint64_t seed = test_support::chosen_seed(346);
  SCOPED_TRACE(test_support::repeated_by(seed));
  Random random(seed);
  for (int trial = 0; trial < 300; ++trial) {
    KPassProblem problem = random_problem(random);
    problem.in_place = true;
    problem.preserve_inputs = trial % 2 == 0;
    const KPassPlan plan = plan_with_enough(problem);
    EXPECT_EQ(plan.passes[plan.kernel_passes].source, model::VolumeRole::output);
    for (std::size_t i = 0; i < plan.passes.size(); ++i) {
      const KPass& pass = plan.passes[i];
      const bool stays = pass.source == pass.target && pass.source_first == pass.target_first;
      EXPECT_TRUE(pass.keeps_order() || !stays) << weft::to_string(problem.shape) << ", pass " << i;
      EXPECT_EQ(pass.journaled, stays && problem.preserve_inputs);
      const std::int64_t slot_bytes = pass.journaled ? memory_of(plan, pass).panel_bytes : 0;
      EXPECT_GE(plan.journal_slot_bytes, slot_bytes);
    }
  }
}

TEST(Passes, the_transposed_order_needs_one_pass_less) {
  KPassProblem problem = line_of(20, 13, 4);
  EXPECT_EQ(plan_passes(problem).passes.size(), 3u);
  problem.order = OutputOrder::transposed;
  const KPassPlan plan = plan_passes(problem);
  ASSERT_EQ(plan.passes.size(), 2u);
  EXPECT_EQ(plan.transposed_rows * plan.passes[1].radix, power(20));
  EXPECT_EQ(plan.scratch_bytes, 0);
  problem = line_of(24, 13, 4);
  problem.order = OutputOrder::transposed;
  expect_error(ErrorCode::invalid_argument, {"N <= M^2/B", "natural"},
               [&] { plan_passes(problem); });
}

TEST(Passes, rows_of_the_transposed_order_are_no_longer_than_wide_runs_need) {
  KPassProblem problem = line_of(28, 26, 12);
  problem.order = OutputOrder::transposed;
  const KPassPlan plan = plan_passes(problem);
  ASSERT_EQ(plan.passes.size(), 2u);
  EXPECT_EQ(plan.passes[0].radix, power(10));
  EXPECT_GE(plan.passes[0].inner_width * plan.element_bytes, power(20));
}

TEST(Passes, the_largest_factor_is_as_small_as_can_be) {
  EXPECT_EQ(balanced_factors(power(20), 3), (std::vector<std::int64_t>{128, 128, 64}));
  EXPECT_EQ(balanced_factors(30030, 2), (std::vector<std::int64_t>{182, 165}));
  EXPECT_EQ(balanced_factors(97, 2), (std::vector<std::int64_t>{97, 1}));
  const std::uint64_t seed = test_support::chosen_seed(32);
  Random random(seed);
  for (int i = 0; i < 50; ++i) {
    const std::int64_t n = draw(random, 1, 3000);
    std::int64_t least = n;  // the largest of three factors, minimized by trying all
    for (std::int64_t a = 1; a <= n; ++a)
      for (std::int64_t b = 1; n % a == 0 && b <= n / a; ++b)
        if (n / a % b == 0) least = std::min(least, std::max({a, b, n / a / b}));
    const auto factors = balanced_factors(n, 3);
    EXPECT_EQ(factors.front(), least) << n << ", seed " << seed;
    EXPECT_EQ(std::accumulate(factors.begin(), factors.end(), std::int64_t{1}, std::multiplies<>()),
              n);
  }
}

TEST(Passes, refusals_name_a_remedy) {
  KPassProblem problem = line_of(20, 12, 4);
  problem.memory_bytes = 1 << 12;
  problem.block_bytes = 1 << 10;
  expect_error(ErrorCode::invalid_argument, {"4096 bytes of memory", "are enough"},
               [&] { plan_passes(problem); });
  EXPECT_NO_THROW(plan_with_enough(problem));
  problem = line_of(20, 12, 4);
  problem.shape = {2, 10007 * 16};
  problem.axes = {1};
  expect_error(ErrorCode::invalid_argument, {"10007", "Bluestein", "are enough"},
               [&] { plan_passes(problem); });
  EXPECT_NO_THROW(plan_with_enough(problem));
  const auto refused = [](const std::vector<std::string>& words, auto&& change) {
    KPassProblem wrong = line_of(20, 12, 4);
    change(wrong);
    expect_error(ErrorCode::invalid_argument, words, [&] { plan_passes(wrong); });
  };
  refused({"in place", "another target"}, [](auto& p) { p.in_place = p.real_input = true; });
  refused({"f80"}, [](auto& p) { p.precision = Precision::f80; });
  refused({"extents"}, [](auto& p) { p.shape = {4, 0}; });
  refused({"64 bits"}, [](auto& p) { p.shape = {power(40), power(40)}; });
  refused({"axes", "1"}, [](auto& p) { p.axes = {1}; });
  refused({"axes", "0"}, [](auto& p) { p.axes = {0, 0}; });
  refused({"whole elements", "24"}, [](auto& p) { p.block_bytes = 24; });
  refused({"buffers", "1"}, [](auto& p) { p.buffers = 1; });
  refused({"natural order", "transposed"}, [](auto& p) {
    p.real_input = true;
    p.order = OutputOrder::transposed;
  });
  refused({"at least one axis", "0 axes"}, [](auto& p) {
    p.real_output = true;
    p.axes = {};
  });
  refused({"one side", "both"}, [](auto& p) { p.real_input = p.real_output = true; });
  refused({"transposed", "one axis"}, [](auto& p) {
    p.shape = {8, 8};
    p.order = OutputOrder::transposed;
  });
}

}  // namespace
}  // namespace weft::ooc
