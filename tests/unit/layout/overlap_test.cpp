// Properties of ownership, checked by brute force: an array has the owner of each element. Numbers
// of ranks go from 1 to 64, also with shapes that they do not divide.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include <weft/error.hpp>
#include <weft/layout.hpp>

#include "layout/overlap.hpp"
#include "support/random_layouts.hpp"
#include "support/seed.hpp"

namespace weft {
namespace {

using namespace test_support;

constexpr std::int64_t ranks_max = 64;

/// Shapes of 1 to 5 axes, with primes, ones, powers of two, and extents below the number of ranks.
const std::vector<Shape> shapes = {
    {1},         {7},          {64},          {403},           {5, 3},          {31, 1},
    {1, 1},      {13, 31},     {2, 97},       {8, 9, 10},      {17, 1, 5},      {3, 2, 61},
    {16, 16, 3}, {4, 3, 5, 2}, {1, 7, 1, 11}, {3, 1, 2, 5, 4}, {2, 3, 2, 3, 2},
};

constexpr int nobody = -1;

/// Returns the owner of each element in C order. `mistakes` counts elements with two owners or
/// none.
std::vector<int> owners(const Layout& layout, std::int64_t& mistakes) {
  std::vector<int> owner(static_cast<std::size_t>(volume(layout.shape())), nobody);
  for (std::int64_t rank = 0; rank < layout.ranks(); ++rank)
    for_each_element(layout.shape(), layout.box(rank), [&](std::size_t element) {
      mistakes += owner[element] != nobody;
      owner[element] = static_cast<int>(rank);
    });
  for (int rank : owner) mistakes += rank == nobody;
  return owner;
}

std::vector<int> owners_of(const Layout& layout) {
  std::int64_t mistakes = 0;
  std::vector<int> owner = owners(layout, mistakes);
  EXPECT_EQ(mistakes, 0) << layout.describe();
  return owner;
}

/// Expects that numbers of elements, empty ranks and whole axes equal a count over the boxes.
void expect_summaries(const Layout& layout) {
  std::int64_t total = 0;
  std::int64_t largest = 0;
  std::int64_t empty = 0;
  std::vector<bool> whole(layout.shape().size(), true);
  for (std::int64_t rank = 0; rank < layout.ranks(); ++rank) {
    const Box box = layout.box(rank);
    const std::int64_t local = box.volume();
    total += local;
    largest = std::max(largest, local);
    empty += local == 0;
    ASSERT_EQ(box.empty(), local == 0);
    ASSERT_EQ(layout.local_volume(rank), local);
    ASSERT_EQ(layout.local_shape(rank), box.shape());
    if (local == 0) {
      ASSERT_EQ(box.shape(), Shape(layout.shape().size(), 0));
    }
    for (int axis = 0; axis < layout.dims(); ++axis)
      if (local > 0 && box.extent(axis) != layout.shape()[axis]) whole[axis] = false;
  }
  ASSERT_EQ(total, volume(layout.shape())) << layout.describe();
  ASSERT_EQ(largest, layout.max_local_volume()) << layout.describe();
  ASSERT_EQ(empty, layout.empty_ranks()) << layout.describe();
  for (int axis = 0; axis < layout.dims(); ++axis)
    ASSERT_EQ(layout.is_whole(axis), whole[axis]) << layout.describe() << " axis " << axis;
}

void expect_balanced(const Layout& layout) {
  for (int axis = 0; axis < layout.dims(); ++axis) {
    const std::int64_t n = layout.shape()[axis];
    const std::int64_t parts = layout.process_grid()[axis];
    std::int64_t next = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      const Range range = balanced_part(n, part, parts);
      ASSERT_EQ(range.lo, next);
      ASSERT_GE(range.size(), n / parts);
      ASSERT_LE(range.size(), (n + parts - 1) / parts);
      next = range.hi;
    }
    ASSERT_EQ(next, n);
  }
}

Box random_box(const Shape& shape, Random& random) {
  Box box = Box::whole(shape);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    box.lower[axis] = draw(random, 0, shape[axis] - 1);
    box.upper[axis] = draw(random, box.lower[axis], shape[axis]);
  }
  return box;
}

