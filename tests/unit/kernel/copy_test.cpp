// Strided copies of any element size, compared with a loop over all indices.
#include "kernel/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/random_layouts.hpp"
#include "support/seed.hpp"

namespace weft::kernel {
namespace {

using test_support::draw;
using test_support::Random;

/// Returns strides of an array with gaps and with axes in random order. `size` becomes the number
/// of elements that the array spans.
Shape random_strides(const Shape& extents, Random& random, std::int64_t& size) {
  Shape strides(extents.size());
  size = draw(random, 1, 2);
  for (const int axis : test_support::random_order(static_cast<int>(extents.size()), random)) {
    strides[static_cast<std::size_t>(axis)] = size;
    size = size * extents[static_cast<std::size_t>(axis)] +
           (draw(random, 0, 3) == 0 ? draw(random, 1, 3) : 0);
  }
  return strides;
}

std::vector<unsigned char> random_bytes(std::int64_t count, Random& random) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(count));
  for (auto& byte : bytes) byte = static_cast<unsigned char>(random());
  return bytes;
}

/// Calls visit(index) for every index of the box.
template <class Visit>
void for_each_index(const Shape& extents, Visit&& visit) {
  if (std::any_of(extents.begin(), extents.end(), [](auto n) { return n <= 0; })) return;
  Shape index(extents.size(), 0);
  while (true) {
    visit(index);
    std::size_t axis = 0;
    while (axis < extents.size() && ++index[axis] == extents[axis]) index[axis++] = 0;
    if (axis == extents.size()) return;
  }
}

std::int64_t dot(const Shape& index, const Shape& strides) {
  std::int64_t sum = 0;
  for (std::size_t a = 0; a < index.size(); ++a) sum += index[a] * strides[a];
  return sum;
}

TEST(KernelCopy, BoxesOfAnyStridesAndElementSizesAreCopied) {
  const std::uint64_t seed = test_support::chosen_seed(21);
  SCOPED_TRACE(test_support::repeated_by(seed));
  Random random(seed);
  std::int64_t copied = 0;
  for (const std::int64_t bytes : {1, 2, 4, 8, 12, 16, 24, 32, 40})
    for (int repeat = 0; repeat < 60; ++repeat) {
      Shape extents(static_cast<std::size_t>(draw(random, 1, 5)));
      for (auto& n : extents)
        n = draw(random, 1, extents.size() > 3 ? 5 : 40 / static_cast<int>(extents.size()));
      std::int64_t src_size = 0;
      std::int64_t dst_size = 0;
      const Shape src_strides = random_strides(extents, random, src_size);
      const Shape dst_strides = random_strides(extents, random, dst_size);
      const auto src = random_bytes(src_size * bytes, random);
      auto dst = random_bytes(dst_size * bytes, random);
      auto wanted = dst;
      for_each_index(extents, [&](const Shape& index) {
        std::memcpy(&wanted[static_cast<std::size_t>(dot(index, dst_strides) * bytes)],
                    &src[static_cast<std::size_t>(dot(index, src_strides) * bytes)],
                    static_cast<std::size_t>(bytes));
        ++copied;
      });
      copy_box(dst.data(), dst_strides, src.data(), src_strides, extents, bytes);
      ASSERT_TRUE(dst == wanted) << weft::to_string(extents) << ", " << bytes << " bytes, case "
                                 << repeat;
    }
  EXPECT_GT(copied, 10000);
}

TEST(KernelCopy, EmptyBoxesTouchNothing) {
  double value = 5;
  copy_box(&value, Shape{1, 1}, nullptr, Shape{1, 1}, Shape{0, 3}, 8);
  copy_plane(&value, nullptr, {.rows = 0, .columns = 2}, 8);
  copy_plane(&value, nullptr, {.rows = 2, .columns = 0}, 8);
  EXPECT_EQ(value, 5);
}

TEST(KernelCopy, PlanesLargerThanABlockAreTransposed) {
  const std::uint64_t seed = test_support::chosen_seed(0);
  SCOPED_TRACE(test_support::repeated_by(seed));
  for (const std::int64_t bytes : {4, 8, 16, 32}) {
    Random random(seed + static_cast<std::uint64_t>(bytes));
    const std::int64_t rows = 150;
    const std::int64_t columns = 137;
    const auto src = random_bytes(rows * columns * bytes, random);
    std::vector<unsigned char> dst(src.size());
    copy_plane(dst.data(), src.data(),
               {.rows = rows,
                .columns = columns,
                .src_row = columns,
                .src_column = 1,
                .dst_row = 1,
                .dst_column = rows},
               bytes);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        ASSERT_EQ(std::memcmp(&dst[static_cast<std::size_t>((j * rows + i) * bytes)],
                              &src[static_cast<std::size_t>((i * columns + j) * bytes)],
                              static_cast<std::size_t>(bytes)),
                  0);
  }
}

}  // namespace
}  // namespace weft::kernel
