// redistribute, gather, scatter, and layouts of the ranks' own boxes. The value of an element
// identifies its place.
#include "base/memory.hpp"
#include "comm/environment.hpp"
#include "mpi/support/fft_check.hpp"
#include "mpi/support/same_error.hpp"
#include "mpi/support/world.hpp"

namespace weft::test_support {
namespace {

using Bytes = GuardedArray<unsigned char>;

/// Fills this rank's part of the array whose elements are byte_of(index, .).
void fill(Bytes& array, const Layout& layout, std::int64_t element_bytes) {
  const int rank = rank_of(world);
  for_each_local(layout.shape(), {layout.box(rank), layout.strides(rank)},
                 [&](std::int64_t whole, std::int64_t local) {
                   for (std::int64_t b = 0; b < element_bytes; ++b)
                     array.data()[local * element_bytes + b] = byte_of(whole, b);
                 });
}

void move_and_check(const Layout& from, const Layout& to, std::int64_t element_bytes) {
  const int rank = rank_of(world);
  Bytes source(from.local_volume(rank) * element_bytes, 1);
  Bytes target(to.local_volume(rank) * element_bytes, 3);
  Bytes wanted(to.local_volume(rank) * element_bytes);
  fill(source, from, element_bytes);
  fill(wanted, to, element_bytes);
  const auto before = source.bytes();
  redistribute(source.data(), from, target.data(), to, element_bytes, world);
  EXPECT_TRUE(target.bytes() == wanted.bytes())
      << to_json(from) << " -> " << to_json(to) << " of " << element_bytes << " bytes";
  EXPECT_TRUE(source.bytes() == before && source.guards_intact() && target.guards_intact());
}

TEST(Redistribute, MovesArraysBetweenRandomLayouts) {
  const std::uint64_t seed = seed_of_all_ranks(77);
  SCOPED_TRACE(repeated_by(seed));
  Random random(seed);
  const std::int64_t ranks = size_of(world);
  int run = 0;
  for (const std::int64_t element_bytes : {1, 4, 8, 16, 24, 32})
    for (int i = 0; i < 15; ++i, ++run) {
      Shape shape = random_shape(random);
      while (volume(shape) > 3000) shape = random_shape(random);
      const Layout from = random_layout(shape, ranks, random);
      const Layout to = random_layout(shape, ranks, random);
      move_and_check(from, to, element_bytes);
    }
  EXPECT_EQ(run, 90);
}

TEST(Redistribute, MovesArraysWithCountsBeyondTheLimit) {
  const std::uint64_t seed = seed_of_all_ranks(5);
  SCOPED_TRACE(repeated_by(seed));
  Random random(seed);
  const Shape shape{9, 8, 7};
  for (const std::int64_t limit : {1, 7, 100}) {
    comm::set_count_limit(limit);
    move_and_check(random_layout(shape, size_of(world), random),
                   random_layout(shape, size_of(world), random), 8);
    move_and_check(Layout::slab(shape, size_of(world), 0), Layout::slab(shape, size_of(world), 2),
                   24);
  }
  comm::set_count_limit(0);
}

TEST(Redistribute, GatherAndScatterWithEveryRoot) {
  const std::uint64_t seed = seed_of_all_ranks(6);
  SCOPED_TRACE(repeated_by(seed));
  Random random(seed);
  const std::int64_t ranks = size_of(world);
  for (int root = 0; root < ranks; ++root) {
    const Shape shape{5, 6, 4};
    const Layout layout = random_layout(shape, ranks, random);
    const int rank = rank_of(world);
    const std::int64_t bytes = 16;
    Bytes local(layout.local_volume(rank) * bytes);
    Bytes whole(rank == root ? volume(shape) * bytes : 0);
    Bytes wanted(whole.size());
    fill(local, layout, bytes);
    fill(wanted, Layout::on_one(shape, ranks, root), bytes);
    gather(local.data(), layout, rank == root ? whole.data() : nullptr, bytes, world, root);
    EXPECT_TRUE(whole.bytes() == wanted.bytes() && whole.guards_intact()) << "root " << root;
    Bytes back(local.size());
    scatter(rank == root ? whole.data() : nullptr, back.data(), layout, bytes, world, root);
    EXPECT_TRUE(back.bytes() == local.bytes() && back.guards_intact()) << "root " << root;
  }
}

TEST(Redistribute, LayoutOfLocalBoxes) {
  const std::uint64_t seed = seed_of_all_ranks(8);
  SCOPED_TRACE(repeated_by(seed));
  Random random(seed);
  const std::int64_t ranks = size_of(world);
  int run = 0;
  for (const Shape& shape : {Shape{30}, Shape{7, 9}, Shape{4, 5, 6}}) {
    const auto boxes = random_boxes(shape, ranks, random);
    const auto order = random_order(static_cast<int>(shape.size()), random);
    const Box mine = boxes[static_cast<std::size_t>(rank_of(world))];
    const Layout layout = layout_of_local_boxes(shape, mine, world, order);
    EXPECT_EQ(layout, Layout::of_boxes(shape, boxes, order));
    ++run;
  }
  EXPECT_EQ(run, 3);
  expect_same_error(world, ErrorCode::invalid_argument, {}, [&] {
    const bool hole = rank_of(world) == size_of(world) - 1;
    layout_of_local_boxes({4, 4}, hole ? Box{{0, 0}, {2, 1}} : Box{{0, 0}, {0, 0}}, world);
  });
}

/// No rank gathers the whole array. The memory in addition to source and target is less than one
/// local array.
TEST(Redistribute, NeedsLessThanOneLocalArrayMore) {
  const std::int64_t ranks = size_of(world);
  const Shape shape{96, 96, 96};
  const Layout from = Layout::slab(shape, ranks, 0);
  const Layout to = Layout::slab(shape, ranks, 2);
  const int rank = rank_of(world);
  const AlignedBuffer source(from.local_volume(rank) * 16);
  const AlignedBuffer target(to.local_volume(rank) * 16);
  std::memset(source.data(), 0, static_cast<std::size_t>(source.size()));
  reset_memory_peak();
  const auto live = memory_counters().live_bytes;
  EXPECT_GE(live, source.size() + target.size());
  redistribute(source.data(), from, target.data(), to, 16, world);
  EXPECT_LT(memory_counters().peak_bytes - live, from.max_local_volume() * 16);
}

TEST(Redistribute, WrongArgumentsAreRefused) {
  const std::int64_t ranks = size_of(world);
  const Layout slab = Layout::slab({6, 8}, ranks);
  const Layout other = Layout::slab({6, 8}, ranks, 1);
  std::vector<double> a(48);
  std::vector<double> b(48);
  auto move = [&](const Layout& from, const Layout& to, std::int64_t bytes) {
    redistribute(a.data(), from, b.data(), to, bytes, world);
  };
  expect_same_error(world, ErrorCode::layout_mismatch, {"6x8", "6x9"}, [&] {
    move(slab, Layout::slab({6, 9}, ranks), 8);
  });
  expect_same_error(world, ErrorCode::layout_mismatch, {"ranks"}, [&] {
    move(Layout::slab({6, 8}, ranks + 1), slab, 8);
  });
  expect_same_error(world, ErrorCode::invalid_argument, {"byte"}, [&] { move(slab, other, 0); });
  expect_same_error(world, ErrorCode::invalid_argument, {},
                    [&] { gather(a.data(), slab, b.data(), 8, world, -1); });
  expect_same_error(world, ErrorCode::invalid_argument, {},
                    [&] { gather(a.data(), slab, b.data(), 8, world, static_cast<int>(ranks)); });
  expect_same_error(world, ErrorCode::invalid_argument, {"null"}, [&] {
    redistribute(rank_of(world) == 0 ? nullptr : a.data(), Layout::on_one({6, 8}, ranks), b.data(),
                 slab, 8, world);
  });
  if (ranks == 1) return;
  const bool odd = rank_of(world) == ranks - 1;
  expect_same_error(world, ErrorCode::disagreement, {"target layout"},
                    [&] { move(slab, odd ? slab : other, 8); });
  expect_same_error(world, ErrorCode::disagreement, {"element size"},
                    [&] { move(slab, other, odd ? 4 : 8); });
  expect_same_error(world, ErrorCode::disagreement, {},
                    [&] { gather(a.data(), slab, b.data(), 8, world, odd ? 1 : 0); });
}

}  // namespace
}  // namespace weft::test_support
