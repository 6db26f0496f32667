// Orders of ranks over nodes: the place of each rank, the words that are orders, and the orders
// that are tried.
#include "model/rank_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <set>

#include "model/placement.hpp"
#include "model/topology.hpp"
#include "model/torus.hpp"
#include "planner/orders.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"
#include "unit/support/networks.hpp"

namespace weft {
namespace {

using test_support::expect_error;
using test_support::torus;
using Numbers = std::vector<std::int64_t>;

Topology fat_tree(Numbers arity, const std::string& order = "") {
  Topology topology;
  topology.network = Network::fat_tree;
  topology.nodes =
      std::accumulate(arity.begin(), arity.end(), std::int64_t{1}, std::multiplies<std::int64_t>());
  topology.uplinks.assign(arity.size() - 1, 1);
  topology.arity = std::move(arity);
  topology.order = order;
  return topology;
}

Topology dragonfly(std::int64_t groups, std::int64_t switches, std::int64_t nodes,
                   const std::string& order = "") {
  Topology topology;
  topology.network = Network::dragonfly;
  topology.nodes = groups * switches * nodes;
  topology.switches = switches;
  topology.nodes_per_switch = nodes;
  topology.order = order;
  return topology;
}

Topology crossbar(std::int64_t nodes, const std::string& order = "") {
  Topology topology;
  topology.nodes = nodes;
  topology.order = order;
  return topology;
}

/// Returns node * ranks_on_node + slot for each rank.
Numbers places(const Topology& topology, std::int64_t ranks, std::int64_t on_node) {
  Numbers found;
  for (const RankPlace& place : rank_places(topology, ranks, on_node))
    found.push_back(place.node * on_node + place.slot);
  return found;
}

TEST(RankOrder, the_default_fills_node_after_node) {
  EXPECT_EQ(default_order(torus({2, 3, 4})), "tzyx");
  EXPECT_EQ(default_order(torus({2, 3, 4, 5})), "tdcba");
  EXPECT_EQ(default_order(fat_tree({4, 2})), "tba");
  EXPECT_EQ(default_order(dragonfly(3, 2, 2)), "tnsg");
  EXPECT_EQ(default_order(crossbar(7)), "tn");
  for (const Topology& network :
       {torus({2, 3, 2}), fat_tree({4, 3}), dragonfly(3, 2, 2), crossbar(12)}) {
    Topology named = network;
    named.order = default_order(network);
    Numbers in_order(23);
    std::iota(in_order.begin(), in_order.end(), 0);
    EXPECT_EQ(places(network, 23, 2), in_order);
    EXPECT_EQ(places(named, 23, 2), in_order) << named.order;
  }
}

// A torus of 2 x 3 nodes, numbered 0 1 2 (x = 0) and 3 4 5 (x = 1), two ranks on each.
TEST(RankOrder, the_first_letter_is_the_fastest) {
  EXPECT_EQ(places(torus({2, 3}, "xyt"), 12, 2), (Numbers{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}));
  EXPECT_EQ(places(torus({2, 3}, "txy"), 12, 2), (Numbers{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}));
  EXPECT_EQ(places(torus({2, 3}, "ytx"), 12, 2), (Numbers{0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11}));
  EXPECT_EQ(places(crossbar(3, "nt"), 6, 2), (Numbers{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(places(fat_tree({2, 3}, "abt"), 6, 1), (Numbers{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(places(dragonfly(2, 2, 2, "gsnt"), 8, 1), (Numbers{0, 4, 2, 6, 1, 5, 3, 7}));
}

TEST(RankOrder, a_number_after_a_letter_takes_a_part_of_its_axis) {
  EXPECT_EQ(places(torus({4, 4}, "y2x2yxt"), 16, 1),
            (Numbers{0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15}));
  EXPECT_EQ(places(torus({8}, "x2x4t"), 8, 1), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(places(crossbar(2, "t2nt"), 8, 4), (Numbers{0, 1, 4, 5, 2, 3, 6, 7}));
}

TEST(RankOrder, places_without_a_rank_are_skipped) {
  EXPECT_EQ(places(crossbar(3, "nt"), 5, 2), (Numbers{0, 2, 4, 1, 3}));
  EXPECT_EQ(places(crossbar(100, "nt"), 4, 2), (Numbers{0, 2, 1, 3}));
  EXPECT_EQ(places(torus({2, 3}, "xyt"), 4, 1), (Numbers{0, 3, 1, 2}));
}

TEST(RankOrder, every_place_is_taken_once) {
  const std::uint64_t seed = test_support::chosen_seed(7);
  std::mt19937 random(seed);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int number = 0; number < 200; ++number) {
    Topology topology = torus({draw(1, 4), 2 * draw(1, 3), draw(1, 5)});
    std::string letters = number % 2 == 0 ? "xyzt" : "y2xtyz";
    if (number % 2 == 0) std::shuffle(letters.begin(), letters.end(), random);
    topology.order = letters;
    const std::int64_t on_node = draw(1, 3);
    const std::int64_t ranks = draw(1, topology.nodes * on_node);
    Numbers found = places(topology, ranks, on_node);
    std::sort(found.begin(), found.end());
    Numbers all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(found, all) << "seed " << seed << ", " << topology.order;
  }
}

TEST(RankOrder, ranks_that_share_a_node_are_known) {
  const model::Placement together(torus({4}, "tx"), 8, 2);
  EXPECT_TRUE(together.keeps_nodes_together());
  EXPECT_EQ(together.sharing_with(5), (Numbers{4, 5}));
  const model::Placement turned(torus({2, 2}, "txy"), 8, 2);
  EXPECT_TRUE(turned.keeps_nodes_together());
  EXPECT_EQ(turned.node_of()[2], 2);
  const model::Placement apart(torus({4}, "xt"), 7, 2);
  EXPECT_FALSE(apart.keeps_nodes_together());
  EXPECT_EQ(apart.sharing_with(5), (Numbers{1, 5}));
  EXPECT_EQ(apart.sharing_with(3), (Numbers{3}));  // the last node has one rank
  EXPECT_TRUE(model::Placement(torus({4}, "xt"), 4, 1).keeps_nodes_together());
}

TEST(RankOrder, refuses_words_that_are_no_order) {
  const auto refused = [](const Topology& network, std::vector<std::string> words) {
    words.push_back("\"" + network.order + "\"");
    expect_error(ErrorCode::invalid_argument, words, [&] { model::check(network); });
  };
  refused(torus({4, 4, 4}, "xyt"), {"z is missing", "the default is \"tzyx\""});
  refused(torus({4, 4, 4}, "xyz"), {"t is missing"});
  refused(torus({4, 4, 4}, "xyzzt"), {"z appears again"});
  refused(torus({4, 4, 4}, "xyznt"), {"no axis n"});
  refused(torus({4, 4, 4}, "XYZT"), {"small letters"});
  refused(torus({4, 4, 4}, "x y z t"), {"small letters"});
  refused(torus({4, 4, 4}, "4xyzt"), {"small letters"});
  refused(torus({4, 4, 4}, "x0yzxt"), {"from 1"});
  refused(torus({4, 4, 4}, "x99999999999999999999yzxt"), {"from 1"});
  refused(torus({4, 4, 4}, "x3yzxt"), {"must divide", "4 are left"});
  refused(torus({4, 4, 4}, "x2yzt"), {"all of each axis", "a factor of 2"});
  refused(crossbar(4, "xyzt"), {"no axis x"});
  expect_error(ErrorCode::invalid_argument, {"at most 256"},
               [] { model::check(crossbar(4, std::string(300, 'n'))); });
  expect_error(ErrorCode::invalid_argument, {"after t", "3", "\"t2n\""},
               [] { rank_places(crossbar(4, "t2n"), 12, 3); });
  expect_error(ErrorCode::invalid_argument, {"4 nodes", "9 ranks", "2 on a node"},
               [] { rank_places(crossbar(4), 9, 2); });
  expect_error(ErrorCode::invalid_argument, {"1 or more"}, [] { rank_places(crossbar(4), 4, 0); });
}

TEST(RankOrder, a_machine_may_have_an_order) {
  Machine machine = shipped_machine("bgl-512");
  EXPECT_EQ(machine.topology.order, "");
  EXPECT_EQ(to_json(machine).find("\"order\""), std::string::npos)
      << "no order is written for the default";
  machine.topology.order = "xyzt";
  const std::string text = to_json(machine);
  EXPECT_EQ(machine_from_json(text), machine);
  const auto with = [&](const std::string& value) {
    std::string changed = text;
    changed.replace(changed.find("\"xyzt\""), 6, value);
    return changed;
  };
  expect_error(ErrorCode::invalid_argument, {"no axis w", "\"wxyz\"", "default is \"tzyx\""},
               [&] { machine_from_json(with("\"wxyz\"")); });
  expect_error(ErrorCode::invalid_argument, {"machine.topology.order", "4"},
               [&] { machine_from_json(with("4")); });
}

// An all-to-all in a ring of a nodes loads each link with a^2/8 messages. If a row of ranks is two
// rings, the load is twice as large, because each rank also sends to the other ring.
TEST(RankOrder, loads_follow_the_order) {
  const auto load = [](const std::string& order, std::int64_t row) {
    const Topology network = torus({4, 8}, order);
    const model::Placement placement(network, 32, 1);
    std::vector<Numbers> rows;
    for (std::int64_t rank = 0; rank < 32; ++rank) {
      if (rank % row == 0) rows.emplace_back();
      rows.back().push_back(rank);
    }
    return model::busiest_torus_link(network, rows, placement.node_of()).load;
  };
  EXPECT_EQ(load("tyx", 8), 8 * 8 / 8.0);
  EXPECT_EQ(load("txy", 4), 4 * 4 / 8.0);
  EXPECT_EQ(load("tyx", 4), 2 * 2.0);          // half of a ring of 8 is an open line
  EXPECT_EQ(load("txy", 8), 4 * 4 / 8.0 * 2);  // two neighbouring rings of 4
  EXPECT_EQ(load("ty2x2yx", 4), 1 * 2.0);      // blocks of 2 x 2: one step, for two lines
}

TEST(RankOrder, orders_of_equal_axes_are_tried_once) {
  using planner::sequences;
  EXPECT_EQ(sequences(torus({8, 8, 8}), 1), std::vector<std::string>{});
  EXPECT_EQ(sequences(torus({8, 8, 8}), 2).size(), 3U);  // t after one, two or three of the axes
  EXPECT_EQ(sequences(torus({8, 32, 16}), 1).size(), 5U);
  EXPECT_EQ(sequences(torus({16, 32, 16}), 1), (std::vector<std::string>{"zxyt", "yzxt"}));
  EXPECT_EQ(sequences(crossbar(8), 1), std::vector<std::string>{});
  EXPECT_EQ(sequences(crossbar(8), 4), std::vector<std::string>{"nt"});
  EXPECT_EQ(sequences(fat_tree({4, 4}), 1), std::vector<std::string>{"abt"});
  EXPECT_LE(sequences(torus({4, 5, 6, 7, 8, 9}), 2).size(), 14U);
  for (const Topology& network :
       {torus({4, 5, 6, 7, 8, 9}), torus({8, 32, 16}), dragonfly(4, 3, 2)})
    for (const std::string& order : sequences(network, 2)) {
      Topology named = network;
      named.order = order;
      EXPECT_NO_THROW(model::check(named)) << order;
    }
}

TEST(RankOrder, blocks_are_near_to_cubes) {
  using planner::block_order;
  EXPECT_EQ(block_order(torus({16, 16, 16}), 1, 64), "tz4y4x4zyx");
  EXPECT_EQ(block_order(torus({16, 16, 16}), 2, 64), "tz4y4x2zyx");
  EXPECT_EQ(block_order(torus({2, 16, 16}), 1, 64), "tz8y4xzy");
  EXPECT_EQ(block_order(torus({9, 9}), 1, 27), "tyx3x");
  EXPECT_EQ(block_order(torus({16, 16}), 1, 7), "");   // 7 divides no axis
  EXPECT_EQ(block_order(torus({16, 16}), 3, 16), "");  // 16 ranks are not whole nodes of 3
  EXPECT_EQ(block_order(torus({4, 4}), 1, 16), "");    // the block is the whole network
  EXPECT_EQ(block_order(fat_tree({4, 4}), 1, 4), "");
}

}  // namespace
}  // namespace weft
