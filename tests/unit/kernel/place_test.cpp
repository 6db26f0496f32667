// Cells: parts of a local box that no piece of inlet or outlet divides along the cut axes.
#include "kernel/place.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/cache.hpp"
#include "support/random_layouts.hpp"
#include "support/seed.hpp"

namespace weft::kernel {
namespace {

using test_support::draw;
using test_support::Random;

Place random_place(const Shape& shape, Random& random) {
  Place place{{}, 8};
  for (const Box& box : test_support::random_boxes(shape, draw(random, 1, 9), random))
    if (!box.empty()) place.pieces.push_back({box, 0, 0, Shape(shape.size(), 1)});
  return place;
}

bool divides(const Box& piece, const Box& cell, const std::vector<int>& axes) {
  if (!meets(piece, cell, axes)) return false;
  return std::any_of(axes.begin(), axes.end(), [&](int axis) {
    return piece.lower[axis] > cell.lower[axis] || piece.upper[axis] < cell.upper[axis];
  });
}

TEST(KernelPlace, CellsTileTheRegionAndNoPieceDividesThem) {
  const std::uint64_t seed = test_support::chosen_seed(31);
  SCOPED_TRACE(test_support::repeated_by(seed));
  Random random(seed);
  int pairs_checked = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    Shape shape(static_cast<std::size_t>(draw(random, 1, 4)));
    for (auto& n : shape) n = draw(random, 1, 9);
    const int dims = static_cast<int>(shape.size());
    const Place inlet = random_place(shape, random);
    const Place outlet = random_place(shape, random);
    std::vector<int> axes = test_support::random_order(dims, random);
    axes.resize(static_cast<std::size_t>(draw(random, 0, dims)));
    const Box region = Box::whole(shape);
    const auto found = cells(region, axes, inlet, outlet);
    std::int64_t volume_of_cells = 0;
    for (const Box& cell : found) {
      volume_of_cells += cell.volume();
      for (int axis = 0; axis < dims; ++axis)
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
          EXPECT_EQ(cell.extent(axis), region.extent(axis));
        }
      for (const Place* place : {&inlet, &outlet})
        for (const Piece& piece : place->pieces) {
          EXPECT_FALSE(divides(piece.box, cell, axes))
              << to_string(piece.box) << " divides " << to_string(cell);
          ++pairs_checked;
        }
    }
    EXPECT_EQ(volume_of_cells, region.volume());
    for (std::size_t i = 0; i < found.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) EXPECT_TRUE(intersect(found[i], found[j]).empty());
  }
  EXPECT_GT(pairs_checked, 1000);
}

TEST(KernelPlace, AnUndividedRegionIsOneCellAndAnEmptyOneHasNone) {
  const Box whole = Box::whole({4, 6});
  const Place place{{{whole, 0, 0, {6, 1}}}, 8};
  EXPECT_EQ(cells(whole, {0, 1}, place, place), std::vector<Box>{whole});
  EXPECT_TRUE(cells(Box{{0, 0}, {0, 6}}, {0}, place, place).empty());
}

TEST(KernelPlace, an_array_that_fits_the_cache_is_not_streamed) {
  const std::int64_t fitting = cache_sizes().core_bytes() / 8;
  const auto in_buffer = [](const Box& box, int buffer) {
    return Place{{{box, buffer, 0, {1}}}, 8};
  };
  const Box small = Box::whole({fitting});
  EXPECT_FALSE(streams(small, in_buffer(small, 0), in_buffer(small, 1), false));
  const Box large = Box::whole({fitting + 1});
  EXPECT_TRUE(streams(large, in_buffer(large, 0), in_buffer(large, 1), false));
  EXPECT_FALSE(streams(large, in_buffer(large, 0), in_buffer(large, 0), false));
}

// Many ARM processors report no cache of the third level.
TEST(KernelPlace, without_a_third_level_arrays_in_the_second_stay_in_cache) {
  EXPECT_EQ((CacheSizes{.l2_bytes = 100, .l3_share_bytes = 0}.core_bytes()), 100);
  EXPECT_EQ((CacheSizes{.l2_bytes = 100, .l3_share_bytes = 300}.core_bytes()), 300);
}

}  // namespace
}  // namespace weft::kernel
