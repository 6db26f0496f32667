#include <weft/machine.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "unit/support/expect_error.hpp"

namespace weft {
namespace {

using nlohmann::ordered_json;
using test_support::expect_error;

TEST(Machine, every_shipped_machine_has_its_name_and_is_read_back_equal) {
  const std::vector<std::string> names = shipped_machines();
  for (const char* paper : {"celerons", "pentium2s", "duke-cisco2924", "sp2-kernel", "sp2-user",
                            "pentium3s", "zayante", "adams", "fleet", "bgl-16384"})
    EXPECT_TRUE(std::count(names.begin(), names.end(), paper)) << paper;
  for (const std::string& name : names) {
    const Machine machine = shipped_machine(name);
    EXPECT_EQ(machine.name, name);
    EXPECT_FALSE(machine.source.empty()) << name;
    EXPECT_EQ(machine_from_json(to_json(machine)), machine) << name;
  }
}

TEST(Machine, shipped_machines_have_the_figures_of_their_papers) {
  const Machine celerons = shipped_machine("celerons");
  EXPECT_EQ(celerons.arithmetic[0].operation_s, 6.5e-9);
  EXPECT_DOUBLE_EQ(celerons.copying[0].contiguous_s_per_byte * 4, 70e-9);
  EXPECT_DOUBLE_EQ(celerons.between_nodes.pieces[0].s_per_byte * 4, 0.34e-6);
  EXPECT_EQ(celerons.between_nodes.pieces[0].start_s, 100e-6);
  const Machine bgl = shipped_machine("bgl-512");
  EXPECT_EQ(bgl.topology.extents, (std::vector<std::int64_t>{8, 8, 8}));
  EXPECT_NEAR(bgl.topology.link / bgl.between_nodes.pieces[0].s_per_byte, 175e6, 0.1e6);
  const Machine sp2 = shipped_machine("sp2-user");
  EXPECT_NEAR(shipped_machine("sp2-kernel").between_nodes.pieces[0].s_per_byte /
                  sp2.between_nodes.pieces[0].s_per_byte,
              2.4, 0.01);
}

TEST(Machine, an_unknown_name_is_refused_with_the_known_names) {
  expect_error(ErrorCode::invalid_argument, {"celerons", "bgl-512", "\"cray\""},
               [] { shipped_machine("cray"); });
}

/// Returns a machine as JSON, changed by `change`.
template <class Change>
std::string changed(Change&& change) {
  ordered_json document = ordered_json::parse(to_json(shipped_machine("infiniband-64")));
  change(document);
  return document.dump();
}

template <class Change>
void expect_refused(const std::vector<std::string>& words, Change&& change) {
  const std::string text = changed(change);
  expect_error(ErrorCode::invalid_argument, words, [&] { machine_from_json(text); });
}

TEST(Machine, how_a_torus_decides_ties_is_kept) {
  Machine machine = shipped_machine("bgl-512");
  EXPECT_EQ(to_json(machine).find("ties_forward"), std::string::npos);
  machine.topology.ties_forward = true;
  EXPECT_EQ(machine_from_json(to_json(machine)), machine);
}

TEST(Machine, how_a_fat_tree_routes_is_kept) {
  Machine machine = shipped_machine("infiniband-64");
  ASSERT_EQ(machine.topology.network, Network::fat_tree);
  EXPECT_EQ(to_json(machine).find("routes_by_destination"), std::string::npos);
  EXPECT_EQ(to_json(machine).find("short_ways_first"), std::string::npos);
  machine.topology.short_ways_first = true;
  EXPECT_EQ(machine_from_json(to_json(machine)), machine);
  machine.topology.routes_by_destination = true;
  machine.topology.uplinks.assign(machine.topology.uplinks.size(), 4);
  EXPECT_EQ(machine_from_json(to_json(machine)), machine);
}

TEST(Machine, impossible_figures_are_refused_with_their_key) {
  expect_refused({"between_nodes.pieces[0].s_per_byte", "above 0", "-1"},
                 [](ordered_json& m) { m["between_nodes"]["pieces"][0]["s_per_byte"] = -1.0; });
  expect_refused({"copying[0].transposed_s_per_byte", "above 0"},
                 [](ordered_json& m) { m["copying"][0]["transposed_s_per_byte"] = 0.0; });
  expect_refused({"copying[1].bytes", "at least 1", "0"},
                 [](ordered_json& m) { m["copying"].push_back(m["copying"][0]); });
  expect_refused({"copying", "at least one"},
                 [](ordered_json& m) { m["copying"] = ordered_json::array(); });
  expect_refused({"arithmetic[1].operation_s", "number", "\"fast\""},
                 [](ordered_json& m) { m["arithmetic"][1]["operation_s"] = "fast"; });
  expect_refused({"arithmetic", "at least one"},
                 [](ordered_json& m) { m["arithmetic"] = ordered_json::array(); });
  expect_refused({"arithmetic[1]", "once", "f32"},
                 [](ordered_json& m) { m["arithmetic"][1]["precision"] = "f32"; });
  expect_refused({"cores_per_node", "at least 1", "0"},
                 [](ordered_json& m) { m["cores_per_node"] = 0; });
  expect_refused({"memory_bytes_per_s[1]", "above 0"},
                 [](ordered_json& m) { m["memory_bytes_per_s"][1] = -5.0; });
  expect_refused({"topology", "multiply"}, [](ordered_json& m) { m["topology"]["nodes"] = 7; });
  expect_refused({"between_nodes.pieces", "from 0 bytes"},
                 [](ordered_json& m) { m["between_nodes"]["pieces"] = ordered_json::array(); });
  expect_refused({"blocking[1].message_bytes", "at least 1", "0"},
                 [](ordered_json& m) { m["blocking"].push_back(m["blocking"][0]); });
  expect_refused({"blocking[0].cyclic", "above 0"},
                 [](ordered_json& m) { m["blocking"][0]["cyclic"] = -1.0; });
  const auto fit = [](int ranks, int from) {
    return ordered_json{
        {"ranks", ranks}, {"from_bytes", from}, {"start_s", 0.0}, {"s_per_byte", 1.0}};
  };
  expect_refused({"all_to_all[0].from_bytes", "at 0 bytes", "5"},
                 [&](ordered_json& m) { m["all_to_all"] = {fit(4, 5)}; });
  expect_refused({"all_to_all[2].from_bytes", "at least 6", "5"}, [&](ordered_json& m) {
    m["all_to_all"] = {fit(4, 0), fit(4, 5), fit(4, 5)};
  });
  expect_refused({"all_to_all[1].ranks", "at least 4", "2"}, [&](ordered_json& m) {
    m["all_to_all"] = {fit(4, 0), fit(2, 0)};
  });
  expect_refused({"barrier_s", "number"}, [](ordered_json& m) { m["barrier_s"] = nullptr; });
}

TEST(Machine, errors_print_tiny_figures_as_given) {
  expect_refused({"barrier_s", "given -1e-10"}, [](ordered_json& m) { m["barrier_s"] = -1e-10; });
  expect_refused({"operation_s", "given -2.5e-09"},
                 [](ordered_json& m) { m["arithmetic"][0]["operation_s"] = -2.5e-9; });
}

/// Very large and very small figures are refused, because sums or products of them might not be
/// finite.
TEST(Machine, extreme_figures_are_refused) {
  for (const double value : {1e308, 1e31}) {
    expect_refused({"machine.call_s", "to 1e30"}, [&](ordered_json& m) { m["call_s"] = value; });
    expect_refused({"operation_s", "to 1e30"},
                   [&](ordered_json& m) { m["arithmetic"][0]["operation_s"] = value; });
  }
  expect_refused({"operation_s", "from 1e-30"},
                 [&](ordered_json& m) { m["arithmetic"][0]["operation_s"] = 5e-324; });
}

TEST(Machine, networks_that_are_too_large_are_refused) {
  const auto refused = [](const std::vector<std::string>& words, const char* network,
                          const ordered_json& topology) {
    expect_refused(words, [&](ordered_json& m) {
      m["topology"] = {{"network", network}};
      m["topology"].update(topology);
    });
  };
  const std::int64_t many = std::int64_t{1} << 31;
  refused(
      {"topology", "nodes must be at most", "given 4611686018427387904"}, "torus",
      {{"nodes", many * many}, {"extents", {many, many}}, {"rings", {true, true}}, {"link", 1.0}});
  refused({"topology", "nodes must be at most", "given 268435456"}, "torus",
          {{"nodes", 16384 * 16384},
           {"extents", {16384, 16384}},
           {"rings", {true, true}},
           {"link", 1.0}});
  refused({"nodes must be at most", "given 1099511627776"}, "fat_tree",
          {{"nodes", std::int64_t{1} << 40},
           {"arity", std::vector<int>(40, 2)},
           {"uplinks", std::vector<double>(39, 1.0)}});
  refused({"the numbers in arity must be at most 19", "given 40"}, "fat_tree",
          {{"nodes", 2}, {"arity", std::vector<int>(40, 1)}, {"uplinks", std::vector<double>(39)}});
  refused({"the numbers in extents must be at most 19", "given 20"}, "torus",
          {{"nodes", 1},
           {"extents", std::vector<int>(20, 1)},
           {"rings", std::vector<bool>(20)},
           {"link", 1.0}});
  refused({"links that are counted one by one must be at most"}, "fat_tree",
          {{"nodes", 65536},
           {"arity", {1, 65536}},
           {"uplinks", {65536.0}},
           {"routes_by_destination", true}});
}

/// A machine with lines, samples and a name that JSON must escape.
Machine with_records() {
  Machine machine = shipped_machine("infiniband-64");
  machine.name = "a \"name\" with {, [ and \n";
  for (std::int64_t i = 0; i < 3; ++i) {
    machine.arithmetic[0].lines.push_back({Kind::r2c, 8 + i, 2.5e-10});
    machine.samples.push_back({"line", 8.0 + static_cast<double>(i), 0.1, 1.0 / 3});
  }
  return machine;
}

TEST(Machine, text_has_one_record_a_line) {
  const Machine machine = with_records();
  const std::string text = to_json(machine);
  EXPECT_EQ(machine_from_json(text), machine);
  EXPECT_EQ(machine_from_json(ordered_json::parse(text).dump(2)), machine) << "other spaces";
  for (const char* line : {
           "\n      \"lines\": [\n",
           "\n        {\"kind\":\"r2c\",\"length\":9,\"seconds\":2.5e-10},\n",
           "\n    "
           "{\"precision\":\"f64\",\"effort\":\"estimate\",\"operation_s\":5e-11,\"lines\":[]},\n",
           "\n  \"cores_per_node\": 64,\n",
           "\n  \"all_to_all\": [],\n",
           "\n  \"within_node\": {\n    \"full_duplex\": true,\n",
           "\n  \"topology\": {\"network\":\"fat_tree\",\"nodes\":256,",
           "\n    {\"series\":\"line\",\"x\":8.0,\"seconds\":0.1,\"spread\":0.3333333333333333},\n",
       })
    EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text;
}

/// Returns a disk whose figures are all different.
ordered_json a_disk() {
  return {{"directory", "/data"},   {"direct", false},         {"latency_s", 1e-4},
          {"in_flight", 8},         {"read_access_s", 1e-5},   {"read_bytes_per_s", 2e9},
          {"write_access_s", 3e-5}, {"write_bytes_per_s", 1e9}};
}

TEST(Machine, json_has_disks_only_if_one_was_measured) {
  const std::string with =
      changed([](ordered_json& m) { m["disks"] = ordered_json::array({a_disk()}); });
  const Machine machine = machine_from_json(with);
  const Disk expected{"/data", false, 1e-4, 8, 1e-5, 2e9, 3e-5, 1e9};
  ASSERT_EQ(machine.disks.size(), 1U);
  EXPECT_EQ(machine.disks[0], expected);
  EXPECT_EQ(machine_from_json(to_json(machine)), machine);
  EXPECT_EQ(to_json(shipped_machine("infiniband-64")).find("disks"), std::string::npos);
}

TEST(Machine, impossible_disks_are_refused_with_their_key) {
  const auto refused = [](const std::string& key, const ordered_json& value, const char* rule) {
    expect_refused({"disks[0]." + key, rule}, [&](ordered_json& m) {
      m["disks"] = ordered_json::array({a_disk()});
      m["disks"][0][key] = value;
    });
  };
  refused("latency_s", -1.0, "from 0 to 1e30");
  refused("in_flight", 0, "at least 1");
  refused("read_access_s", -1.0, "from 0 to 1e30");
  refused("read_bytes_per_s", 0.0, "above 0");
  refused("write_access_s", -1.0, "from 0 to 1e30");
  refused("write_bytes_per_s", -2.0, "above 0");
  refused("direct", "perhaps", "\"perhaps\"");
  expect_refused({"disks[1].directory", "once", "/data"}, [](ordered_json& m) {
    m["disks"] = ordered_json::array({a_disk(), a_disk()});
  });
  expect_refused({"disks[0]", "\"in_flight\""}, [](ordered_json& m) {
    m["disks"] = ordered_json::array({a_disk()});
    m["disks"][0].erase("in_flight");
  });
}

TEST(Machine, missing_and_unknown_keys_and_other_versions_are_refused) {
  expect_refused({"\"blocking\" is missing"}, [](ordered_json& m) { m.erase("blocking"); });
  expect_refused({"machine.topology", "\"extents\""}, [](ordered_json& m) {
    m["topology"]["extents"] = {16, 16};
  });
  expect_refused({"version 3", "weft probe", "99"},
                 [](ordered_json& m) { m["weft_machine"] = 99; });
}

TEST(Machine, text_that_is_no_machine_is_refused) {
  for (const char* text :
       {"", "[]", "nonsense", "{\"weft_machine\": 1}", "{\"weft_machine\": NaN}"})
    expect_error(ErrorCode::invalid_argument, {}, [&] { machine_from_json(text); });
  expect_error(ErrorCode::invalid_argument, {"nested"},
               [] { machine_from_json(std::string(1 << 20, '[')); });
  expect_error(ErrorCode::invalid_argument, {"bytes long"},
               [] { machine_from_json(std::string(100 << 20, '[')); });
}

TEST(Machine, figures_that_are_not_finite_are_not_written) {
  Machine machine = shipped_machine("celerons");
  machine.barrier_s = std::numeric_limits<double>::quiet_NaN();
  expect_error(ErrorCode::invalid_argument, {"barrier_s"}, [&] { to_json(machine); });
  machine.barrier_s = 0;
  machine.copying[0].contiguous_s_per_byte = std::numeric_limits<double>::infinity();
  expect_error(ErrorCode::invalid_argument, {"copying"}, [&] { to_json(machine); });
}

}  // namespace
}  // namespace weft
