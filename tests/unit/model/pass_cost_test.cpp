// Passes over memory: in place or not, along rows or across, in planes that fit in a cache.
#include <gtest/gtest.h>

#include "model/cost.hpp"

namespace weft::model {
namespace {

constexpr double along_s = 1e-10;        // for a byte read and written along rows
constexpr double across_s = 4e-10;       // for a byte if rows become columns
constexpr double in_cache_s = 0.25e-10;  // the same within 64 KiB
constexpr double share = 2.0 / 3;        // a pass in place takes this part of the time of a copy

/// Returns a machine with this second-level cache and no third-level cache.
Machine machine_with(std::int64_t l2_bytes) {
  Machine machine = shipped_machine("vm-2-cores");
  machine.memory_bytes_per_s.clear();
  machine.l2_bytes = l2_bytes;
  machine.l3_bytes = 0;
  machine.copying = {{64 << 10, along_s, in_cache_s, Precision::f64, in_cache_s, 0},
                     {128 << 10, along_s, across_s, Precision::f64, across_s, 0}};
  return machine;
}

double stage_s(const Problem& problem, const Machine& machine, std::size_t step = 0) {
  return cost(make_plan(problem), machine).steps[step].memory_s;
}

Problem problem_of(const Shape& shape, const std::vector<int>& axes) {
  return {.shape = shape, .axes = axes};
}

TEST(PassCost, the_second_pass_of_a_stage_is_in_place) {
  const double bytes = 64 * 64 * 64 * 16;
  Machine machine = machine_with(1);
  const double found = stage_s(problem_of({64, 64, 64}, {0, 1}), machine);
  EXPECT_NEAR(found, bytes * across_s * (1 + share), 1e-9);
  const double three = stage_s(problem_of({64, 64, 64}, {0, 1, 2}), machine);
  EXPECT_NEAR(three, bytes * (along_s + 2 * share * across_s), 1e-9);
}

TEST(PassCost, one_measured_price_holds_for_all_passes) {
  Machine machine = machine_with(1 << 20);
  machine.copying = {{0, along_s, across_s, Precision::f64, across_s, 0}};
  const double bytes = 64 * 64 * 64 * 16;
  machine.l2_bytes = 1;
  EXPECT_NEAR(stage_s(problem_of({64, 64, 64}, {0, 1}), machine), bytes * across_s * 2, 1e-9);
  machine.l2_bytes = 1 << 20;
  EXPECT_NEAR(stage_s(problem_of({64, 64, 64}, {1}), machine), bytes * across_s, 1e-9);
}

TEST(PassCost, a_stage_that_packs_messages_writes_to_another_array_in_its_last_pass) {
  Problem problem = problem_of({64, 64, 64}, {0, 1, 2});
  problem.ranks = problem.ranks_per_node = 2;
  problem.has_input = true;
  problem.input = Layout::slab({64, 64, 64}, 2, 1);
  const double bytes = 64 * 32 * 64 * 16;
  problem.exchange.method = Method::messages;
  EXPECT_NEAR(stage_s(problem, machine_with(1)), bytes * (along_s + across_s), 1e-9);
  problem.exchange.method = Method::shared;
  EXPECT_NEAR(stage_s(problem, machine_with(1)), bytes * (along_s + share * across_s), 1e-9);
}

TEST(PassCost, planes_within_half_a_cache_are_read_along_rows) {
  const double bytes = 64 * 64 * 64 * 16;
  const std::int64_t plane = std::int64_t{64} * 64 * 16;
  const Problem problem = problem_of({64, 64, 64}, {1});
  EXPECT_NEAR(stage_s(problem, machine_with(2 * plane)), bytes * (along_s + in_cache_s), 1e-9);
  EXPECT_NEAR(stage_s(problem, machine_with(2 * plane - 1)), bytes * across_s, 1e-9);
  // For axis 0 the plane is the whole array.
  EXPECT_NEAR(stage_s(problem_of({64, 64, 64}, {0}), machine_with(2 * plane)), bytes * across_s,
              1e-9);
}

TEST(PassCost, rows_with_gaps_in_arrays_of_others_are_read_across) {
  Problem problem = problem_of({64, 64, 64}, {0, 1, 2});
  problem.ranks = problem.ranks_per_node = 4;
  problem.has_input = true;
  problem.input = Layout::slab({64, 64, 64}, 4, 1);
  problem.output_choice = OutputChoice::given;
  problem.output = Layout::slab({64, 64, 64}, 4, 2);
  problem.exchange.method = Method::shared;
  Machine machine = machine_with(1 << 20);
  machine.cores_per_node = 4;
  const Plan plan = make_plan(problem);
  ASSERT_EQ(plan.stages.size(), 2U);
  ASSERT_EQ(plan.stages[1].axes, std::vector<int>{1});
  const double bytes = 64 * 64 * 16 * 16;
  EXPECT_NEAR(cost(plan, machine).steps[2].memory_s, bytes * across_s, 1e-9) << "rows of 256 bytes";
  problem.exchange.method = Method::messages;  // packed rows are adjacent
  EXPECT_NEAR(stage_s(problem, machine, 2), bytes * (along_s + in_cache_s), 1e-6);
}

TEST(PassCost, fused_axes_beyond_half_a_cache_take_as_long_as_a_pass_in_place) {
  const double bytes = 64 * 64 * 64 * 16;
  const std::int64_t plane = std::int64_t{64} * 64 * 16;
  const Problem problem = problem_of({64, 64, 64}, {1, 2});
  EXPECT_NEAR(stage_s(problem, machine_with(2 * plane)), bytes * (along_s + in_cache_s), 1e-9);
  EXPECT_NEAR(stage_s(problem, machine_with(2 * plane - 1)), bytes * (along_s + share * across_s),
              1e-9);
}

}  // namespace
}  // namespace weft::model
