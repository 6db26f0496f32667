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

// Each round loads its busiest link with 1 message. In the cyclic schedule, each node sends to the
// next node, then to the opposite node (half of a message each way), then to the previous node. In
// the pairwise schedule, the pairs are 03 12, then 13 02, then 23 01. The first and the last pairs
// are neighbours. The second pairs are opposite, and half of a message goes each way: from 0 to 2
// over 1 and over 3. So every link has two halves of messages.
TEST(Rounds, a_ring_of_four_has_one_message_on_a_link_in_each_round) {
  EXPECT_EQ(all_to_all(torus({4}), Schedule::cyclic), 3);
  EXPECT_EQ(all_to_all(torus({4}), Schedule::pairwise), 3);
}

// In the cyclic schedule, the rounds load each link with 1, 2, 2 and 1 messages. In the pairwise
// schedule, each round is a reflection of the ring. One pair are neighbours. The other pair are two
// links apart, on the other side of the ring. So their messages share no link.
TEST(Rounds, a_ring_of_five_is_busier_by_shifts_than_by_reflections) {
  EXPECT_EQ(all_to_all(torus({5}), Schedule::cyclic), 6);
  EXPECT_EQ(all_to_all(torus({5}), Schedule::pairwise), 5);
  const auto ranks = all_numbers(5);
  // Counting all messages together cannot give more than the sum over the rounds.
  EXPECT_EQ(busiest_link(torus({5}), Groups{ranks}, ranks).load, 4);
}

// Rounds of four ranks on nodes 00 01 10 11. Along an axis of two nodes, half of a message goes
// forward and half backward, over two links: 0.5 on each. But a message takes as long as if it used
// one link.
TEST(Rounds, a_message_takes_as_long_as_over_one_link_of_a_torus) {
  EXPECT_EQ(all_to_all(torus({2, 2}), Schedule::pairwise), 3);
  Topology narrow = torus({2, 2});
  narrow.link = 0.25;  // a node's rate is the sum over its four links
  EXPECT_EQ(all_to_all(narrow, Schedule::pairwise), 12);
  EXPECT_EQ(all_to_all(narrow, Schedule::cyclic), 12);
}

// Each row of a 2 x 4 torus uses its own ring, all at the same time.
TEST(Rounds, groups_go_through_their_rounds_in_step) {
  const auto ranks = all_numbers(8);
  const Groups rows{{0, 1, 2, 3}, {4, 5, 6, 7}};
  EXPECT_EQ(busiest_by_rounds(torus({2, 4}), Schedule::cyclic, rows, ranks).load, 3);
  // On one ring the messages of both groups share links. In the first round, each of the eight
  // nodes sends two places ahead: 2 messages on a link. In the second, four places, half each way:
  // 2. In the third, two places back: 2.
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

// The pairs of the rounds are 03 12, then 13 02, then 23 01. In the first two rounds, both nodes of
// a switch send to the other switch. In the last round, no node does.
TEST(Rounds, a_fat_tree_waits_for_the_links_above_its_switches) {
  EXPECT_EQ(all_to_all(fat_tree(1), Schedule::pairwise), 2 + 2 + 1);
  EXPECT_EQ(all_to_all(fat_tree(2), Schedule::pairwise), 3);
  // In the three rounds 1, 2 and 1 messages leave each switch.
  EXPECT_EQ(all_to_all(fat_tree(1), Schedule::cyclic), 1 + 2 + 1);
}

// There are two links above each switch: for even and for odd destinations. The two messages that
// leave a switch in a round always have one even and one odd destination. So they use different
// links, and each round has load 1.
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

TEST(Rounds, loads_of_one_medium_do_not_depend_on_the_schedule) {
  Topology topology;
  topology.nodes = 4;
  topology.bisection = 2;
  EXPECT_EQ(all_to_all(topology, Schedule::pairwise), 4 * 3 / 2.0);
  topology.bisection = 0;
  EXPECT_EQ(all_to_all(topology, Schedule::cyclic), 3);
  topology.network = Network::hub;
  EXPECT_EQ(all_to_all(topology, Schedule::cyclic), 4 * 3);
}

// Two groups have switches 0 1 and 2 3, with one node each. The only link between the groups joins
// switches 0 and 2.
TEST(Rounds, groups_of_a_dragonfly_share_one_link) {
  Topology topology;
  topology.network = Network::dragonfly;
  topology.nodes = 4;
  topology.switches = 2;
  topology.nodes_per_switch = 1;
  EXPECT_EQ(all_to_all(topology, Schedule::pairwise), 2 + 2 + 1);
}

// Ranks 0 and 1 share a node. Messages between them use no link, and both send at once.
TEST(Rounds, ranks_of_a_node_share_its_link) {
  Topology topology;
  topology.nodes = 2;
  topology.bisection = 2;
  const auto ranks = all_numbers(4);
  const std::vector<std::int64_t> node_of{0, 0, 1, 1};
  EXPECT_EQ(busiest_by_rounds(topology, Schedule::pairwise, Groups{ranks}, node_of).load,
            2 + 2 + 0);
}

TEST(Rounds, groups_of_one_rank_or_none_load_no_link) {
  const auto ranks = all_numbers(4);
  const Groups alone{{0}, {}, {2}, {3}};
  EXPECT_EQ(busiest_by_rounds(torus({4}), Schedule::pairwise, alone, ranks).load, 0);
}

// If groups share ranks, the messages do not follow rounds of each group. The load is 0.
TEST(Rounds, groups_that_share_ranks_have_no_load) {
  const auto ranks = all_numbers(4);
  const Groups sharing{{0, 1, 2}, {1, 2, 3}};
  EXPECT_EQ(busiest_by_rounds(torus({4}), Schedule::pairwise, sharing, ranks).load, 0);
}

/// Returns the load of all rounds; busiest_by_rounds() examines only a sample.
double all_rounds(const Topology& topology, Schedule schedule) {
  const std::int64_t nodes = topology.nodes;
  const auto ranks = all_numbers(nodes);
  double sum = 0;
  for (std::int64_t round = 0; round < nodes - 1; ++round) {
    // If each pair is a group of its own, the only round is this round.
    Groups pairs;
    for (std::int64_t rank = 0; rank < nodes; ++rank) {
      const std::int64_t other = pairwise_partner(round, rank, nodes);
      if (rank < other) pairs.push_back({rank, other});
    }
    sum += busiest_by_rounds(topology, schedule, pairs, ranks).load;
  }
  return sum;
}

TEST(Rounds, many_rounds_are_estimated_from_a_sample) {
  const Topology topology = torus({8, 8, 12});
  ASSERT_GT(768 * 767, most_messages_in_rounds);
  const double all = all_rounds(topology, Schedule::pairwise);
  EXPECT_NEAR(all_to_all(topology, Schedule::pairwise), all, 0.05 * all);
}

}  // namespace
}  // namespace weft::model
