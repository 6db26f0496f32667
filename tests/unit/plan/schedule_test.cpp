#include "plan/schedule.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <weft/error.hpp>

namespace weft {
namespace {

TEST(Schedule, every_round_is_a_matching_and_every_pair_meets_once) {
  for (std::int64_t ranks = 1; ranks <= 257; ++ranks) {
    // The number of a pair is rank * ranks + the larger rank.
    std::vector<bool> met(static_cast<std::size_t>(ranks * ranks), false);
    std::int64_t pairs = 0;
    for (std::int64_t round = 0; round < pairwise_rounds(ranks); ++round) {
      std::int64_t idle = 0;
      for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const std::int64_t partner = pairwise_partner(round, rank, ranks);
        ASSERT_GE(partner, 0);
        ASSERT_LT(partner, ranks);
        ASSERT_EQ(pairwise_partner(round, partner, ranks), rank) << round << " of " << ranks;
        if (partner == rank) ++idle;
        if (rank < partner) {
          const auto pair = static_cast<std::size_t>(rank * ranks + partner);
          ASSERT_FALSE(met[pair]) << rank << " meets " << partner << " twice";
          met[pair] = true;
          ++pairs;
        }
      }
      ASSERT_EQ(idle, ranks % 2) << "round " << round << " of " << ranks << " ranks";
    }
    ASSERT_EQ(pairs, ranks * (ranks - 1) / 2) << ranks;
  }
}

TEST(Schedule, has_as_few_rounds_as_possible) {
  EXPECT_EQ(pairwise_rounds(1), 0);
  EXPECT_EQ(pairwise_rounds(2), 1);
  EXPECT_EQ(pairwise_rounds(3), 3);
  EXPECT_EQ(pairwise_rounds(8), 7);
  EXPECT_EQ(pairwise_rounds(16384), 16383);
}

TEST(Schedule, refuses_rounds_and_ranks_that_do_not_exist) {
  EXPECT_THROW(pairwise_rounds(0), Error);
  EXPECT_THROW(pairwise_partner(0, 0, 1), Error);
  EXPECT_THROW(pairwise_partner(3, 0, 4), Error);
  EXPECT_THROW(pairwise_partner(-1, 0, 4), Error);
  EXPECT_THROW(pairwise_partner(0, 4, 4), Error);
  EXPECT_THROW(pairwise_partner(0, -1, 4), Error);
}

}  // namespace
}  // namespace weft
