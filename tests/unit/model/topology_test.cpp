#include "model/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <tuple>

#include "model/placement.hpp"
#include "model/torus.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"
#include "unit/support/networks.hpp"

namespace weft::model {
namespace {

using test_support::expect_error;
using test_support::torus;
using Groups = std::vector<std::vector<std::int64_t>>;

std::vector<std::int64_t> numbers(std::int64_t count, std::int64_t step = 1) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) result[static_cast<std::size_t>(i)] = i * step;
  return result;
}

double all_to_all(const Topology& topology) {
  const auto ranks = numbers(topology.nodes);
  return busiest_torus_link(topology, Groups{ranks}, ranks).load;
}

// Paper 004, section 4.2: "1, 4, 16, ... (a/4)^2" of neighbours. A ring has the load a^2/8, half of
// the load of an open line of the same length. (The paper prints (a/2)^2 x 2.)
TEST(Torus, lines_and_rings_have_the_known_loads) {
  for (const auto& [nodes, load] :
       std::map<std::int64_t, double>{{2, 1}, {4, 4}, {8, 16}, {16, 64}})
    EXPECT_EQ(all_to_all(torus({nodes}, false)), load) << nodes;
  for (const auto& [nodes, load] :
       std::map<std::int64_t, double>{{4, 2}, {8, 8}, {16, 32}, {32, 128}})
    EXPECT_EQ(all_to_all(torus({nodes})), load) << nodes;
}

TEST(Torus, ties_may_all_go_forward) {
  for (const auto& [extents, load] :
       std::map<Shape, double>{{{4}, 3}, {{5}, 3}, {{8}, 10}, {{4, 4, 4}, 48}}) {
    Topology topology = torus(extents);
    topology.ties_forward = true;
    EXPECT_EQ(all_to_all(topology), load) << extents.size() << " of " << extents[0];
  }
}

// The longest axis decides. For p nodes and an axis of length a, its load is p a / 8 in each
// direction.
TEST(Torus, the_longest_axis_is_the_busiest) {
  EXPECT_EQ(all_to_all(torus({8, 8, 8})), 512.0 * 8 / 8);
  EXPECT_EQ(all_to_all(torus({8, 32, 16})), 4096.0 * 32 / 8);
  EXPECT_EQ(all_to_all(torus({4, 4, 2, 6})), 192.0 * 6 / 8);
}

/// Counts loads message by message and step by step, for comparison.
class Walker {
 public:
  explicit Walker(const Topology& topology) : topology_(topology) {}

  void send(std::int64_t from, std::int64_t to) {
    std::int64_t stride = topology_.nodes;
    std::int64_t at = from;
    for (std::size_t axis = 0; axis < topology_.extents.size(); ++axis) {
      const std::int64_t extent = topology_.extents[axis];
      stride /= extent;
      const std::int64_t a = at / stride % extent;
      const std::int64_t b = to / stride % extent;
      if (topology_.rings[axis]) {
        const std::int64_t ahead = (b - a + extent) % extent;
        const double share = 2 * ahead == extent ? 0.5 : 1;
        if (2 * ahead <= extent) walk(axis, at, stride, extent, ahead, +1, share);
        if (2 * ahead >= extent && ahead > 0)
          walk(axis, at, stride, extent, extent - ahead, -1, share);
      } else {
        walk(axis, at, stride, extent, std::abs(b - a), b > a ? +1 : -1, 1);
      }
      at += (b - a) * stride;
    }
  }

  double busiest() const {
    double most = 0;
    for (const auto& [link, load] : loads_) most = std::max(most, load);
    return most;
  }

 private:
  void walk(std::size_t axis, std::int64_t at, std::int64_t stride, std::int64_t extent,
            std::int64_t steps, int direction, double share) {
    for (std::int64_t step = 0; step < steps; ++step) {
      loads_[{axis, at, direction}] += share;
      const std::int64_t place = at / stride % extent;
      at += ((place + direction + extent) % extent - place) * stride;
    }
  }

  const Topology& topology_;
  std::map<std::tuple<std::size_t, std::int64_t, int>, double> loads_;
};

