// The order in which a probe accesses the blocks of a file.
#include "probe/scattered.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

namespace weft::probe {
namespace {

TEST(ProbeScattered, every_block_is_used_once_before_one_is_used_again) {
  for (std::int64_t blocks = 1; blocks <= 300; ++blocks) {
    std::set<std::int64_t> used;
    for (std::int64_t access = 0; access < blocks; ++access)
      used.insert(scattered_block(access, blocks));
    ASSERT_EQ(static_cast<std::int64_t>(used.size()), blocks);
    ASSERT_EQ(*used.begin(), 0);
    ASSERT_EQ(*used.rbegin(), blocks - 1);
    ASSERT_EQ(scattered_block(blocks, blocks), scattered_block(0, blocks));
  }
}

TEST(ProbeScattered, consecutive_accesses_are_not_to_neighbours) {
  for (std::int64_t blocks = 7; blocks <= 300; ++blocks)
    for (std::int64_t access = 0; access < blocks; ++access) {
      const std::int64_t distance =
          std::abs(scattered_block(access + 1, blocks) - scattered_block(access, blocks));
      ASSERT_GT(distance, 1) << "of " << blocks << " blocks, access " << access;
    }
}

}  // namespace
}  // namespace weft::probe
