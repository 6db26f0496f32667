// Examples of layouts: boxes written out, families, huge arrays that are never allocated, and error
// messages.

#include <gtest/gtest.h>

#include <numeric>

#include <weft/error.hpp>
#include <weft/layout.hpp>

#include "layout/overlap.hpp"
#include "support/random_layouts.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"

namespace weft {
namespace {

using namespace test_support;

TEST(Range, PartsAreBalancedAndInOrder) {
  EXPECT_EQ(balanced_part(10, 0, 4), (Range{0, 2}));
  EXPECT_EQ(balanced_part(10, 1, 4), (Range{2, 5}));
  EXPECT_EQ(balanced_part(10, 2, 4), (Range{5, 7}));
  EXPECT_EQ(balanced_part(10, 3, 4), (Range{7, 10}));
  EXPECT_EQ(balanced_part(1, 0, 2).size(), 0);
  EXPECT_EQ(balanced_part(1, 1, 2).size(), 1);
}

TEST(Range, ProductsBeyond64BitsAreExact) {
  const std::int64_t n = std::int64_t{1} << 62;
  EXPECT_EQ(balanced_part(n, 1048575, 1048576), (Range{n - (std::int64_t{1} << 42), n}));
}

TEST(Box, ShapeVolumeAndText) {
  const Box box{{0, 3, 2}, {4, 8, 6}};
  EXPECT_EQ(box.shape(), (Shape{4, 5, 4}));
  EXPECT_EQ(box.volume(), 80);
  EXPECT_EQ(to_string(box), "[0:4, 3:8, 2:6]");
  EXPECT_EQ(to_string(Shape{512, 512, 257}), "512x512x257");
  EXPECT_EQ(Box::whole({2, 3}), (Box{{0, 0}, {2, 3}}));
}

TEST(Box, IntersectionIsTheCommonPartOrEmpty) {
  const Box a{{0, 0}, {4, 4}};
  EXPECT_EQ(intersect(a, Box{{2, 1}, {6, 3}}), (Box{{2, 1}, {4, 3}}));
  const Box none = intersect(a, Box{{4, 0}, {6, 4}});
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.shape(), (Shape{0, 0}));
  EXPECT_EQ(none.volume(), 0);
}

TEST(Layout, GridNumbersRanksWithTheLastAxisFastest) {
  const Layout layout = Layout::grid({4, 6, 5}, {2, 3, 1});
  EXPECT_EQ(layout.ranks(), 6);
  EXPECT_EQ(layout.box(0), (Box{{0, 0, 0}, {2, 2, 5}}));
  EXPECT_EQ(layout.box(1), (Box{{0, 2, 0}, {2, 4, 5}}));
  EXPECT_EQ(layout.box(2), (Box{{0, 4, 0}, {2, 6, 5}}));
  EXPECT_EQ(layout.box(3), (Box{{2, 0, 0}, {4, 2, 5}}));
  EXPECT_EQ(layout.box(5), (Box{{2, 4, 0}, {4, 6, 5}}));
}

TEST(Layout, RaggedSlabWithFewerRowsThanRanks) {
  const Layout layout = Layout::slab({2, 3}, 3);
  EXPECT_TRUE(layout.box(0).empty());
  EXPECT_EQ(layout.box(0).shape(), (Shape{0, 0}));
  EXPECT_EQ(layout.box(1), (Box{{0, 0}, {1, 3}}));
  EXPECT_EQ(layout.box(2), (Box{{1, 0}, {2, 3}}));
  EXPECT_EQ(layout.empty_ranks(), 1);
}

TEST(Layout, Families) {
  const Shape shape{8, 8, 8, 8};
  EXPECT_EQ(Layout::slab(shape, 4).family(), "slab");
  EXPECT_EQ(Layout::slab(shape, 4, 2).process_grid(), (Shape{1, 1, 4, 1}));
  EXPECT_EQ(Layout::pencil(shape, 12).process_grid(), (Shape{3, 4, 1, 1}));
  EXPECT_EQ(Layout::pencil(shape, 12, 3, 1).process_grid(), (Shape{1, 4, 1, 3}));
  EXPECT_EQ(Layout::pencil(shape, 12).family(), "pencil");
  EXPECT_EQ(Layout::brick(shape, 12).process_grid(), (Shape{2, 2, 3, 1}));
  EXPECT_EQ(Layout::brick(shape, 12).family(), "brick");
  EXPECT_EQ(Layout::grid(shape, {2, 2, 2, 2}).family(), "grid");
  EXPECT_EQ(Layout::on_one(shape, 5, 3).family(), "whole");
  EXPECT_EQ(Layout::slab(shape, 1).family(), "whole");
  EXPECT_EQ(Layout::of_boxes({2}, {{{0}, {2}}}).family(), "boxes");
}

TEST(Layout, DescribesItselfInOneLine) {
  EXPECT_EQ(Layout::slab({8, 6}, 2).describe(), "8x6 as slab, grid 2x1");
  EXPECT_EQ(Layout::grid({8, 6}, {2, 3}, {1, 0}).describe(),
            "8x6 as pencil, grid 2x3, memory order (1, 0)");
  EXPECT_EQ(Layout::slab({2, 6}, 3).describe(), "2x6 as slab, grid 3x1, 1 empty");
  EXPECT_EQ(Layout::on_one({8, 6}, 4, 2).describe(), "8x6 as whole on rank 2 of 4");
  EXPECT_EQ(Layout::of_boxes({2}, {{{0}, {2}}, {{0}, {0}}}).describe(),
            "2 as boxes, 2 of them, 1 empty");
}

TEST(Layout, StridesFollowTheMemoryOrder) {
  const Layout layout = Layout::grid({4, 6, 5}, {2, 1, 1}, {1, 2, 0});
  EXPECT_EQ(layout.local_shape(0), (Shape{2, 6, 5}));
  EXPECT_EQ(layout.strides(0), (Shape{1, 10, 2}));
  EXPECT_EQ(layout.with_order({}).strides(0), (Shape{30, 5, 1}));
  EXPECT_EQ(dense_strides({2, 6, 5}, {0, 1, 2}), (Shape{30, 5, 1}));
}

TEST(Layout, UsersBoxesMayBeEmptyAnywhere) {
  const Layout layout =
      Layout::of_boxes({4, 4}, {{{0, 0}, {4, 1}}, {{3, 3}, {3, 4}}, {{0, 1}, {4, 4}}});
  EXPECT_TRUE(layout.box(1).empty());
  EXPECT_EQ(layout.box(1).shape(), (Shape{0, 0}));
  EXPECT_EQ(layout.max_local_volume(), 12);
  EXPECT_EQ(layout.empty_ranks(), 1);
  EXPECT_TRUE(layout.is_whole(0));
  EXPECT_FALSE(layout.is_whole(1));
}

TEST(Layout, AnAxisOfSizeOneIsWholeHoweverItIsSplit) {
  const Layout layout = Layout::grid({1, 6}, {3, 2});
  EXPECT_TRUE(layout.is_whole(0));
  const Layout longer = layout.with_extent(0, 4);
  EXPECT_EQ(longer.shape(), (Shape{4, 6}));
  EXPECT_EQ(longer.box(4), (Box{{0, 0}, {4, 3}}));
  EXPECT_TRUE(longer.box(0).empty());
}

TEST(Layout, LayoutsAreEqualIfTheirValuesAre) {
  EXPECT_EQ(Layout::slab({8, 6}, 2), Layout::grid({8, 6}, {2, 1}, {0, 1}, 2));
  EXPECT_NE(Layout::slab({8, 6}, 2), Layout::slab({8, 6}, 2, 1));
  EXPECT_NE(Layout::slab({8, 6}, 2), Layout::slab({8, 6}, 2).with_order({1, 0}));
  EXPECT_NE(Layout::on_one({8}, 2, 0), Layout::on_one({8}, 2, 1));
}

TEST(Layout, RanksMeetingIgnoresIndicesOutsideTheArray) {
  const Layout layout = Layout::slab({8}, 4);
  EXPECT_EQ(layout.ranks_meeting(Box{{-3}, {3}}), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(layout.ranks_meeting(Box{{7}, {100}}), (std::vector<std::int64_t>{3}));
  EXPECT_TRUE(layout.ranks_meeting(Box{{8}, {9}}).empty());
  EXPECT_TRUE(layout.ranks_meeting(Box{{4}, {4}}).empty());
}

TEST(ProcessGrids, MostEvenFirst) {
  EXPECT_EQ(process_grids(12, 2),
            (std::vector<Shape>{{3, 4}, {4, 3}, {2, 6}, {6, 2}, {1, 12}, {12, 1}}));
  EXPECT_EQ(process_grids(7, 2), (std::vector<Shape>{{1, 7}, {7, 1}}));
  EXPECT_EQ(process_grids(6, 1), (std::vector<Shape>{{6}}));
  EXPECT_EQ(process_grids(64, 3).front(), (Shape{4, 4, 4}));
  EXPECT_EQ(process_grids(16384, 2).front(), (Shape{128, 128}));
}

TEST(ProcessGrids, GridsAreInOrderWithoutRepeats) {
  std::int64_t checked = 0;
  for (std::int64_t ranks = 1; ranks <= 64; ++ranks)
    for (int dims = 1; dims <= 4; ++dims) {
      const auto grids = process_grids(ranks, dims);
      for (std::size_t i = 0; i < grids.size(); ++i) {
        ASSERT_EQ(volume(grids[i]), ranks);
        ASSERT_EQ(static_cast<int>(grids[i].size()), dims);
        if (i == 0) continue;
        const auto before = *std::max_element(grids[i - 1].begin(), grids[i - 1].end());
        const auto after = *std::max_element(grids[i].begin(), grids[i].end());
        ASSERT_TRUE(before < after || (before == after && grids[i - 1] < grids[i]));
        ++checked;
      }
      std::int64_t divisors = 0;
      for (std::int64_t factor = 1; factor <= ranks; ++factor) divisors += ranks % factor == 0;
      if (dims == 2) {
        ASSERT_EQ(static_cast<std::int64_t>(grids.size()), divisors);
      }
    }
  EXPECT_GT(checked, 2500);
}

TEST(ProcessGrids, GridsOfALargePrimeAreFoundQuickly) {
  EXPECT_EQ(process_grids(2147483647, 3).size(), 3U);
}

// --- arrays that are never allocated ---

const Shape huge{1 << 20, 1 << 20, 1 << 10};
constexpr std::int64_t many_ranks = 16384;

TEST(HugeLayout, LocalSizesOfAnyRankAreComputedByArithmetic) {
  const Layout pencil = Layout::pencil(huge, many_ranks);
  EXPECT_EQ(pencil.process_grid(), (Shape{128, 128, 1}));
  EXPECT_EQ(pencil.max_local_volume(), std::int64_t{1} << 36);
  EXPECT_EQ(pencil.box(129), (Box{{8192, 8192, 0}, {16384, 16384, 1024}}));
  EXPECT_EQ(pencil.box(many_ranks - 1), (Box{{1040384, 1040384, 0}, {1048576, 1048576, 1024}}));
  EXPECT_EQ(pencil.strides(0), (Shape{std::int64_t{1} << 23, 1024, 1}));
  EXPECT_EQ(pencil.empty_ranks(), 0);
}

TEST(HugeLayout, AllRanksTogetherOwnEverything) {
  for (const Layout& layout :
       {Layout::slab(huge, many_ranks), Layout::pencil(huge, many_ranks, 1, 2),
        Layout::brick(huge, many_ranks), Layout::slab(huge, many_ranks, 2)}) {
    std::int64_t total = 0;
    for (std::int64_t rank = 0; rank < many_ranks; ++rank) total += layout.local_volume(rank);
    EXPECT_EQ(total, std::int64_t{1} << 50) << layout.describe();
  }
  EXPECT_EQ(Layout::slab(huge, many_ranks, 2).empty_ranks(), many_ranks - 1024);
}

TEST(HugeLayout, OverlapsOfTwoPencilsStayInOneRowOfTheProcessGrid) {
  const Layout from = Layout::pencil(huge, many_ranks, 0, 1);
  const Layout to = Layout::pencil(huge, many_ranks, 0, 2);
  const std::vector<Overlap> list = overlaps(from, 12345, to);
  ASSERT_EQ(list.size(), 128U);
  std::int64_t total = 0;
  for (const Overlap& overlap : list) {
    EXPECT_EQ(overlap.peer / 128, 12345 / 128);
    total += overlap.box.volume();
  }
  EXPECT_EQ(total, from.local_volume(12345));
  EXPECT_EQ(count_overlaps(from, 12345, to), 128);
}

TEST(HugeLayout, TheLargestNumberOfRanks) {
  const Layout layout = Layout::slab({std::int64_t{1} << 62}, 2147483647);
  EXPECT_EQ(layout.box(2147483646).upper[0], std::int64_t{1} << 62);
  EXPECT_EQ(layout.ranks_meeting(Box{{(std::int64_t{1} << 62) - 1}, {std::int64_t{1} << 62}}),
            (std::vector<std::int64_t>{2147483646}));
}

// --- refusals ---

TEST(LayoutErrors, Shapes) {
  expect_error(invalid, {"at least 1", "0x4"}, [] { Layout::slab({0, 4}, 2); });
  expect_error(invalid, {"at least 1", "4x-3"}, [] { Layout::slab({4, -3}, 2); });
  expect_error(invalid, {"1 to 8 axes", "has 0"}, [] { Layout::slab({}, 2); });
  expect_error(invalid, {"1 to 8 axes", "has 9"}, [] { Layout::slab(Shape(9, 2), 2); });
  const std::int64_t large = std::int64_t{1} << 40;
  expect_error(invalid, {"63 bits", "1099511627776x1099511627776"}, [&] {
    Layout::slab({large, large}, 2);
  });
  expect_error(invalid, {"63 bits"}, [&] { volume({large, large}); });
  EXPECT_EQ(volume({large, 1 << 22}), std::int64_t{1} << 62);
}

TEST(LayoutErrors, RanksAndGrids) {
  expect_error(invalid, {"ranks must be at least 1", "given 0"}, [] { Layout::slab({4}, 0); });
  expect_error(invalid, {"ranks must be at least 1", "given -2"}, [] { Layout::on_one({4}, -2); });
  expect_error(invalid, {"at most 2147483647"}, [] { Layout::slab({4}, 2147483648); });
  expect_error(invalid, {"at most 2147483647"}, [] { Layout::grid({4, 4}, {65536, 65536}); });
  expect_error(invalid, {"process grid", "63 bits", "given 4611686018427387904x4"}, [] {
    Layout::grid({4, 4}, {std::int64_t{1} << 62, 4});
  });
  expect_error(invalid, {"one factor for each of the 2 axes", "given 2"}, [] {
    Layout::grid({4, 4}, {2});
  });
  expect_error(invalid, {"factor", "at least 1", "2x0"}, [] { Layout::grid({4, 4}, {2, 0}); });
  expect_error(invalid, {"product", "2x3", "needs 6", "there are 4"}, [] {
    Layout::grid({4, 4}, {2, 3}, {}, 4);
  });
  expect_error(invalid, {"process grid", "1 to 8", "given 0"}, [] { process_grids(4, 0); });
}

TEST(LayoutErrors, Axes) {
  expect_error(invalid, {"0..1", "given 2"}, [] { Layout::slab({4, 4}, 2, 2); });
  expect_error(invalid, {"0..1", "given -1"}, [] { Layout::slab({4, 4}, 2, -1); });
  expect_error(invalid, {"axis 1 is given twice"}, [] { Layout::pencil({4, 4}, 4, 1, 1); });
  expect_error(invalid, {"0..0", "given 1"}, [] { Layout::pencil({4}, 4); });
  expect_error(invalid, {"brick splits three axes", "4x4", "use a slab or a pencil"}, [] {
    Layout::brick({4, 4}, 8);
  });
  expect_error(invalid, {"0..1", "given 5"}, [] { (void)Layout::slab({4, 4}, 2).is_whole(5); });
}

TEST(LayoutErrors, MemoryOrders) {
  expect_error(invalid, {"every axis 0..1 once", "(0, 0)"}, [] {
    Layout::grid({4, 4}, {2, 1}, {0, 0});
  });
  expect_error(invalid, {"every axis 0..1 once", "(1)"}, [] { Layout::grid({4, 4}, {2, 1}, {1}); });
  expect_error(invalid, {"every axis 0..1 once", "(1, 2)"}, [] {
    Layout::slab({4, 4}, 2).with_order({1, 2});
  });
}

TEST(LayoutErrors, Owners) {
  expect_error(invalid, {"owner", "0..2", "given 3"}, [] { Layout::on_one({4}, 3, 3); });
  expect_error(invalid, {"owner", "0..2", "given -1"}, [] { Layout::on_one({4}, 3, -1); });
  expect_error(invalid, {"rank must be in 0..1", "given 2"}, [] { Layout::slab({4}, 2).box(2); });
  expect_error(invalid, {"rank must be in 0..1", "given -1"}, [] { Layout::slab({4}, 2).box(-1); });
}

TEST(LayoutErrors, Boxes) {
  const Shape shape{4, 4};
  const auto boxes = [&](std::vector<Box> list) {
    return Layout::of_boxes(shape, std::move(list));
  };
  expect_error(invalid, {"must not overlap", "rank 0", "rank 1", "[0:3, 0:4]", "[2:4, 0:4]"}, [&] {
    boxes({{{0, 0}, {3, 4}}, {{2, 0}, {4, 4}}});
  });
  expect_error(invalid, {"must cover the array", "4 of 16 elements", "4x4"}, [&] {
    boxes({{{0, 0}, {2, 4}}, {{3, 0}, {4, 4}}});
  });
  expect_error(invalid, {"inside the array", "[0:4, 0:5]", "4x4"}, [&] {
    boxes({{{0, 0}, {4, 5}}});
  });
  expect_error(invalid, {"inside the array", "[-1:4, 0:4]"}, [&] { boxes({{{-1, 0}, {4, 4}}}); });
  expect_error(invalid, {"lower <= upper", "[4:0, 0:4]"}, [&] { boxes({{{4, 0}, {0, 4}}}); });
  expect_error(invalid, {"one range for each of the 2 axes", "(0)"}, [&] { boxes({{{0}, {4}}}); });
  expect_error(invalid, {"ranks must be at least 1"}, [&] { boxes({}); });
}

/// One box of a partition is changed. Every change must be noticed.
TEST(LayoutErrors, DamagedBoxesAreNoticed) {
  std::int64_t damaged = 0;
  const std::uint64_t first = chosen_seed(0);
  for (std::uint64_t seed = first; seed < first + 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Shape shape{draw(random, 2, 9), draw(random, 2, 9), draw(random, 1, 4)};
    std::vector<Box> boxes = random_boxes(shape, draw(random, 2, 20), random);
    Layout::of_boxes(shape, boxes);
    Box& box = boxes[static_cast<std::size_t>(
        draw(random, 0, static_cast<std::int64_t>(boxes.size()) - 1))];
    if (box.empty()) continue;
    const int axis = static_cast<int>(draw(random, 0, 2));
    switch (draw(random, 0, 3)) {
      case 0:
        --box.lower[axis];
        break;
      case 1:
        ++box.upper[axis];
        break;
      case 2:
        ++box.lower[axis];
        break;
      default:
        --box.upper[axis];
        break;
    }
    expect_error(invalid, {}, [&] { Layout::of_boxes(shape, boxes); });
    ++damaged;
  }
  EXPECT_GT(damaged, 200);
}

TEST(LayoutErrors, ChangedExtents) {
  expect_error(ErrorCode::layout_mismatch, {"whole on every rank", "axis 0 is split"}, [] {
    (void)Layout::slab({4, 4}, 2).with_extent(0, 3);
  });
  expect_error(invalid, {"at least 1", "4x0"}, [] {
    (void)Layout::slab({4, 4}, 2).with_extent(1, 0);
  });
  expect_error(invalid, {"0..1", "given 2"}, [] {
    (void)Layout::slab({4, 4}, 2).with_extent(2, 3);
  });
}

TEST(LayoutErrors, OverlapsOfDifferentArrays) {
  const auto mismatch = ErrorCode::layout_mismatch;
  expect_error(mismatch, {"same shape", "4x4", "4x5"}, [] {
    overlaps(Layout::slab({4, 4}, 2), 0, Layout::slab({4, 5}, 2));
  });
  expect_error(mismatch, {"number of ranks"}, [] {
    overlaps(Layout::slab({4, 4}, 2), 0, Layout::slab({4, 4}, 3));
  });
  expect_error(mismatch, {"number of ranks"}, [] {
    count_overlaps(Layout::slab({4, 4}, 2), 0, Layout::slab({4, 4}, 3));
  });
  expect_error(invalid, {"one range for each of the 2 axes"}, [] {
    (void)Layout::slab({4, 4}, 2).ranks_meeting(Box{{0}, {1}});
  });
}

}  // namespace
}  // namespace weft