TEST(Torus, loads_equal_a_count_of_every_message) {
  const std::uint64_t seed = test_support::chosen_seed(20261122);
  std::mt19937 random(seed);
  const auto below = [&](std::int64_t end) {
    return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random);
  };
  for (int number = 0; number < 60; ++number) {
    Topology topology = torus(std::vector<std::int64_t>{});
    topology.nodes = 1;
    for (std::int64_t axis = 1 + below(3); axis > 0; --axis) {
      topology.extents.push_back(1 + below(6));
      topology.rings.push_back(below(2) == 0);
      topology.nodes *= topology.extents.back();
    }
    // Ranks are on random nodes, also several on a node, in groups of any size.
    const std::int64_t ranks = 1 + below(40);
    std::vector<std::int64_t> node_of;
    Groups groups(static_cast<std::size_t>(1 + below(4)));
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      node_of.push_back(below(topology.nodes));
      groups[static_cast<std::size_t>(below(static_cast<std::int64_t>(groups.size())))].push_back(
          rank);
    }
    Walker walker(topology);
    for (const auto& group : groups)
      for (const std::int64_t from : group)
        for (const std::int64_t to : group)
          walker.send(node_of[static_cast<std::size_t>(from)],
                      node_of[static_cast<std::size_t>(to)]);
    EXPECT_NEAR(busiest_torus_link(topology, groups, node_of).load, walker.busiest(), 1e-9)
        << "seed " << seed << ", case " << number;
  }
}

// The groups are the rows or the columns of a process grid. The order decides the nodes of their
// ranks.
TEST(Torus, loads_of_rows_and_columns_equal_a_count_of_every_message) {
  for (const char* order : {"", "xyzt", "yztx", "z2y2xyzt", "txy2zy"})
    for (const bool rings : {true, false})
      for (const std::int64_t row : {2, 6, 12, 24, 96}) {
        Topology topology = torus({3, 4, 4}, rings);
        topology.order = order;
        const std::int64_t ranks = 96;
        const Placement placement(topology, ranks, 2);
        Groups rows;
        Groups columns(static_cast<std::size_t>(row));
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
          if (rank % row == 0) rows.emplace_back();
          rows.back().push_back(rank);
          columns[static_cast<std::size_t>(rank % row)].push_back(rank);
        }
        for (const Groups& groups : {rows, columns}) {
          Walker walker(topology);
          for (const auto& group : groups)
            for (const std::int64_t from : group)
              for (const std::int64_t to : group)
                walker.send(placement.node_of()[static_cast<std::size_t>(from)],
                            placement.node_of()[static_cast<std::size_t>(to)]);
          EXPECT_EQ(busiest_torus_link(topology, groups, placement.node_of()).load,
                    walker.busiest())
              << order << ", rows of " << row << (rings ? " on rings" : " on lines");
        }
      }
}

TEST(Topology, a_crossbar_is_as_busy_as_its_busiest_node_or_its_middle) {
  Topology topology;
  topology.nodes = 4;
  const auto ranks = numbers(8);
  const std::vector<std::int64_t> node_of{0, 0, 1, 1, 2, 2, 3, 3};
  const BusiestLink node = busiest_link(topology, Groups{ranks}, node_of);
  EXPECT_EQ(node.load, 2 * 6);  // each of two ranks sends to the six ranks on other nodes
  EXPECT_NE(node.name.find("node"), std::string::npos) << node.name;
  topology.bisection = 2;
  const BusiestLink middle = busiest_link(topology, Groups{ranks}, node_of);
  EXPECT_EQ(middle.load, 4 * 12 / 2.0);
  EXPECT_EQ(middle.name, "the switch");
  // Groups within nodes pass no link at all.
  const Groups pairs{{0, 1}, {2, 3}, {4, 5}, {6, 7}};
  EXPECT_EQ(busiest_link(topology, pairs, node_of).load, 0);
}

TEST(Topology, a_hub_carries_every_message) {
  Topology topology;
  topology.network = Network::hub;
  topology.nodes = 4;
  const auto ranks = numbers(4);
  EXPECT_EQ(busiest_link(topology, Groups{ranks}, ranks).load, 4 * 3);
}

TEST(Topology, loads_of_a_fat_tree_are_messages_that_leave_switches) {
  Topology topology;
  topology.network = Network::fat_tree;
  topology.nodes = 16;
  topology.arity = {4, 4};
  topology.uplinks = {2};  // half of the rate of the four nodes below the switch
  const auto ranks = numbers(16);
  const BusiestLink found = busiest_link(topology, Groups{ranks}, ranks);
  EXPECT_EQ(found.load, 4 * 12 / 2.0);
  EXPECT_NE(found.name.find("switch 0.0"), std::string::npos) << found.name;
  topology.uplinks = {4};
  EXPECT_EQ(busiest_link(topology, Groups{ranks}, ranks).load, 15);  // the node's own link
  // Rows under one switch do not load its uplink; columns do.
  const Groups rows{{0, 1, 2, 3}, {4, 5, 6, 7}};
  EXPECT_EQ(busiest_link(topology, rows, ranks).load, 3);
  topology.uplinks = {1};
  const Groups columns{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}};
  EXPECT_EQ(busiest_link(topology, columns, ranks).load, 4 * 3);
}