void expect_ranks_meeting(const Layout& layout, const std::vector<int>& owner, const Box& box) {
  std::set<std::int64_t> met;
  for_each_element(layout.shape(), box, [&](std::size_t element) { met.insert(owner[element]); });
  ASSERT_EQ(layout.ranks_meeting(box), std::vector<std::int64_t>(met.begin(), met.end()))
      << layout.describe() << " and " << to_string(box);
}

TEST(LayoutExhaustive, EveryGridOfEveryNumberOfRanksPartitionsTheArray) {
  const std::uint64_t seed = chosen_seed(20240501);
  Random random(seed);
  std::int64_t grids = 0;
  std::int64_t with_empty_ranks = 0;
  for (const Shape& shape : shapes)
    for (std::int64_t ranks = 1; ranks <= ranks_max; ++ranks)
      for (const Shape& grid : process_grids(ranks, static_cast<int>(shape.size()))) {
        SCOPED_TRACE(repeated_by(seed) + ", shape " + to_string(shape) + ", grid " +
                     to_string(grid));
        const Layout layout = Layout::grid(shape, grid);
        ASSERT_EQ(layout.ranks(), ranks);
        const std::vector<int> owner = owners_of(layout);
        expect_summaries(layout);
        expect_balanced(layout);
        expect_ranks_meeting(layout, owner, Box::whole(shape));
        expect_ranks_meeting(layout, owner, random_box(shape, random));
        if (HasFailure()) return;
        ++grids;
        with_empty_ranks += layout.empty_ranks() > 0;
      }
  EXPECT_GT(grids, 10000);
  EXPECT_GT(with_empty_ranks, 1000);
}

TEST(LayoutExhaustive, RanksBeyondTheGridOwnNothing) {
  std::int64_t layouts = 0;
  for (std::int64_t ranks = 1; ranks <= ranks_max; ++ranks)
    for (std::int64_t used = 1; used <= ranks; ++used) {
      const Layout layout = Layout::grid({7, 12}, {1, used}, {}, ranks);
      ASSERT_EQ(layout.ranks(), ranks);
      owners_of(layout);
      expect_summaries(layout);
      for (std::int64_t rank = used; rank < ranks; ++rank) ASSERT_TRUE(layout.box(rank).empty());
      if (HasFailure()) return;
      ++layouts;
    }
  EXPECT_EQ(layouts, ranks_max * (ranks_max + 1) / 2);
}

TEST(LayoutExhaustive, AnyOneRankMayOwnTheWholeArray) {
  std::int64_t layouts = 0;
  for (std::int64_t ranks = 1; ranks <= ranks_max; ++ranks)
    for (std::int64_t owner = 0; owner < ranks; ++owner) {
      const Layout layout = Layout::on_one({3, 5}, ranks, owner);
      expect_summaries(layout);
      for (int rank : owners_of(layout)) ASSERT_EQ(rank, owner);
      ASSERT_EQ(layout.box(owner), Box::whole({3, 5}));
      ASSERT_EQ(layout.ranks_meeting(Box{{1, 1}, {2, 4}}), std::vector<std::int64_t>{owner});
      if (HasFailure()) return;
      ++layouts;
    }
  EXPECT_EQ(layouts, ranks_max * (ranks_max + 1) / 2);
}

