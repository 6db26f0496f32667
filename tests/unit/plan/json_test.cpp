// JSON of layouts, problems and plans. Written text is read back equal. Any other text is refused
// with a reason.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <weft/error.hpp>
#include <weft/plan.hpp>

#include "plan/check_plan.hpp"
#include "support/random_problems.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"

namespace weft {
namespace {

using namespace test_support;
using Json = nlohmann::ordered_json;

constexpr auto invalid_argument = ErrorCode::invalid_argument;

// --- text that is read back equal ---

TEST(LayoutJson, IsSymbolicUnlessGivenAsBoxes) {
  EXPECT_EQ(to_json(Layout::slab({4, 6}, 2)), R"({"shape":[4,6],"grid":[2,1],"ranks":2})");
  EXPECT_EQ(to_json(Layout::on_one({4, 6}, 3, 1).with_order({1, 0})),
            R"({"shape":[4,6],"grid":[1,1],"order":[1,0],"ranks":3,"first_rank":1})");
  EXPECT_EQ(to_json(Layout::of_boxes({4}, {{{1}, {4}}, {{0}, {1}}})),
            R"({"shape":[4],"boxes":[[[1,4]],[[0,1]]],"ranks":2})");
  expect_error(invalid_argument, {"must have axes"}, [] { to_json(Layout()); });
}

TEST(LayoutJson, IsReadBackEqual) {
  int read = 0;
  const std::uint64_t first = chosen_seed(0);
  for (std::uint64_t seed = first; seed < first + 3000; ++seed) {
    Random random(seed);
    const Layout layout = random_layout(random_shape(random), draw(random, 1, 64), random);
    ASSERT_EQ(layout_from_json(to_json(layout)), layout) << "seed " << seed << to_json(layout);
    ++read;
  }
  EXPECT_EQ(read, 3000);
  const Layout idle = Layout::grid({5, 6}, {2, 3}, {1, 0}, 11);
  EXPECT_EQ(layout_from_json(to_json(idle)), idle);
  const Layout huge = Layout::pencil({1 << 20, 1 << 20, 1 << 10}, 16384);
  EXPECT_EQ(layout_from_json(to_json(huge)), huge);
  EXPECT_LT(to_json(huge).size(), 100U) << "a process grid must not be listed as boxes";
}

TEST(ProblemJson, IsReadBackEqual) {
  int read = 0;
  const std::uint64_t first = chosen_seed(0);
  for (std::uint64_t seed = first; seed < first + 3000; ++seed) {
    Random random(seed);
    const Problem problem = random_problem(random);
    ASSERT_EQ(problem_from_json(to_json(problem)), problem) << "seed " << seed;
    ++read;
  }
  EXPECT_EQ(read, 3000);
}

TEST(ProblemJson, WhatIsLeftOutHasItsDefault) {
  Problem expected{.shape = {4, 6}};
  EXPECT_EQ(problem_from_json(R"({"shape": [4, 6]})"), expected);
  expected.kinds = Kind::r2c;
  expected.axes = {-1};
  expected.exchange.method = Method::messages;
  EXPECT_EQ(
      problem_from_json(
          R"({"kinds": "r2c", "shape": [4, 6], "axes": [-1], "exchange": {"method": "messages"}})"),
      expected);
}

TEST(ProblemJson, APresetIsAChoiceOfTheExchange) {
  Problem expected{.shape = {4, 6}, .exchange = {.chunks = 2, .preset = Preset::duke}};
  EXPECT_EQ(problem_from_json(R"({"shape": [4, 6], "exchange": {"preset": "duke", "chunks": 2}})"),
            expected);
  EXPECT_EQ(problem_from_json(to_json(expected)), expected);
}

TEST(PlanJson, IsReadBackEqual) {
  int read = 0;
  const std::uint64_t first = chosen_seed(0);
  for (std::uint64_t seed = first; seed < first + 1000; ++seed) {
    Random random(seed);
    Plan plan = make_plan(random_problem(random));
    plan.notes.push_back("a note with \"quotes\", \\ and \xc3\xa9");
    ASSERT_EQ(plan_from_json(to_json(plan)), plan) << "seed " << seed << "\n" << explain(plan);
    ++read;
  }
  EXPECT_EQ(read, 1000);
}

TEST(PlanJson, SixteenThousandRanksNeedFewCharacters) {
  const Plan plan = make_plan({.shape = {4096, 4096, 4096}, .kinds = Kind::r2c, .ranks = 16384});
  EXPECT_LT(to_json(plan).size(), 2000U);
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
}

TEST(PlanJson, EnginesOfLinesAreKept) {
  Plan plan = make_plan({.shape = {8, 6}, .kinds = Kind::r2c, .ranks = 2});
  EXPECT_EQ(explain(plan).find("lines: "), std::string::npos);
  plan.line_engines = {{Kind::c2c, 8, 4, false, "ducc0", false},
                       {Kind::c2c, 8, 4, true, "fftw", true},
                       {Kind::r2c, 6, 1, false, "fftw", false}};
  plan.engines = {{"fftw", "fftw-3.3.10-avx"}, {"ducc0", "ducc0 0.42.0 for AVX2"}};
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  EXPECT_NE(explain(plan).find("lines: c2c of 8 points by ducc0; c2c of 8 points across memory by "
                               "fftw, not transposed; r2c of 6 points by fftw\n"
                               "engine fftw: fftw-3.3.10-avx\n"
                               "engine ducc0: ducc0 0.42.0 for AVX2\n"),
            std::string::npos)
      << explain(plan);
}

TEST(PlanJson, InconsistentEnginesOfLinesAreRefused) {
  Plan sound = make_plan({.shape = {8, 6}, .ranks = 2});
  sound.line_engines = {{Kind::c2c, 8, 4, false, "ducc0", false},
                        {Kind::c2c, 8, 4, true, "ducc0", true}};
  sound.engines = {{"ducc0", "ducc0 0.42.0"}};
  check_plan(sound);
  Plan plan = sound;
  plan.line_engines.push_back({Kind::c2c, 8, 2, false, "ducc0", false});
  expect_error(invalid_argument, {"one engine", "c2c of 8 points"},
               [&] { plan_from_json(to_json(plan)); });
  plan = sound;
  plan.engines.clear();
  expect_error(invalid_argument, {"lacks \"ducc0\"", "c2c of 8 points"},
               [&] { plan_from_json(to_json(plan)); });
  plan = sound;
  plan.line_engines[0].across_tile = true;
  expect_error(invalid_argument, {"only lines across memory"},
               [&] { plan_from_json(to_json(plan)); });
  plan = sound;
  plan.line_engines[1].kind = Kind::r2c;
  expect_error(invalid_argument, {"only complex lines"}, [&] { plan_from_json(to_json(plan)); });
  plan = sound;
  plan.line_engines[0].lines = 0;
  expect_error(invalid_argument, {"at least 1", "0 lines"}, [&] { plan_from_json(to_json(plan)); });
}

TEST(PlanJson, TextsMustBeUtf8) {
  Plan plan = make_plan({.shape = {4}});
  plan.notes = {"\xff"};
  expect_error(invalid_argument, {"UTF-8"}, [&] { to_json(plan); });
}

// --- refusals of one value ---

/// Returns the JSON of a plan with two stages. A test may change its values.
Json sound_plan() {
  return Json::parse(to_json(make_plan({.shape = {8, 6}, .kinds = Kind::r2c, .ranks = 2})));
}

void expect_refused(const Json& plan, const std::vector<std::string>& words) {
  expect_error(invalid_argument, words, [&] { plan_from_json(plan.dump()); });
}

TEST(ProblemJson, RefusalOfAKeyNamesAllValidKeys) {
  const auto refused = [](const char* text, const std::vector<std::string>& words) {
    expect_error(invalid_argument, words, [&] { problem_from_json(text); });
  };
  const std::string choices =
      "problem.exchange: the valid keys are chunks, method, nodes, piece_bytes, preset, requests, "
      "schedule, wire, wire_form; given \"chunk\"";
  refused(R"({"shape":[8],"exchange":{"method":"messages","chunk":4}})", {choices});
  refused(R"({"shape":[8],"exchange":{"chunk":4}})", {choices});
}

TEST(LayoutJson, RefusesWhatIsNoLayout) {
  const auto refused = [](const char* text, const std::vector<std::string>& words) {
    expect_error(invalid_argument, words, [&] { layout_from_json(text); });
  };
  refused("", {"not complete JSON"});
  refused(R"({"shape":[4],"grid":[2],"ranks":2)", {"not complete JSON"});
  refused(R"({"shape":[4],"grid":[2],"ranks":2}})", {"not complete JSON"});
  refused("[]", {"layout", "must be an object", "given []"});
  refused(R"({"grid":[2],"ranks":2})", {"\"shape\" is missing"});
  refused(R"({"shape":[4],"ranks":2})", {"\"grid\" is missing"});
  refused(R"({"shape":[4],"grid":[2]})", {"\"ranks\" is missing"});
  refused(R"({"shape":[4],"grid":[2],"ranks":2,"grid":[2]})", {"\"grid\" is given twice"});
  refused(R"({"shape":[4],"grid":[2],"ranks":2,"girth":1})", {"valid keys are", "given \"girth\""});
  refused(R"({"shape":[4],"grid":[2],"boxes":[[[0,4]]],"ranks":2})", {"not both"});
  refused(R"({"shape":[4.0],"grid":[2],"ranks":2})", {"layout.shape[0]", "integer", "4.0"});
  refused(R"({"shape":["4"],"grid":[2],"ranks":2})", {"layout.shape[0]", "integer", "\"4\""});
  refused(R"({"shape":4,"grid":[2],"ranks":2})", {"layout.shape", "list", "given 4"});
  refused(R"({"shape":[9223372036854775808],"grid":[2],"ranks":2})", {"63 bits"});
  refused(R"({"shape":[99999999999999999999999],"grid":[2],"ranks":2})", {"integer"});
  refused(R"({"shape":[4],"grid":[2],"ranks":null})", {"layout.ranks", "integer"});
  refused(R"({"shape":[4],"grid":[2],"ranks":0})", {"at least 1", "given 0"});
  refused(R"({"shape":[4],"grid":[3],"ranks":2})", {"product", "needs 3"});
  refused(R"({"shape":[0],"grid":[2],"ranks":2})", {"at least 1"});
  refused(R"({"shape":[4],"grid":[2],"ranks":2,"order":[1]})", {"memory order"});
  refused(R"({"shape":[4],"grid":[2],"ranks":2,"order":[]})", {"memory order"});
  refused(R"({"shape":[4],"grid":[2],"ranks":2,"order":[4294967296]})", {"31 bits"});
  refused(R"({"shape":[4],"grid":[2],"ranks":2,"first_rank":1})", {"one rank owns everything"});
  refused(R"({"shape":[4],"grid":[1],"ranks":2,"first_rank":2})", {"owner", "given 2"});
  refused(R"({"shape":[4],"boxes":[[[0,4]]],"ranks":2})", {"one box for each of the 2 ranks"});
  refused(R"({"shape":[4],"boxes":[[[0,2]],[[3,4]]],"ranks":2})", {"must cover the array"});
  refused(R"({"shape":[4],"boxes":[[[0,3]],[[2,4]]],"ranks":2})", {"must not overlap"});
  refused(R"({"shape":[4],"boxes":[[[0,4,1]]],"ranks":1})", {"boxes[0][0]", "[lower, upper]"});
  refused(R"({"shape":[4,4],"boxes":[[[0,4]]],"ranks":1})", {"2 axes"});
}

TEST(LayoutJson, RefusesDepthWithoutOverflow) {
  const std::string deep(1000000, '[');
  expect_error(invalid_argument, {"nested"}, [&] { layout_from_json(deep); });
}

TEST(ProblemJson, RefusesWhatIsNoProblem) {
  const auto refused = [](const char* text, const std::vector<std::string>& words) {
    expect_error(invalid_argument, words, [&] { problem_from_json(text); });
  };
  refused("{}", {"\"shape\" is missing"});
  refused(R"({"shape":[4],"kinds":"r2r"})", {"problem.kinds", "c2c, r2c", "\"r2r\""});
  refused(R"({"shape":[4],"kinds":1})", {"problem.kinds", "list"});
  refused(R"({"shape":[4],"kinds":["c2c",2]})", {"problem.kinds[1]", "string"});
  refused(R"({"shape":[4,4],"kinds":["r2c","r2c"]})", {"at most one axis is r2c", "c2c"});
  refused(R"({"shape":[4,4,4],"kinds":["c2c","r2c"]})", {"one for each of the 3", "given 2"});
  refused(R"({"shape":[4,4],"kinds":"r2c","element":"complex"})",
          {"array of real", "complex ones"});
  refused(R"({"shape":[4],"dtype":"f64"})", {"given \"dtype\""});
  refused(R"({"shape":[4],"axes":[1]})", {"axis"});
  refused(R"({"shape":[4],"axes":[0,0]})", {"given twice"});
  refused(R"({"shape":[4],"overwrite_input":1})", {"true or false"});
  refused(R"({"shape":[4],"output":"given"})", {"written as its layout"});
  refused(R"({"shape":[4],"output":"all"})", {"any, same, given"});
  refused(R"({"shape":[4],"sign":2})", {"sign"});
  refused(R"({"shape":[4],"ranks":2,"input":{"shape":[5],"grid":[2],"ranks":2}})",
          {"input layout"});
  refused(R"({"shape":[4],"exchange":{"metod":"messages"}})",
          {"problem.exchange", "given \"metod\""});
  refused(R"({"shape":[4],"exchange":{"method":"collective","schedule":"cyclic"}})", {"one of"});
}

// --- refusals of plans ---

TEST(PlanJson, RefusesUnknownVersions) {
  Json plan = sound_plan();
  plan["version"] = 1;
  expect_refused(plan, {"plan.version", "version 15", "given 1"});
  plan["version"] = "2";
  expect_refused(plan, {"plan.version", "integer"});
  plan.erase("version");
  expect_refused(plan, {"\"version\" is missing"});
}

TEST(PlanJson, KeepsTheEffortOfLocalFfts) {
  Problem problem = checked({.shape = {8, 9, 10}, .ranks = 2, .effort = Effort::exhaustive});
  Plan plan = make_plan(problem);
  EXPECT_EQ(plan.line_effort, Effort::exhaustive);
  plan.line_effort = Effort::measure;
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  Json object = Json::parse(to_json(plan));
  object["problem"]["effort"] = "estimate";
  expect_refused(object, {"effort of the problem, estimate", "given measure"});
}

TEST(PlanJson, RefusesStagesThatDoNotFit) {
  const Json sound = sound_plan();
  ASSERT_EQ(sound["stages"].size(), 2U);
  Json plan = sound;
  plan["stages"].erase(1);
  expect_refused(plan, {"1 stages and 1 exchanges"});
  plan["exchanges"] = Json::array();
  expect_refused(plan, {"each of the axes (0, 1) once", "given (1)"});
  plan["stages"] = Json::array();
  expect_refused(plan, {"at least one stage"});
  plan = sound;
  plan["exchanges"].push_back(plan["exchanges"][0]);
  expect_refused(plan, {"2 stages and 2 exchanges"});
  plan = sound;
  std::swap(plan["stages"][0]["axes"], plan["stages"][1]["axes"]);
  expect_refused(plan, {"before all others"});
  plan = sound;
  std::swap(plan["stages"][0]["source"], plan["stages"][1]["source"]);
  expect_refused(plan, {"source of stage 0", "8x6", "8x4"});
  plan = sound;
  plan["stages"][0]["source"]["grid"] = {1, 2};
  expect_refused(plan, {"stage 0", "axis 1 whole"});
  plan = sound;
  plan["stages"][1]["target"]["grid"] = {2, 1};
  expect_refused(plan, {"same part", "stage 1"});
  plan = sound;
  for (const char* end : {"source", "target"}) plan["stages"][1][end]["ranks"] = 3;
  expect_refused(plan, {"stage 1", "2 ranks", "given 3"});
  plan = sound;
  plan["stages"][1]["axes"] = {0, 0};
  expect_refused(plan, {"once", "(1, 0, 0)"});
}

TEST(PlanJson, RefusesAProblemThatTheStagesDoNotSolve) {
  const Json sound = sound_plan();
  const auto with = [&](const char* key, Json value) {
    Json plan = sound;
    plan["problem"][key] = std::move(value);
    return plan;
  };
  Json other_kind = with("kinds", {"c2c", "c2c"});
  other_kind["problem"]["element"] = "complex";
  expect_refused(other_kind, {"target of stage 0"});
  expect_refused(with("shape", {8, 7}), {"source of stage 0", "8x7"});
  expect_refused(with("ranks", 3), {"3 ranks"});
  expect_refused(with("axes", {0}), {"one for each", "given 2"});
  expect_refused(with("axes", {0, -1}), {"complete"});
  expect_refused(with("output", "same"), {"output", "asks for"});
  expect_refused(with("input", Json::parse(R"({"shape":[8,6],"grid":[1,2],"ranks":2})")),
                 {"input", "asks for"});
  expect_refused(with("output", Json::parse(R"({"shape":[8,4],"grid":[2,1],"ranks":2})")),
                 {"output", "asks for"});
}

TEST(PlanJson, RefusesExchangesThatDoNotExist) {
  Json plan = sound_plan();
  const auto exchange = [&](const char* method, const char* wire_form, const char* requests,
                            const Json& chunks, const Json& piece_bytes = 0) {
    plan["exchanges"][0] = {
        {"method", method},
        {"wire_form", wire_form},
        {"schedule", "pairwise"},
        {"requests", requests},
        {"chunks", chunks},
        {"nodes", requests == std::string("ordinary") ? "unaware" : "automatic"},
        {"wire", "same"},
        {"piece_bytes", piece_bytes}};
  };
  exchange("messages", "packed", "ordinary", 1);
  plan["exchanges"][0]["preset"] = "none";
  expect_refused(plan, {"exchanges[0]", "given \"preset\""});
  exchange("automatic", "packed", "ordinary", 1);
  expect_refused(plan, {"exchange 0", "method automatic"});
  exchange("collective", "packed", "automatic", 1);
  expect_refused(plan, {"exchange 0", "one of"});
  exchange("messages", "packed", "automatic", 1);
  expect_refused(plan, {"exchange 0", "one of"});
  exchange("messages", "packed", "ordinary", 0);
  expect_refused(plan, {"exchange 0", "chunks 0"});
  exchange("messages", "packed", "ordinary", -1);
  expect_refused(plan, {"chunks", "must not be negative"});
  exchange("messages", "packed", "ordinary", 1, -1);
  expect_refused(plan, {"bytes of a piece", "must not be negative"});
  exchange("messages", "datatype", "ordinary", 1, 64);
  expect_refused(plan, {"exchange 0", "bytes of a piece 64"});
  exchange("messages", "packed", "ordinary", 1, 64);
  EXPECT_NO_THROW(plan_from_json(plan.dump()));
  plan["problem"]["exchange"]["piece_bytes"] = 65;
  expect_refused(plan, {"exchange 0", "forces"});
  plan["problem"]["exchange"]["piece_bytes"] = 0;
  exchange("messages", "packed", "ordinary", 2);
  EXPECT_NO_THROW(plan_from_json(plan.dump()));
  plan["problem"]["exchange"]["method"] = "collective";
  expect_refused(plan, {"exchange 0", "forces"});
}

TEST(PlanJson, RefusesAPresetInAPlan) {
  const Problem problem{.shape = {8, 6}, .ranks = 2, .exchange = {.preset = Preset::fftw}};
  Plan plan = make_plan(problem);
  EXPECT_EQ(plan.problem.exchange, problem.exchange);
  EXPECT_EQ(plan.exchanges[0].preset, Preset::none);
  EXPECT_NO_THROW(check_plan(plan));
  plan.exchanges[0].preset = Preset::fftw;
  expect_error(ErrorCode::invalid_argument, {"exchange 0", "preset", "fftw"},
               [&] { check_plan(plan); });
}

// --- refusals of damaged text, at every place ---

/// Paths to all values inside a document.
std::vector<Json::json_pointer> all_places(const Json& document) {
  std::vector<Json::json_pointer> places;
  const Json flat = document.flatten();  // must outlive its items()
  for (const auto& item : flat.items()) places.emplace_back(item.key());
  return places;
}

/// A plan must not mix shared exchanges with messages, because only shared exchanges synchronise
/// the ranks.
TEST(PlanJson, RefusesSharedExchangesBesideMessages) {
  Problem problem{.shape = {8, 8, 8}, .ranks = 4, .ranks_per_node = 4, .has_input = true};
  problem.input = Layout::pencil(problem.shape, 4);
  Plan plan = make_plan(problem);
  ASSERT_EQ(plan.exchanges.size(), 2U);
  ASSERT_EQ(plan.exchanges[0].method, Method::shared);
  EXPECT_NO_THROW(plan_from_json(to_json(plan)));
  problem.exchange.method = Method::messages;
  plan.exchanges[1] = make_plan(problem).exchanges[1];
  expect_refused(Json::parse(to_json(plan)), {"all exchanges must be shared", "another"});
}

TEST(PlanJson, EveryValueOfAnotherTypeIsRefused) {
  const Json sound = sound_plan();
  int refused = 0;
  for (const auto& place : all_places(sound)) {
    if (sound[place].is_null()) continue;
    for (const Json& wrong :
         {Json(1.5), Json("a word"), Json::array({"x"}), Json{{"x", 1}}, Json(true)}) {
      if (sound[place].type() == wrong.type() && !wrong.is_string()) continue;
      if (place.to_string() == "/chosen_by" && wrong.is_string()) continue;
      if (place.to_string() == "/notes") continue;
      Json plan = sound;
      plan[place] = wrong;
      SCOPED_TRACE(place.to_string() + " = " + wrong.dump());
      expect_refused(plan, {});
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(PlanJson, EveryMissingKeyAndEveryUnknownKeyIsRefused) {
  const Json sound = sound_plan();
  std::vector<Json::json_pointer> objects{Json::json_pointer()};
  for (const auto& place : all_places(sound))
    for (auto up = place; !up.empty(); up = up.parent_pointer())
      if (sound[up].is_object()) objects.push_back(up);
  int refused = 0;
  for (const auto& place : objects) {
    Json more = sound;
    more[place]["unknown"] = 1;
    SCOPED_TRACE("in " + place.to_string());
    expect_refused(more, {"given \"unknown\""});
    for (const auto& item : sound[place].items()) {
      Json less = sound;
      less[place].erase(item.key());
      expect_refused(less, {"\"" + item.key() + "\" is missing"});
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
}

TEST(PlanJson, EveryCutIsRefused) {
  const std::string text = to_json(make_plan({.shape = {8, 6}, .ranks = 3}));
  for (std::size_t length = 0; length < text.size(); ++length)
    expect_error(invalid_argument, {"not complete JSON"},
                 [&] { plan_from_json(text.substr(0, length)); });
  EXPECT_GT(text.size(), 500U);
}

/// Random bytes are changed. If the text is still read as a plan, writing and reading that plan
/// must give the same plan.
TEST(PlanJson, DamagedBytesAreRefusedOrHarmless) {
  const std::string text = to_json(make_plan({.shape = {8, 6}, .kinds = Kind::r2c, .ranks = 3}));
  int refused = 0;
  int read = 0;
  const std::uint64_t first = chosen_seed(0);
  for (std::uint64_t seed = first; seed < first + 8000; ++seed) {
    Random random(seed);
    std::string damaged = text;
    const auto place =
        static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(text.size()) - 1));
    damaged[place] = draw(random, 0, 1) ? static_cast<char>(draw(random, 32, 126))
                                        : static_cast<char>(draw(random, 0, 255));
    try {
      const Plan plan = plan_from_json(damaged);
      ASSERT_EQ(plan_from_json(to_json(plan)), plan) << "seed " << seed;
      ++read;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), invalid_argument) << "seed " << seed << ": " << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 6000);
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace weft
