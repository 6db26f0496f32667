// The predicted messages of the busiest rank, compared with a count of single messages.
#include "model/traffic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>

#include "layout/overlap.hpp"
#include "support/seed.hpp"

namespace weft::model {
namespace {

Traffic one_by_one(const Layout& from, const Layout& to, std::int64_t rank, double element_bytes,
                   std::int64_t on_node) {
  Traffic traffic;
  for (const Overlap& overlap : overlaps(from, rank, to)) {
    if (overlap.peer == rank) continue;
    const double bytes = static_cast<double>(overlap.box.volume()) * element_bytes;
    if (overlap.peer / on_node == rank / on_node) {
      traffic.near_bytes += bytes;
      traffic.near_messages += 1;
    } else {
      traffic.far_bytes += bytes;
      traffic.far_messages += 1;
      traffic.longest = std::max(traffic.longest, bytes);
    }
  }
  return traffic;
}

/// Returns the bytes that the busiest node sends to other nodes, or receives from them, divided by
/// the ranks of a node.
double mean_of_busiest_node(const Layout& from, const Layout& to, double element_bytes,
                            std::int64_t on_node) {
  std::map<std::int64_t, double> sent;
  std::map<std::int64_t, double> got;
  for (std::int64_t rank = 0; rank < from.ranks(); ++rank)
    for (const Overlap& overlap : overlaps(from, rank, to)) {
      if (overlap.peer / on_node == rank / on_node) continue;
      const double bytes = static_cast<double>(overlap.box.volume()) * element_bytes;
      sent[rank / on_node] += bytes;
      got[overlap.peer / on_node] += bytes;
    }
  double most = 0;
  for (const auto& nodes : {sent, got})
    for (const auto& [node, bytes] : nodes) most = std::max(most, bytes);
  return most / static_cast<double>(on_node);
}

/// Compares the traffic with a count. Returns whether the busiest node clearly sends more per rank
/// than the last rank: by more than the factor `ragged`.
bool expect_counts(const Layout& from, const Layout& to, double element_bytes,
                   std::int64_t on_node) {
  const std::int64_t last = from.first_rank() + volume(from.process_grid()) - 1;
  const Traffic wanted = one_by_one(from, to, last, element_bytes, on_node);
  const Traffic found = traffic_of(from, to, element_bytes, Placement(from.ranks(), on_node));
  const double mean = mean_of_busiest_node(from, to, element_bytes, on_node);
  constexpr double ragged = 1.15;
  const double largest = static_cast<double>(from.max_local_volume()) * element_bytes;
  // At this limit, rounding decides which of the two cases holds.
  if (std::abs(mean - wanted.far_bytes * ragged) < 1e-9 * mean) return false;
  if (mean > wanted.far_bytes * ragged && largest > wanted.far_bytes * ragged) {
    // Only a sample of many nodes is examined.
    const std::int64_t nodes = (from.ranks() + on_node - 1) / on_node;
    if (nodes <= 16) {
      EXPECT_NEAR(found.far_bytes, mean, 1e-6);
    }
    EXPECT_LE(found.far_bytes, mean + 1e-6);
    EXPECT_GE(found.far_bytes, wanted.far_bytes);
    EXPECT_GE(found.longest * found.far_messages, found.far_bytes * (1 - 1e-9));
    return true;
  }
  EXPECT_DOUBLE_EQ(found.far_bytes, wanted.far_bytes);
  EXPECT_DOUBLE_EQ(found.near_bytes, wanted.near_bytes);
  EXPECT_EQ(found.near_messages, wanted.near_messages);
  EXPECT_EQ(found.far_messages, wanted.far_messages);
  EXPECT_DOUBLE_EQ(found.longest, wanted.longest);
  return false;
}

TEST(Traffic, EqualsACountForRandomGrids) {
  const std::uint64_t seed = test_support::chosen_seed(11);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937 random(seed);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  int uneven = 0;
  for (int number = 0; number < 5000; ++number) {
    SCOPED_TRACE(number);
    const Shape shape{draw(1, 30), draw(1, 30), draw(1, 8)};
    const std::int64_t ranks = draw(1, 40);
    const auto grid = [&] {
      const std::int64_t first = draw(1, ranks);
      const std::int64_t second = draw(1, ranks / first);
      return Shape{first, second, draw(1, ranks / (first * second))};
    };
    const Layout from = Layout::grid(shape, grid(), {}, ranks);
    const Layout to = Layout::grid(shape, grid(), {}, ranks);
    uneven += expect_counts(from, to, 8, draw(1, ranks + 1)) ? 1 : 0;
  }
  EXPECT_GT(uneven, 300);
  EXPECT_LT(uneven, 4500);
}

/// A split moves across another one. Then the last rank keeps its part on its node, but other ranks
/// send all of their data to other nodes.
TEST(Traffic, IsTheMeanOfANodeIfItsRanksSendDifferentAmounts) {
  const Layout from = Layout::grid({64, 64, 64}, {2, 32, 1});
  const Layout to = Layout::grid({64, 64, 64}, {1, 32, 2});
  const Traffic found = traffic_of(from, to, 1, Placement(64, 32));
  EXPECT_EQ(one_by_one(from, to, 63, 1, 32).far_bytes, 0);
  // Half of each node's ranks send all of their data.
  EXPECT_EQ(found.far_bytes, 64 * 64 * 64 / 64 / 2);
  EXPECT_EQ(found.far_messages, 2);
}

TEST(Traffic, EqualsACountForAThousandPeers) {
  const Shape shape{4096, 4096, 64};
  expect_counts(Layout::grid(shape, {1024, 1, 1}), Layout::grid(shape, {1, 1024, 1}), 16, 8);
  expect_counts(Layout::grid(shape, {1000, 1, 1}), Layout::grid(shape, {1, 1000, 1}), 16, 64);
}

TEST(Traffic, IsKnownForEachSizeOfElements) {
  const Layout from = Layout::grid({64, 64}, {8, 1});
  const Layout to = Layout::grid({64, 64}, {1, 8});
  const Placement apart(8, 1);
  KnownTraffic known;
  EXPECT_EQ(known.of(from, to, 16, apart).longest, 16 * 64.0);
  EXPECT_EQ(known.of(from, to, 8, apart).longest, 8 * 64.0);
  EXPECT_EQ(known.of(from, from, 16, apart).far_messages, 0);
}

}  // namespace
}  // namespace weft::model