TEST(Topology, groups_of_a_dragonfly_share_one_link) {
  Topology topology;
  topology.network = Network::dragonfly;
  topology.nodes = 12;  // 3 groups of 2 switches of 2 nodes
  topology.switches = 2;
  topology.nodes_per_switch = 2;
  const auto ranks = numbers(12);
  // Between two groups there are 4 x 4 messages. The link from switch 0 to switch 1 has 2 x 2
  // messages between their own nodes, 2 x 4 messages to the group that switch 1 leads to, and 4 x 2
  // messages that come from the group at switch 0.
  const BusiestLink found = busiest_link(topology, Groups{ranks}, ranks);
  EXPECT_EQ(found.load, 20);
  topology.link = 2;
  EXPECT_EQ(busiest_link(topology, Groups{ranks}, ranks).load, 11);  // the node's own link
  // With one switch in a group, only links between groups are left: 4 x 4 messages each way.
  topology.switches = 1;
  topology.nodes_per_switch = 4;
  topology.link = 0.5;
  EXPECT_EQ(busiest_link(topology, Groups{ranks}, ranks).load, 4 * 4 / 0.5);
  topology.switches = topology.nodes_per_switch = 2;
  const Groups within{{0, 1, 2, 3}};
  topology.link = 0.5;
  EXPECT_EQ(busiest_link(topology, within, ranks).load, 2 * 2 / 0.5);
}

TEST(Topology, sixteen_thousand_nodes_are_within_reach) {
  const Topology topology = torus({32, 32, 16});
  const auto node_of = numbers(topology.nodes);
  Groups columns;
  for (std::int64_t row = 0; row < 16; ++row) {
    columns.emplace_back(numbers(1024, 16));
    for (std::int64_t& rank : columns.back()) rank += row;
  }
  // A column has one node in each line along the fast axis: an all-to-all of 32 x 32 in each plane.
  EXPECT_EQ(busiest_torus_link(topology, columns, node_of).load, 1024.0 * 32 / 8);
}

TEST(Topology, refuses_networks_that_cannot_be) {
  Topology topology = torus({4, 4});
  model::check(topology);
  topology.extents = {4, 5};
  expect_error(ErrorCode::invalid_argument, {"multiply to its 16 nodes", "[4, 5]"},
               [&] { model::check(topology); });
  topology.extents = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  expect_error(ErrorCode::invalid_argument, {"multiply"}, [&] { model::check(topology); });
  topology = torus({4});
  topology.rings.clear();
  expect_error(ErrorCode::invalid_argument, {"ring"}, [&] { model::check(topology); });
  topology = {};
  topology.bisection = -1;
  expect_error(ErrorCode::invalid_argument, {"capacities"}, [&] { model::check(topology); });
  topology = {};
  topology.network = Network::fat_tree;
  topology.nodes = 8;
  topology.arity = {4, 2};
  expect_error(ErrorCode::invalid_argument, {"0 for 2 levels"}, [&] { model::check(topology); });
  topology = {};
  topology.network = Network::dragonfly;
  topology.nodes = 10;
  topology.switches = 4;
  expect_error(ErrorCode::invalid_argument, {"divide its 10 nodes"},
               [&] { model::check(topology); });
}

TEST(Torus, few_ranks_load_a_large_torus_like_a_small_torus) {
  std::vector<std::int64_t> nodes = numbers(256);
  Groups rows(16);
  for (std::int64_t rank = 0; rank < 256; ++rank)
    rows[static_cast<std::size_t>(rank % 16)].push_back(rank);
  for (const bool rings : {true, false}) {
    const BusiestLink small = busiest_link(torus({16, 16}, rings), rows, nodes);
    const BusiestLink large = busiest_link(torus({1024, 16, 16}, rings), rows, nodes);
    EXPECT_GT(small.load, 0);
    EXPECT_EQ(large.load, small.load);
  }
}