TEST(LayoutExhaustive, GivenBoxesOfEveryNumberOfRanksPartitionTheArray) {
  const std::uint64_t seed = chosen_seed(0);
  std::int64_t layouts = 0;
  std::int64_t with_empty_ranks = 0;
  for (const Shape& shape : shapes)
    for (std::int64_t ranks = 1; ranks <= ranks_max; ++ranks) {
      SCOPED_TRACE(repeated_by(seed) + ", shape " + to_string(shape) + ", ranks " +
                   std::to_string(ranks));
      Random random(seed + static_cast<std::uint64_t>(ranks * 1000 + volume(shape)));
      const std::vector<Box> boxes = random_boxes(shape, ranks, random);
      const Layout layout = Layout::of_boxes(shape, boxes);
      for (std::int64_t rank = 0; rank < ranks; ++rank) ASSERT_EQ(layout.box(rank), boxes[rank]);
      const std::vector<int> owner = owners_of(layout);
      expect_summaries(layout);
      for (int i = 0; i < 3; ++i) expect_ranks_meeting(layout, owner, random_box(shape, random));
      if (HasFailure()) return;
      ++layouts;
      with_empty_ranks += layout.empty_ranks() > 0;
    }
  EXPECT_EQ(layouts, static_cast<std::int64_t>(shapes.size()) * ranks_max);
  EXPECT_GT(with_empty_ranks, 100);
  EXPECT_LT(with_empty_ranks, layouts);
}

/// Returns the numbers of elements that a rank has in one layout and a peer in the other, counted
/// one by one.
using Shared = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

Shared shared_elements(const Layout& a, const Layout& b) {
  const std::vector<int> owner_a = owners_of(a);
  const std::vector<int> owner_b = owners_of(b);
  Shared shared;
  for (std::size_t i = 0; i < owner_a.size(); ++i) ++shared[{owner_a[i], owner_b[i]}];
  return shared;
}

/// Compares overlaps with the count. Returns the number of overlaps.
std::int64_t expect_overlaps(const Layout& mine, const Layout& other, const Shared& shared) {
  std::int64_t found = 0;
  for (std::int64_t rank = 0; rank < mine.ranks(); ++rank) {
    const std::vector<Overlap> list = overlaps(mine, rank, other);
    EXPECT_EQ(count_overlaps(mine, rank, other), static_cast<std::int64_t>(list.size()));
    std::int64_t local = 0;
    std::int64_t previous = -1;
    for (const Overlap& overlap : list) {
      EXPECT_GT(overlap.peer, previous) << "peers must be in rank order";
      previous = overlap.peer;
      EXPECT_EQ(intersect(overlap.box, mine.box(rank)), overlap.box);
      EXPECT_EQ(intersect(overlap.box, other.box(overlap.peer)), overlap.box);
      const auto counted = shared.find({rank, overlap.peer});
      EXPECT_EQ(counted == shared.end() ? 0 : counted->second, overlap.box.volume());
      local += overlap.box.volume();
    }
    EXPECT_EQ(local, mine.local_volume(rank)) << "overlaps must cover the rank's box";
    found += static_cast<std::int64_t>(list.size());
  }
  EXPECT_EQ(found, static_cast<std::int64_t>(shared.size()));
  return found;
}

/// Expects that rank r finds the same box for peer p as p finds for r.
void expect_both_directions_agree(const Layout& a, const Layout& b) {
  std::map<std::pair<std::int64_t, std::int64_t>, Box> forward;
  for (std::int64_t rank = 0; rank < a.ranks(); ++rank)
    for (const Overlap& overlap : overlaps(a, rank, b)) forward[{rank, overlap.peer}] = overlap.box;
  std::size_t backward = 0;
  for (std::int64_t rank = 0; rank < b.ranks(); ++rank)
    for (const Overlap& overlap : overlaps(b, rank, a)) {
      ++backward;
      EXPECT_EQ((forward[{overlap.peer, rank}]), overlap.box);
    }
  EXPECT_EQ(forward.size(), backward);
}

TEST(LayoutExhaustive, OverlapsOfTwoLayoutsAreWhatBothHave) {
  const std::uint64_t seed = chosen_seed(0);
  std::int64_t pairs = 0;
  std::int64_t found = 0;
  for (const Shape& shape : shapes)
    for (std::int64_t ranks = 1; ranks <= ranks_max; ++ranks)
      for (std::uint64_t draw_number = 0; draw_number < 4; ++draw_number) {
        Random random(seed + draw_number * 1000 + static_cast<std::uint64_t>(ranks));
        const Layout a = random_layout(shape, ranks, random);
        const Layout b = random_layout(shape, ranks, random);
        SCOPED_TRACE(repeated_by(seed) + ": " + a.describe() + " and " + b.describe());
        found += expect_overlaps(a, b, shared_elements(a, b));
        expect_both_directions_agree(a, b);
        if (HasFailure()) return;
        ++pairs;
      }
  EXPECT_EQ(pairs, static_cast<std::int64_t>(shapes.size()) * ranks_max * 4);
  EXPECT_GT(found, pairs * 4);
}

