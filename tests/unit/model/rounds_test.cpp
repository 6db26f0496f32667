#include "model/rounds.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "plan/schedule.hpp"
#include "unit/support/networks.hpp"

namespace weft::model {
namespace {

using test_support::torus;
using Groups = std::vector<std::vector<std::int64_t>>;

std::vector<std::int64_t> all_numbers(std::int64_t count) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), std::int64_t{0});
  return result;
}

double all_to_all(const Topology& topology, Schedule schedule) {
  const auto ranks = all_numbers(topology.nodes);
  return busiest_by_rounds(topology, schedule, Groups{ranks}, ranks).load;
}

// Cyclic: all go one on, 1; two on, half each way, 1; three on, which is one back, 1.
// Pairwise, rounds 03 12, 13 02, 23 01: neighbours, 1. Both pairs across take two routes, half
// each: 0 to 2 over 0-1-2 and 0-3-2, 1 to 3 over 1-2-3 and 1-0-3, and back. So every link has two
// halves, 1.
TEST(Rounds, a_ring_of_four_has_one_message_on_a_link_in_each_round) {
  EXPECT_EQ(all_to_all(torus({4}), Schedule::cyclic), 3);
  EXPECT_EQ(all_to_all(torus({4}), Schedule::pairwise), 3);
}

// Cyclic: 1, 2, 2, 1 messages over each link. Pairwise, a reflection of the ring in each round: one
// pair of neighbours, and one of nodes two apart on the other side. No two meet.
TEST(Rounds, a_ring_of_five_is_busier_by_shifts_than_by_reflections) {
  EXPECT_EQ(all_to_all(torus({5}), Schedule::cyclic), 6);
  EXPECT_EQ(all_to_all(torus({5}), Schedule::pairwise), 5);
  const auto ranks = all_numbers(5);
  // The sum of the rounds' busiest links is no less than the busiest link of the sum.
  EXPECT_EQ(busiest_link(torus({5}), Groups{ranks}, ranks).load, 4);
}

// Rounds of four on nodes 00 01 10 11: two ways between neighbours in a ring of 2, half each way.
// Along an axis of two the halves go forward and backward, which are two links: 0.5 in each. But a
// message needs as long as if it had one link.
TEST(Rounds, a_message_has_one_link_of_a_torus) {
  EXPECT_EQ(all_to_all(torus({2, 2}), Schedule::pairwise), 3);
  Topology narrow = torus({2, 2});
  narrow.link = 0.25;  // a node's rate is that of its four links
  EXPECT_EQ(all_to_all(narrow, Schedule::pairwise), 12);
  EXPECT_EQ(all_to_all(narrow, Schedule::cyclic), 12);
}

// Rows of a 2 x 4 torus go along its rings at once, each on its own.
TEST(Rounds, groups_go_through_their_rounds_in_step) {
  const auto ranks = all_numbers(8);
  const Groups rows{{0, 1, 2, 3}, {4, 5, 6, 7}};
  EXPECT_EQ(busiest_by_rounds(torus({2, 4}), Schedule::cyclic, rows, ranks).load, 3);
  // On one ring their messages meet. Each of the eight nodes sends two places ahead, so 2 on a
  // link. Four places, half each way: 2. Two places back: 2.
  const Groups woven{{0, 2, 4, 6}, {1, 3, 5, 7}};
  EXPECT_EQ(busiest_by_rounds(torus({8}), Schedule::cyclic, woven, ranks).load, 2 + 2 + 2);
}

Topology fat_tree(double uplinks) {
  Topology topology;
  topology.network = Network::fat_tree;
  topology.nodes = 4;
  topology.arity = {2, 2};
  topology.uplinks = {uplinks};
  return topology;
}

// Rounds 03 12, 13 02, 23 01: the first two send both nodes' messages up, the last none.
TEST(Rounds, a_fat_tree_waits_for_the_links_above_its_switches) {
  EXPECT_EQ(all_to_all(fat_tree(1), Schedule::pairwise), 2 + 2 + 1);
  EXPECT_EQ(all_to_all(fat_tree(2), Schedule::pairwise), 3);
  // By one: 1 leaves each switch. By two: both. By three: one.
  EXPECT_EQ(all_to_all(fat_tree(1), Schedule::cyclic), 1 + 2 + 1);
}