/// Counts message by message over the links that the destinations choose.
double counted_by_destination(const Topology& tree, const Groups& groups,
                              const std::vector<std::int64_t>& node_of) {
  std::map<std::tuple<int, std::size_t, std::int64_t, std::int64_t>, double> loads;
  std::map<std::pair<std::int64_t, bool>, double> nodes;
  for (const auto& group : groups)
    for (const std::int64_t sender : group)
      for (const std::int64_t receiver : group) {
        const std::int64_t from = node_of[static_cast<std::size_t>(sender)];
        const std::int64_t to = node_of[static_cast<std::size_t>(receiver)];
        if (from == to) continue;
        ++nodes[{from, true}];
        ++nodes[{to, false}];
        std::int64_t below = 1;
        for (std::size_t level = 0; level < tree.uplinks.size(); ++level) {
          below *= tree.arity[level];
          if (from / below == to / below) break;
          const auto link = to % static_cast<std::int64_t>(tree.uplinks[level]);
          ++loads[{0, level, from / below, link}];
          ++loads[{1, level, to / below, link}];
        }
      }
  double most = 0;
  for (const auto& [place, load] : loads) most = std::max(most, load);
  for (const auto& [place, load] : nodes) most = std::max(most, load);
  return most;
}

TEST(FatTree, links_by_destination_have_the_counted_loads) {
  const std::uint64_t seed = test_support::chosen_seed(20);
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Topology tree;
  tree.network = Network::fat_tree;
  tree.nodes = 60;
  tree.arity = {5, 4, 3};
  tree.uplinks = {3, 6};
  tree.routes_by_destination = true;
  int busier_than_even = 0;
  for (int trial = 0; trial < 20; ++trial) {
    auto node_of = numbers(60);
    std::shuffle(node_of.begin(), node_of.end(), random);
    Groups groups(static_cast<std::size_t>(1 + trial % 7));
    for (std::int64_t rank = 0; rank < 60; ++rank)
      groups[static_cast<std::size_t>(rank) % groups.size()].push_back(rank);
    const double load = busiest_link(tree, groups, node_of).load;
    EXPECT_EQ(load, counted_by_destination(tree, groups, node_of)) << "trial " << trial;
    Topology even = tree;
    even.routes_by_destination = false;
    busier_than_even += load > busiest_link(even, groups, node_of).load;
  }
  EXPECT_GT(busier_than_even, 0);
}

// A group is the 16 nodes of two leaf switches. Of each node's messages, 7 remain below its switch
// and 8 leave it. The 7 have twice the share of the node's link, so they end after the time of (2 x
// 7 + 8) / 2 = 11 messages. Half of the 64 messages over the 4 links above then remain.
TEST(FatTree, links_above_wait_if_short_routes_go_first) {
  Topology tree;
  tree.network = Network::fat_tree;
  tree.nodes = 64;
  tree.arity = {8, 8};
  tree.uplinks = {4};
  const auto ranks = numbers(64);
  Groups rows(4);
  Groups columns(16);
  Groups leaves(8);
  for (const std::int64_t rank : ranks) {
    rows[static_cast<std::size_t>(rank / 16)].push_back(rank);
    columns[static_cast<std::size_t>(rank % 16)].push_back(rank);
    leaves[static_cast<std::size_t>(rank / 8)].push_back(rank);
  }
  EXPECT_EQ(busiest_link(tree, rows, ranks).load, 16);
  tree.short_ways_first = true;
  EXPECT_EQ(busiest_link(tree, rows, ranks).load, 11 + 16 / 2.0);
  EXPECT_EQ(busiest_link(tree, rows, ranks, false).load, 16) << "messages go one after the other";
  EXPECT_EQ(busiest_link(tree, columns, ranks).load, 8 * 3 / 4.0) << "no message stays in a leaf";
  EXPECT_EQ(busiest_link(tree, leaves, ranks).load, 7) << "no message leaves a leaf";
  EXPECT_EQ(busiest_link(tree, Groups{ranks}, ranks).load, 8 * 56 / 4.0) << "links are always full";
  tree.uplinks = {8};
  EXPECT_EQ(busiest_link(tree, rows, ranks).load, 15) << "links above are as fast as the nodes";
}

TEST(FatTree, numbers_of_links_by_destination_are_whole_and_multiples) {
  Topology tree;
  tree.network = Network::fat_tree;
  tree.nodes = 8;
  tree.arity = {2, 2, 2};
  tree.routes_by_destination = true;
  for (const auto& [uplinks, word] :
       std::map<std::vector<double>, std::string>{{{1.5, 2}, "1.5"},
                                                  {{2, 3}, "given 3 above 2"},
                                                  {{0.5, 1}, "0.5"},
                                                  {{1e9, 1e9}, "65536"}}) {
    tree.uplinks = uplinks;
    expect_error(ErrorCode::invalid_argument, {"whole numbers of links", word},
                 [&] { check(tree); });
  }
  tree.uplinks = {2, 4};
  EXPECT_NO_THROW(check(tree));
}

}  // namespace
}  // namespace weft::model
