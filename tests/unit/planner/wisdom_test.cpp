#include <weft/wisdom.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <weft/machine.hpp>

#include "unit/support/expect_error.hpp"

namespace weft {
namespace {

using nlohmann::ordered_json;
using test_support::expect_error;

MachineIdentity here() {
  MachineIdentity machine;
  machine.weft = "0.1.0";
  machine.processor = "A processor";
  machine.cores_per_node = 8;
  machine.l2_bytes = 1 << 20;
  machine.l3_share_bytes = 1 << 21;
  machine.transposes = "avx2";
  machine.engine = "fftw: 3.3";
  machine.mpi = "An MPI";
  machine.nodes = 2;
  machine.ranks_per_node = 8;
  machine.placement = "blocks";
  machine.fabric = "ethernet 10000 Mb/s";
  return machine;
}

/// Returns identities that differ from here() in one point each.
std::vector<MachineIdentity> elsewhere() {
  std::vector<MachineIdentity> all;
  for (const auto text :
       {&MachineIdentity::weft, &MachineIdentity::processor, &MachineIdentity::transposes,
        &MachineIdentity::engine, &MachineIdentity::mpi, &MachineIdentity::placement,
        &MachineIdentity::fabric}) {
    all.push_back(here());
    all.back().*text += "x";
  }
  for (const auto number : {&MachineIdentity::cores_per_node, &MachineIdentity::l2_bytes,
                            &MachineIdentity::l3_share_bytes, &MachineIdentity::nodes,
                            &MachineIdentity::ranks_per_node}) {
    all.push_back(here());
    all.back().*number += 1;
  }
  return all;
}

Problem problem(std::int64_t n) { return {.shape = {n, 12, 10}, .ranks = 16}; }

Plan tried(std::int64_t n) {
  Plan plan = make_plan(problem(n), shipped_machine("ethernet-10g"));
  plan.chosen_by = "trials";
  plan.prediction->measured_s = 0.25;
  return plan;
}

Wisdom wisdom_of(const std::vector<WisdomEntry>& entries) {
  Wisdom wisdom;
  for (const WisdomEntry& entry : entries) wisdom.add(entry);
  return wisdom;
}

TEST(Wisdom, FindsThePlansThatWereAdded) {
  const Wisdom wisdom = wisdom_of({{here(), tried(16)}, {here(), tried(32)}});
  ASSERT_NE(wisdom.find(problem(16), here()), nullptr);
  EXPECT_EQ(*wisdom.find(problem(16), here()), tried(16));
  EXPECT_EQ(*wisdom.find(problem(32), here()), tried(32));
  EXPECT_EQ(wisdom.find(problem(64), here()), nullptr);
}

TEST(Wisdom, ProblemsNeedNotBeComplete) {
  const Wisdom wisdom = wisdom_of({{here(), tried(16)}});
  Problem given = problem(16);
  given.axes = {-3, 1, 2};
  EXPECT_NE(wisdom.find(given, here()), nullptr);
}

TEST(Wisdom, HoldsForOneMachine) {
  const Wisdom wisdom = wisdom_of({{here(), tried(16)}});
  ASSERT_EQ(elsewhere().size(), 12U);
  for (const MachineIdentity& other : elsewhere()) {
    EXPECT_EQ(wisdom.find(problem(16), other), nullptr) << to_json(other);
    EXPECT_NE(wisdom_of({{other, tried(16)}}).find(problem(16), other), nullptr);
  }
}

TEST(Wisdom, HoldsForOneProblem) {
  const Wisdom wisdom = wisdom_of({{here(), tried(16)}});
  const std::vector<std::function<void(Problem&)>> changes{
      [](Problem& p) { p.ranks = 15; },
      [](Problem& p) { p.ranks_per_node = 2; },
      [](Problem& p) { p.kinds = Kind::r2c; },
      [](Problem& p) { p.precision = Precision::f32; },
      [](Problem& p) {
        p.axes = {1, 0, 2};
      },
      [](Problem& p) { p.threads = 2; },
      [](Problem& p) { p.effort = Effort::measure; },
      [](Problem& p) { p.output_choice = OutputChoice::same; },
      [](Problem& p) { p.overwrite_input = true; },
      [](Problem& p) { p.exchange.method = Method::messages; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Problem other = problem(16);
    changes[i](other);
    EXPECT_EQ(wisdom.find(other, here()), nullptr) << i;
  }
}

TEST(Wisdom, TheNewerDecisionReplacesTheOlder) {
  Plan newer = tried(16);
  newer.prediction->measured_s = 0.5;
  Wisdom wisdom = wisdom_of({{here(), tried(16)}, {here(), newer}});
  EXPECT_EQ(wisdom.size(), 1U);
  EXPECT_EQ(*wisdom.find(problem(16), here()), newer);
  wisdom.merge(wisdom_of({{here(), tried(16)}}));
  EXPECT_EQ(*wisdom.find(problem(16), here()), tried(16));
}

TEST(Wisdom, MergesInAnyOrder) {
  std::vector<WisdomEntry> all;
  for (const MachineIdentity& machine : elsewhere()) all.push_back({machine, tried(16)});
  Wisdom forth;
  Wisdom back;
  for (std::size_t i = 0; i < all.size(); ++i) {
    forth.merge(wisdom_of({all[i]}));
    back.merge(wisdom_of({all[all.size() - 1 - i]}));
  }
  EXPECT_EQ(forth.size(), all.size());
  EXPECT_EQ(forth, back);
  EXPECT_EQ(to_json(forth), to_json(back));
}

TEST(Wisdom, InconsistentPlansAreRefused) {
  Plan broken = tried(16);
  broken.stages.pop_back();
  Wisdom wisdom;
  expect_error(ErrorCode::invalid_argument, {"plan"}, [&] { wisdom.add({here(), broken}); });
  EXPECT_EQ(wisdom.size(), 0U);
}

TEST(Wisdom, IsReadAsItWasWritten) {
  EXPECT_EQ(wisdom_from_json(to_json(Wisdom())), Wisdom());
  Wisdom wisdom = wisdom_of({{here(), tried(16)}, {here(), tried(32)}});
  for (const MachineIdentity& machine : elsewhere()) wisdom.add({machine, tried(16)});
  const Wisdom again = wisdom_from_json(to_json(wisdom));
  EXPECT_EQ(again, wisdom);
  EXPECT_EQ(again.entries(), wisdom.entries());
}

TEST(Wisdom, KeepsBoxesAndNodeMemory) {
  Problem given = problem(16);
  given.has_input = true;
  std::vector<Box> boxes(16);
  for (std::int64_t rank = 0; rank < 16; ++rank)
    boxes[static_cast<std::size_t>(rank)] = {{15 - rank, 0, 0}, {16 - rank, 12, 10}};
  given.input = Layout::of_boxes(given.shape, boxes);
  given.ranks_per_node = 16;
  given.exchange.method = Method::shared;
  const Plan plan = make_plan(given);
  const Wisdom wisdom = wisdom_from_json(to_json(wisdom_of({{here(), plan}})));
  ASSERT_NE(wisdom.find(given, here()), nullptr);
  EXPECT_EQ(*wisdom.find(given, here()), plan);
}

void expect_refused(const std::vector<std::string>& words,
                    const std::function<void(ordered_json&)>& change) {
  ordered_json json =
      ordered_json::parse(to_json(wisdom_of({{here(), tried(16)}, {here(), tried(32)}})));
  change(json);
  expect_error(ErrorCode::invalid_argument, words, [&] { wisdom_from_json(json.dump()); });
}

TEST(Wisdom, OfAnotherVersionIsRefused) {
  for (const int version : {0, 1, 99}) {
    expect_refused({"weft_wisdom", "version 2", std::to_string(version)}, [&](ordered_json& w) {
      w["weft_wisdom"] = version;
      w["of_the_future"] = true;
    });
  }
  expect_refused({"entries[1].plan", "version"},
                 [](ordered_json& w) { w["entries"][1]["plan"]["version"] = 99; });
}

TEST(Wisdom, WrongTypesAreRefused) {
  expect_refused({"weft_wisdom", "integer"}, [](ordered_json& w) { w["weft_wisdom"] = "1"; });
  expect_refused({"wisdom.entries", "list"}, [](ordered_json& w) { w["entries"] = 7; });
  expect_refused({"entries[0]", "object"}, [](ordered_json& w) { w["entries"][0] = nullptr; });
  expect_refused({"entries[0].machine.processor", "string"},
                 [](ordered_json& w) { w["entries"][0]["machine"]["processor"] = 1; });
  expect_refused({"entries[1].machine.nodes", "at least 1"},
                 [](ordered_json& w) { w["entries"][1]["machine"]["nodes"] = 0; });
  expect_refused({"entries[1].machine.l2_bytes", "at least 0"},
                 [](ordered_json& w) { w["entries"][1]["machine"]["l2_bytes"] = -1; });
  expect_refused({"entries[1].machine.l2_bytes", "integer"},
                 [](ordered_json& w) { w["entries"][1]["machine"]["l2_bytes"] = 1.5; });
  expect_refused({"entries[0].plan", "stage"},
                 [](ordered_json& w) { w["entries"][0]["plan"]["stages"].erase(0); });
}

TEST(Wisdom, MissingAndUnknownKeysAreRefused) {
  expect_refused({"\"entries\" is missing"}, [](ordered_json& w) { w.erase("entries"); });
  expect_refused({"\"fabric\" is missing"},
                 [](ordered_json& w) { w["entries"][0]["machine"].erase("fabric"); });
  expect_refused({"\"speed\""}, [](ordered_json& w) { w["entries"][0]["speed"] = 1; });
  expect_refused({"\"more\""}, [](ordered_json& w) { w["more"] = 1; });
}

TEST(Wisdom, TwoDecisionsForOneProblemAreRefused) {
  expect_refused({"entries[1]", "one entry"},
                 [](ordered_json& w) { w["entries"][1] = w["entries"][0]; });
}

TEST(Wisdom, TextThatIsNoWisdomIsRefused) {
  for (const char* text : {"", "[]", "nonsense", "{}", "{\"weft_machine\": 1}"})
    expect_error(ErrorCode::invalid_argument, {"wisdom"}, [&] { wisdom_from_json(text); });
  expect_error(ErrorCode::invalid_argument, {"nested"},
               [] { wisdom_from_json(std::string(1 << 20, '[')); });
  expect_error(ErrorCode::invalid_argument, {"bytes long"},
               [] { wisdom_from_json(std::string(100 << 20, '[')); });
}

/// A message must be short and printable, even if it quotes a file.
TEST(Wisdom, MessagesArePrintableAndShort) {
  const std::string odd = "\xff\n\x1b[31m" + std::string(100'000, 'x');
  for (const std::string& text :
       {odd, "\"" + odd,
        "{\"weft_wisdom\":2,\"entries\":[],\"" + std::string(1000, 'y') + "\\n\":1}",
        std::string("{\"a\\n\":1,\"a\\n\":2}"), std::string("{\"weft_wisdom\":\"\\u001b\\n\"}")}) {
    try {
      wisdom_from_json(text);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_LT(message.size(), 500U);
      for (const char c : message) EXPECT_TRUE(c >= ' ' && c <= '~') << message;
    }
  }
}

TEST(Wisdom, CutAnywhereIsRefused) {
  const std::string whole = to_json(wisdom_of({{here(), tried(16)}}));
  // The last character is the end of the line.
  for (std::size_t length = 0; length + 1 < whole.size(); length += 7)
    expect_error(ErrorCode::invalid_argument, {"wisdom"},
                 [&] { wisdom_from_json(whole.substr(0, length)); });
}

}  // namespace
}  // namespace weft