// Two links above each switch, to even and to odd nodes. Pairwise: 03 12, both destinations of a
// switch apart; 13 02, 3 and 2 apart; 01 23. Cyclic, two on: 0 to 2 and 1 to 3, apart. Of nodes 0 1
// 2 3 in the order 0 2 1 3, rounds 03 21 and 23 01: 0 and 1 of the first switch send to 3 and 2.
TEST(Rounds, links_of_a_fat_tree_may_be_those_of_the_destinations) {
  Topology tree = fat_tree(2);
  tree.routes_by_destination = true;
  EXPECT_EQ(all_to_all(tree, Schedule::pairwise), 3);
  EXPECT_EQ(all_to_all(tree, Schedule::cyclic), 3);
  // Groups 0 4 and 1 6 of two switches of four nodes: 4 and 6 are even, so one link has both.
  tree.nodes = 8;
  tree.arity = {4, 2};
  const auto ranks = all_numbers(8);
  const Groups pairs{{0, 4}, {1, 6}};
  const BusiestLink link = busiest_by_rounds(tree, Schedule::pairwise, pairs, ranks);
  EXPECT_EQ(link.load, 2);
  EXPECT_EQ(link.name, "link 0 above switch 0.0");
  EXPECT_EQ(busiest_by_rounds(tree, Schedule::pairwise, Groups{{0, 4}, {1, 7}}, ranks).load, 1);
  tree.routes_by_destination = false;
  EXPECT_EQ(busiest_by_rounds(tree, Schedule::pairwise, pairs, ranks).load, 1);
}

TEST(Rounds, what_passes_one_medium_passes_it_in_any_order) {
  Topology topology;
  topology.nodes = 4;
  topology.bisection = 2;
  EXPECT_EQ(all_to_all(topology, Schedule::pairwise), 4 * 3 / 2.0);
  topology.bisection = 0;
  EXPECT_EQ(all_to_all(topology, Schedule::cyclic), 3);
  topology.network = Network::hub;
  EXPECT_EQ(all_to_all(topology, Schedule::cyclic), 4 * 3);
}

// Switches 0 1 | 2 3 of two groups, one node each; the groups' one link joins switches 0 and 2.
TEST(Rounds, groups_of_a_dragonfly_share_one_link) {
  Topology topology;
  topology.network = Network::dragonfly;
  topology.nodes = 4;
  topology.switches = 2;
  topology.nodes_per_switch = 1;
  EXPECT_EQ(all_to_all(topology, Schedule::pairwise), 2 + 2 + 1);
}

// Ranks 0 and 1 share a node: messages between them pass no link, and both send at once.
TEST(Rounds, ranks_of_a_node_share_its_link) {
  Topology topology;
  topology.nodes = 2;
  topology.bisection = 2;
  const auto ranks = all_numbers(4);
  const std::vector<std::int64_t> node_of{0, 0, 1, 1};
  EXPECT_EQ(busiest_by_rounds(topology, Schedule::pairwise, Groups{ranks}, node_of).load,
            2 + 2 + 0);
}

TEST(Rounds, groups_of_one_or_none_have_none) {
  const auto ranks = all_numbers(4);
  const Groups alone{{0}, {}, {2}, {3}};
  EXPECT_EQ(busiest_by_rounds(torus({4}), Schedule::pairwise, alone, ranks).load, 0);
}

// Their messages go through the rounds of all ranks, most of which are empty.
TEST(Rounds, groups_that_share_ranks_have_none_of_their_own) {
  const auto ranks = all_numbers(4);
  const Groups sharing{{0, 1, 2}, {1, 2, 3}};
  EXPECT_EQ(busiest_by_rounds(torus({4}), Schedule::pairwise, sharing, ranks).load, 0);
}

/// All rounds, where busiest_by_rounds() looks at some only.
double all_rounds(const Topology& topology, Schedule schedule) {
  const std::int64_t nodes = topology.nodes;
  const auto ranks = all_numbers(nodes);
  double sum = 0;
  for (std::int64_t round = 0; round < nodes - 1; ++round) {
    // A group of two for each pair has one round: this one.
    Groups pairs;
    for (std::int64_t rank = 0; rank < nodes; ++rank) {
      const std::int64_t other = pairwise_partner(round, rank, nodes);
      if (rank < other) pairs.push_back({rank, other});
    }
    sum += busiest_by_rounds(topology, schedule, pairs, ranks).load;
  }
  return sum;
}

TEST(Rounds, a_sample_stands_for_rounds_that_are_many) {
  const Topology topology = torus({8, 8, 12});
  ASSERT_GT(768 * 767, most_messages_in_rounds);
  const double all = all_rounds(topology, Schedule::pairwise);
  EXPECT_NEAR(all_to_all(topology, Schedule::pairwise), all, 0.05 * all);
}

}  // namespace
}  // namespace weft::model
