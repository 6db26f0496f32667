// JSON of plans of passes. Plans of every kind are read back equal. All other text is refused, with
// the place and the rule.
#include "ooc/plan/pass_plan_json.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "ooc/plan/distribute_plan.hpp"
#include "ooc/plan/k_pass_planner.hpp"
#include "support/random_layouts.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::ooc {
namespace {

using namespace test_support;
using Json = nlohmann::ordered_json;

void expect_read_back(const KPassPlan& plan, std::uint64_t seed) {
  const std::string text = to_json(plan);
  try {
    ASSERT_EQ(plan_from_json(text), plan) << "seed " << seed << ": " << text;
    ASSERT_EQ(to_json(plan_from_json(text)), text) << "seed " << seed;
  } catch (const Error& error) {
    FAIL() << "seed " << seed << ": " << error.what() << ": " << text;
  }
}

/// Gives some problems cosines and sines, of reals or of complex numbers.
void set_random_cosines(Random& random, KPassProblem& problem) {
  if (draw(random, 0, 1) == 0) return;
  const bool is_real = draw(random, 0, 1) == 1;
  const std::vector<Kind> kinds = {Kind::dct1, Kind::dct2, Kind::dst3, Kind::dst4, Kind::c2c};
  for (std::size_t i = 0; i < problem.axes.size(); ++i)
    problem.kinds.push_back(kinds[static_cast<std::size_t>(draw(random, 0, is_real ? 3 : 4))]);
  problem.real_input = problem.real_output = is_real && !problem.axes.empty();
}

KPassProblem random_plan_problem(Random& random) {
  KPassProblem problem;
  problem.shape.resize(static_cast<std::size_t>(draw(random, 1, 4)));
  for (auto& n : problem.shape) n = draw(random, 1, problem.shape.size() == 1 ? 40000 : 40);
  for (int axis = 0; axis < std::ssize(problem.shape); ++axis)
    if (draw(random, 0, 3) > 0) problem.axes.push_back(axis);
  problem.precision = draw(random, 0, 1) ? Precision::f32 : Precision::f64;
  problem.block_bytes = complex_bytes(problem.precision) * draw(random, 1, 40);
  problem.threads = static_cast<int>(draw(random, 1, 3));
  problem.memory_bytes = std::int64_t{1} << draw(random, 13, 19);
  problem.preserve_inputs = draw(random, 0, 1) == 1;
  for (auto groups = draw(random, 0, 2); groups > 0; --groups) problem.groups.push_back(1);
  const auto kind = draw(random, 0, 4);
  problem.real_input = kind == 1;
  problem.real_output = kind == 2;
  problem.in_place = kind == 3;
  if (kind == 4 && problem.shape.size() == 1) problem.order = OutputOrder::transposed;
  if (kind == 0 || kind == 3) set_random_cosines(random, problem);
  const std::vector<std::string> types = {">i2", "<f2", "|u1", ">f4", "<i4"};
  if (!problem.in_place && !problem.real_output && draw(random, 0, 2) == 0)
    problem.input_type = element_type(types[static_cast<std::size_t>(draw(random, 0, 4))]);
  return problem;
}

/// Counts of the kinds of plans that a test has seen.
struct Seen {
  int plans = 0, reals = 0, cosines = 0, chirps = 0, in_place = 0, on_ranks = 0, converted = 0,
      transposed = 0;

