// Messages of the busiest rank, by axes, against counting them one by one.
#include "model/traffic.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "layout/overlap.hpp"

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

void expect_counts(const Layout& from, const Layout& to, double element_bytes,
                   std::int64_t on_node) {
  SCOPED_TRACE(from.describe() + " to " + to.describe() + ", " + std::to_string(on_node) +
               " ranks on a node");
  const std::int64_t last = from.first_rank() + volume(from.process_grid()) - 1;
  const Traffic wanted = one_by_one(from, to, last, element_bytes, on_node);
  const Traffic found = traffic_of(from, to, element_bytes, Placement(from.ranks(), on_node));
  EXPECT_DOUBLE_EQ(found.near_bytes, wanted.near_bytes);
  EXPECT_DOUBLE_EQ(found.far_bytes, wanted.far_bytes);
  EXPECT_EQ(found.near_messages, wanted.near_messages);
  EXPECT_EQ(found.far_messages, wanted.far_messages);
  EXPECT_DOUBLE_EQ(found.longest, wanted.longest);
}

TEST(Traffic, RandomGridsOneByOne) {
  constexpr unsigned seed = 11;
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int number = 0; number < 5000; ++number) {
    const Shape shape{draw(1, 30), draw(1, 30), draw(1, 8)};
    const std::int64_t ranks = draw(1, 40);
    const auto grid = [&] {
      const std::int64_t first = draw(1, ranks);
      const std::int64_t second = draw(1, ranks / first);
      return Shape{first, second, draw(1, ranks / (first * second))};
    };
    expect_counts(Layout::grid(shape, grid(), {}, ranks), Layout::grid(shape, grid(), {}, ranks), 8,
                  draw(1, ranks + 1));
  }
}

TEST(Traffic, OfAThousandPeers) {
  const Shape shape{4096, 4096, 64};
  expect_counts(Layout::grid(shape, {1024, 1, 1}), Layout::grid(shape, {1, 1024, 1}), 16, 8);
  expect_counts(Layout::grid(shape, {1000, 1, 1}), Layout::grid(shape, {1, 1000, 1}), 16, 64);
}

TEST(Traffic, IsKnownBySizeOfElementsToo) {
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