TEST(LayoutExhaustive, SameBoxesIsEqualOwnershipInAnyForm) {
  const std::uint64_t seed = chosen_seed(0);
  std::int64_t equal = 0;
  std::int64_t different = 0;
  for (const Shape& shape : shapes)
    for (std::int64_t ranks = 1; ranks <= ranks_max; ranks += 3) {
      Random random(seed + static_cast<std::uint64_t>(ranks));
      const Layout a = random_layout(shape, ranks, random);
      const Layout b = random_layout(shape, ranks, random);
      SCOPED_TRACE(repeated_by(seed) + ": " + a.describe() + " and " + b.describe());
      std::vector<Box> boxes;
      for (std::int64_t rank = 0; rank < ranks; ++rank) boxes.push_back(a.box(rank));
      const Layout rewritten = Layout::of_boxes(shape, boxes);
      ASSERT_TRUE(a.same_boxes(rewritten));
      ASSERT_TRUE(rewritten.same_boxes(a));
      const bool same = owners_of(a) == owners_of(b);
      ASSERT_EQ(a.same_boxes(b), same);
      ++(same ? equal : different);
    }
  EXPECT_GT(equal, 10);
  EXPECT_GT(different, 100);
}

/// Strides number the local elements from 0 to volume - 1 without a gap, in the memory order.
TEST(LayoutExhaustive, StridesAreDenseInEveryMemoryOrder) {
  std::int64_t orders = 0;
  for (const Shape& shape : shapes) {
    std::vector<int> order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      const Layout layout = Layout::slab(shape, 3).with_order(order);
      ASSERT_EQ(layout.order(), order);
      for (std::int64_t rank = 0; rank < 3; ++rank) {
        const Shape local = layout.local_shape(rank);
        const Shape strides = layout.strides(rank);
        ASSERT_EQ(strides, dense_strides(local, order));
        if (layout.local_volume(rank) == 0) continue;
        std::int64_t expected = 1;
        for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
          ASSERT_EQ(strides[*axis], expected);
          expected *= local[*axis];
        }
        ASSERT_EQ(expected, layout.local_volume(rank));
      }
      ++orders;
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_GT(orders, 300);
}

TEST(LayoutExhaustive, WithExtentKeepsTheOwnerOfEveryLine) {
  const std::uint64_t seed = chosen_seed(0);
  std::int64_t changed = 0;
  std::int64_t refused = 0;
  for (const Shape& shape : shapes)
    for (std::int64_t ranks = 1; ranks <= ranks_max; ranks += 2) {
      Random random(seed + static_cast<std::uint64_t>(ranks));
      const Layout layout = random_layout(shape, ranks, random);
      SCOPED_TRACE(repeated_by(seed) + ": " + layout.describe());
      for (int axis = 0; axis < layout.dims(); ++axis) {
        const std::int64_t extent = draw(random, 1, 9);
        if (!layout.is_whole(axis)) {
          ASSERT_THROW(layout.with_extent(axis, extent), Error);
          ++refused;
          continue;
        }
        const Layout other = layout.with_extent(axis, extent);
        ASSERT_EQ(other.order(), layout.order());
        ASSERT_EQ(other.is_grid() && other.first_rank() != layout.first_rank(), false);
        expect_summaries(other);
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
          Box expected = layout.box(rank);
          if (!expected.empty()) expected.upper[axis] = extent;
          ASSERT_EQ(other.box(rank), expected);
        }
        if (HasFailure()) return;
        ++changed;
      }
    }
  EXPECT_GT(changed, 200);
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace weft