  void add(const KPassPlan& plan) {
    ++plans;
    reals += plan.problem.halves() ? 1 : 0;
    cosines += plan.problem.keeps_reals() ? 1 : 0;
    chirps += plan.convolution_points > 0 ? 1 : 0;
    in_place += plan.problem.in_place ? 1 : 0;
    on_ranks += plan.ranks > 1 ? 1 : 0;
    converted += plan.problem.input_type ? 1 : 0;
    transposed += plan.transposed_rows > 1 ? 1 : 0;
  }
};

TEST(PassPlanJson, IsReadBackEqual) {
  Seen seen;
  const std::uint64_t first = chosen_seed(0);
  for (std::uint64_t seed = first; seed < first + 4000; ++seed) {
    Random random(seed);
    KPassPlan plan;
    try {
      plan = plan_passes(random_plan_problem(random));
    } catch (const Error&) {
      continue;  // an impossible problem
    }
    expect_read_back(plan, seed);
    seen.add(plan);
    const auto ranks = static_cast<int>(draw(random, 2, 7));
    plan = distribute_plan(plan, ranks, owned_by_parts(128, plan.input_bytes(), ranks));
    expect_read_back(plan, seed);
    seen.add(plan);
    if (testing::Test::HasFailure()) return;
  }
  for (const int count : {seen.plans, seen.reals, seen.cosines, seen.chirps, seen.in_place,
                          seen.on_ranks, seen.converted, seen.transposed})
    EXPECT_GE(count, 50);
}

KPassPlan line_of_prime() {
  return plan_passes({.shape = {10007}, .axes = {0}, .memory_bytes = 64 << 10, .block_bytes = 512});
}

KPassPlan cube() {
  return plan_passes({.shape = {96, 80, 50},
                      .axes = {0, 1, 2},
                      .real_input = true,
                      .memory_bytes = 1 << 20,
                      .block_bytes = 4096});
}

KPassPlan in_place() {
  const KPassPlan plan = plan_passes({.shape = {48, 30, 20},
                                      .axes = {0, 1, 2},
                                      .memory_bytes = 64 << 10,
                                      .block_bytes = 256,
                                      .preserve_inputs = true,
                                      .in_place = true});
  return distribute_plan(plan, 3, owned_by_parts(0, plan.input_bytes(), 3));
}

KPassPlan filter() {
  KPassProblem problem{.shape = {1 << 12}, .axes = {0}, .memory_bytes = 40000, .block_bytes = 128};
  problem.filter = SpectralFilter{.kind = FilterKind::gaussian, .numbers = {0.1}, .lengths = {2}};
  return plan_passes(problem);
}

/// The factor 1/3 as a long double has more digits than a double.
TEST(PassPlanJson, AFactorKeepsAllDigits) {
  KPassPlan plan = line_of_prime();
  ASSERT_NE(plan.passes.back().scale, 1);
  for (const long double scale : {plan.passes.back().scale, 1.0L / 3, 2.0L, 0x1p-60L}) {
    plan.passes.back().scale = scale;
    EXPECT_EQ(plan_from_json(to_json(plan)).passes.back().scale, scale);
  }
}

/// Calls `visit` for every value of a document. `visit` may change the value.
void for_each_place(Json& value, const std::function<void(Json&)>& visit) {
  visit(value);
  if (value.is_structured())
    for (auto& child : value) for_each_place(child, visit);
}

void expect_refused(const Json& document) {
  expect_error(invalid, {"plan"}, [&] { plan_from_json(document.dump()); });
}

TEST(PassPlanJson, OtherKeysAndTypesAreRefusedAtEveryPlace) {
  int damages = 0;
  for (const KPassPlan& plan : {line_of_prime(), cube(), in_place(), filter()}) {
    Json document = Json::parse(to_json(plan));
    for_each_place(document, [&](Json& value) {
      if (value.is_null()) return;  // the input has no type of its own
      const Json whole = value;
      const Json scalar = whole.is_string() ? Json(7) : Json("7");
      for (const Json& other : {scalar, Json::object({{"7", 7}}), Json(nullptr)}) {
        value = other;
        expect_refused(document);
        ++damages;
      }
      value = whole;
      if (!whole.is_object()) return;
      value["another"] = 1;
      expect_refused(document);
      for (const auto& item : whole.items()) {
        value = whole;
        value.erase(item.key());
        expect_refused(document);
        ++damages;
      }
      value = whole;
    });
  }
  EXPECT_GT(damages, 500);
}

TEST(PassPlanJson, DamagedTextIsRefused) {
  const std::string text = to_json(cube());
  for (std::size_t length = 0; length < text.size(); length += 37)
    expect_error(invalid, {"plan"}, [&] { plan_from_json(text.substr(0, length)); });
  expect_error(invalid, {"complete JSON"}, [&] { plan_from_json(text + "}"); });
  Json later = Json::parse(text);
  later["version"] = 99;
  expect_error(invalid, {"plan.version", "this weft reads version 2", "99"},
               [&] { plan_from_json(later.dump()); });
}

/// A value that contradicts the others, and words of its refusal.
struct Contradiction {
  std::string pointer;
  Json value;
  std::vector<std::string> words;
};

TEST(PassPlanJson, ContradictionsAreNamed) {
  const std::vector<Contradiction> cases = {
      {"/problem/shape", Json::array(), {"plan.problem", "at least one axis"}},
      {"/problem/axes", {3}, {"plan.problem", "axes"}},
      {"/problem/in_place", true, {"plan.problem", "in place"}},
      {"/problem/memory_bytes", 1 << 18, {"plan.passes[", "memory"}},
      {"/problem/order", "sideways", {"plan.problem.order", "natural, transposed"}},
      {"/problem/input_type", {{"kind", "real"}, {"bytes", 3}, {"is_swapped", false}}, {"type"}},
      {"/element_bytes", 8, {"plan.element_bytes", "must be 16"}},
      {"/ranks", 0, {"plan.ranks", "from 1"}},
      {"/transposed_rows", 2, {"plan.transposed_rows"}},
      {"/kernel_passes", 1, {"plan.kernel_passes"}},
      {"/convolution_points", 1000, {"plan.passes", "convolution"}},
      {"/scratch_bytes", -1, {"plan.scratch_bytes"}},
      {"/journal_slot_bytes", std::numeric_limits<std::int64_t>::max(), {"journal_slot_bytes"}},
      {"/passes", Json::array(), {"plan.passes", "at least one"}},
      {"/passes/0/outer", 1 << 20, {"plan.passes[0]"}},
      {"/passes/0/outer", std::numeric_limits<std::int64_t>::max(), {"plan.passes[0]", "64 bits"}},
      {"/passes/0/inner_width", 0, {"plan.passes[0].inner_width", "given 0"}},
      {"/passes/0/outer_width", 1 << 30, {"plan.passes[0].outer_width"}},
      {"/passes/0/axes", Json::array(), {"plan.passes[0].axes"}},
      {"/passes/0/axes/0/length", 3, {"plan.passes[0].axes[0]", "radix"}},
      {"/passes/0/source", "nothing", {"plan.passes[0].source"}},
      {"/passes/0/target", "input", {"plan.passes[0].target"}},
      {"/passes/1/source", "input", {"plan.passes[1]"}},
      {"/passes/1/target_first", 1 << 20, {"plan.passes[1].target_first", "end within"}},
      {"/passes/0/chirp_length", 5, {"plan.passes[0].chirp_length"}},
      {"/passes/0/scale", -1.0, {"plan.passes[0].scale"}},
      {"/passes/0/tile_lines", 0, {"plan.passes[0].tile_lines"}},
      {"/passes/0/journaled", true, {"plan.passes[0].journaled", "in place"}},
      {"/passes/0/writes_reals", true, {"plan.passes[0].writes_reals"}}};
  const Json whole = Json::parse(to_json(cube()));
  ASSERT_GE(whole["passes"].size(), 2u);
  for (const Contradiction& each : cases) {
    Json document = whole;
    document.at(Json::json_pointer(each.pointer)) = each.value;
    SCOPED_TRACE(each.pointer);
    expect_error(invalid, each.words, [&] { plan_from_json(document.dump()); });
  }
  Json document = Json::parse(to_json(in_place()));
  document["scratch_bytes"] = document["scratch_bytes"].get<std::int64_t>() + 1;
  expect_error(invalid, {"plan.scratch_bytes", "sum over the ranks"},
               [&] { plan_from_json(document.dump()); });
}

}  // namespace
}  // namespace weft::ooc
