#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <weft/error.hpp>

#include "comm/exchanges.hpp"
#include "mpi/support/world.hpp"
#include "support/error_text.hpp"

// Exchanges whose blocks are invalid.
namespace weft::comm {
namespace {

using test_support::all_ranks;
using test_support::error_text;

TEST(CommExchangeErrors, two_blocks_for_one_rank_are_refused) {
  const std::vector<Block> blocks = {{0, 0, 1}, {0, 1, 1}};
  EXPECT_EQ(error_text([&] { PackedAllToAll(all_ranks(), blocks, {}, 8); }),
            "internal: an exchange is planned wrongly: two blocks for rank 0");
  const std::vector<StridedBlock> boxes = {{0, 0, {1}, {1}}, {0, 1, {1}, {1}}};
  EXPECT_EQ(error_text([&] { StridedAllToAll(all_ranks(), boxes, {}, 8); }),
            "internal: an exchange is planned wrongly: two blocks for rank 0");
}

TEST(CommExchangeErrors, different_counts_of_sender_and_receiver_are_refused) {
  const Communicator comm = all_ranks();
  const std::vector<Block> send = {{0, 0, 3}};
  std::vector<Block> recv;
  for (int peer = 0; comm.rank() == 0 && peer < comm.size(); ++peer)
    recv.push_back({peer, 3 * peer, peer == 0 ? 2 : 3});
  const std::string prefix = comm.size() == 1 ? "" : "rank 0: ";
  EXPECT_EQ(
      error_text([&] { PackedAllToAll(comm, send, recv, 8); }),
      "internal: " + prefix +
          "an exchange is planned wrongly: rank 0 sends 3 elements to rank 0, which expects 2");
}

TEST(CommExchangeErrors, one_rank_alone_is_wrong_and_all_throw) {
  const Communicator comm = all_ranks();
  const int last = comm.size() - 1;
  std::vector<Block> send;
  if (comm.rank() == last) send.push_back({comm.size(), 0, 1});
  const std::string prefix = last == 0 ? "" : "rank " + std::to_string(last) + ": ";
  const std::string expected = "internal: " + prefix +
                               "an exchange is planned wrongly: a block for rank " +
                               std::to_string(comm.size()) + " of " + std::to_string(comm.size());
  EXPECT_EQ(error_text([&] { PackedAllToAll(comm, send, {}, 8); }), expected);
}

TEST(CommExchangeErrors, impossible_numbers_are_refused) {
  const auto packed = [](Block block, std::int64_t bytes) {
    return error_text([&] { PackedAllToAll(all_ranks(), std::vector<Block>{block}, {}, bytes); });
  };
  EXPECT_TRUE(packed({0, -1, 1}, 8).starts_with("internal: ")) << packed({0, -1, 1}, 8);
  EXPECT_TRUE(packed({0, 0, -1}, 8).starts_with("internal: "));
  EXPECT_TRUE(packed({0, 0, 1}, 0).starts_with("internal: "));
  EXPECT_TRUE(packed({-1, 0, 1}, 8).starts_with("internal: "));
  EXPECT_TRUE(packed({0, INT64_MAX / 8, 8}, 8).starts_with("invalid_argument: "));
  const StridedBlock mine{all_ranks().rank(), 0, {1}, {1}};
  const std::vector self = {MessageStep{0, mine, mine}};
  EXPECT_NE(error_text([&] { Messages(all_ranks(), self, 8); }).find("sends messages to itself"),
            std::string::npos);
  const std::vector<MessageStep> disordered = {{1, {}, {}}, {0, {}, {}}};
  EXPECT_NE(error_text([&] { Messages(all_ranks(), disordered, 8); }).find("order of its chunks"),
            std::string::npos);
  const std::vector<StridedBlock> bad = {{0, 0, {1, 2}, {1}}};
  EXPECT_NE(
      error_text([&] { StridedAllToAll(all_ranks(), bad, {}, 8); }).find("2 extents and 1 strides"),
      std::string::npos);
}

}  // namespace
}  // namespace weft::comm
