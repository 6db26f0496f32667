#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <weft/error.hpp>

#include "comm/communicator.hpp"
#include "comm/environment.hpp"
#include "comm/from_mpi.hpp"
#include "mpi/support/world.hpp"
#include "support/error_text.hpp"

namespace weft::comm {
namespace {

using test_support::all_ranks;
using test_support::error_text;

int mpi_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int mpi_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

TEST(CommEnvironment, names_the_library_and_the_standard) {
  EXPECT_FALSE(mpi_library_version().empty());
  EXPECT_EQ(mpi_library_version().find('\n'), std::string::npos);
  EXPECT_GE(mpi_standard_version(), "3.1");
  EXPECT_TRUE(is_initialized());
  EXPECT_TRUE(is_running());
  EXPECT_FALSE(is_finalized());
}

TEST(CommEnvironment, count_limit_must_be_a_positive_int) {
  EXPECT_THROW(set_count_limit(-1), Error);
  EXPECT_THROW(set_count_limit(std::int64_t{1} << 31), Error);
  set_count_limit(7);
  EXPECT_EQ(count_limit(), 7);
  set_count_limit(0);
}

TEST(CommCommunicator, has_rank_and_size_of_the_users_communicator) {
  EXPECT_EQ(all_ranks().rank(), mpi_rank());
  EXPECT_EQ(all_ranks().size(), mpi_size());
  EXPECT_EQ(all_ranks().is_solo(), mpi_size() == 1);
}

TEST(CommCommunicator, solo_does_everything_alone) {
  const Communicator solo = Communicator::solo();
  EXPECT_EQ(solo.rank(), 0);
  EXPECT_EQ(solo.size(), 1);
  solo.barrier();
  EXPECT_EQ(solo.min(std::int64_t{-5}), -5);
  EXPECT_EQ(solo.sum(2.5), 2.5);
  std::string text = "abc";
  solo.broadcast(text, 0);
  EXPECT_EQ(text, "abc");
  EXPECT_EQ(solo.all_gather("xy"), std::vector<std::string>{"xy"});
  EXPECT_EQ(solo.all_gather_values(7), std::vector<int>{7});
  EXPECT_EQ(solo.all_to_all({9}), std::vector<std::int64_t>{9});
  EXPECT_EQ(solo.subset(3), solo);
  EXPECT_EQ(solo.node_group(), solo);
}

TEST(CommCommunicator, of_self_is_solo) { EXPECT_TRUE(communicator_of(MPI_COMM_SELF).is_solo()); }

TEST(CommCommunicator, duplicates_once_however_often_it_is_asked) {
  const Communicator first = all_ranks();
  const int before = communicator_counts().duplicates;
  const int subsets_before = communicator_counts().subsets;
  bool same = true;
  for (int i = 0; i < 5000; ++i) {
    const Communicator again = all_ranks();
    same = same && again == first;
    if (i % 100 == 0) same = same && again.subset(mpi_rank() % 2) == first.subset(mpi_rank() % 2);
  }
  EXPECT_TRUE(same);
  EXPECT_EQ(communicator_counts().duplicates, before);
  EXPECT_EQ(before, mpi_size() == 1 ? 0 : 1);
  EXPECT_LE(communicator_counts().subsets, subsets_before + 1);
}

TEST(CommCommunicator, is_freed_with_the_users_communicator) {
  const int before = communicator_counts().duplicates;
  const int subsets_before = communicator_counts().subsets;
  for (int i = 0; i < 40; ++i) {
    MPI_Comm user = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &user);
    const std::int64_t ranks = communicator_of(user).subset(mpi_rank() % 2).sum(std::int64_t{1});
    ASSERT_EQ(ranks, (mpi_size() + 1 - mpi_rank() % 2) / 2);
    MPI_Comm_free(&user);
  }
  EXPECT_EQ(communicator_counts().duplicates, before);
  EXPECT_EQ(communicator_counts().subsets, subsets_before);
}

TEST(CommCommunicator, works_after_the_user_has_freed_the_communicator) {
  MPI_Comm user = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &user);
  const Communicator group = communicator_of(user).subset(0);
  MPI_Comm_free(&user);
  EXPECT_EQ(group.sum(std::int64_t{1}), mpi_size());
}

TEST(CommCommunicator, messages_of_the_user_are_not_disturbed) {
  if (mpi_size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const int peer = mpi_rank() ^ 1;
  if (peer >= mpi_size()) return;
  int received = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  const std::int64_t mine = mpi_rank();
  std::int64_t theirs = -1;
  all_ranks().exchange_pair(peer, &mine, 1, &theirs, 1, sizeof mine);
  EXPECT_EQ(theirs, peer);
  const int token = 42 + mpi_rank();
  MPI_Send(&token, 1, MPI_INT, peer, 5, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(received, 42 + peer);
}

TEST(CommCommunicator, refuses_null_and_inter_communicators) {
  EXPECT_EQ(
      error_text([] { communicator_of(MPI_COMM_NULL); }),
      "invalid_argument: the communicator is MPI_COMM_NULL; pass one that contains this rank");
  if (mpi_size() < 2) return;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, mpi_rank() == 0 ? 0 : 1, 0, &half);
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, mpi_rank() == 0 ? 1 : 0, 3, &both);
  EXPECT_NE(error_text([&] { communicator_of(both); }).find("inter-communicator"),
            std::string::npos);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

TEST(CommCommunicator, subset_groups_equal_colors_in_rank_order) {
  const Communicator all = all_ranks();
  const Communicator third = all.subset(mpi_rank() % 3);
  EXPECT_EQ(third.rank(), mpi_rank() / 3);
  EXPECT_EQ(third.size(), (mpi_size() - mpi_rank() % 3 + 2) / 3);
  const std::vector<int> members = third.all_gather_values(mpi_rank());
  for (int i = 0; i < third.size(); ++i)
    EXPECT_EQ(members[static_cast<std::size_t>(i)], mpi_rank() % 3 + 3 * i);
  EXPECT_EQ(all.subset(-(mpi_rank() % 3)), third)
      << "the group counts, not the number of the color";
  EXPECT_EQ(all.subset(17), all);
  EXPECT_TRUE(all.subset(mpi_rank()).is_solo());
  const Communicator within = third.subset(third.rank() / 2);
  EXPECT_EQ(within.sum(std::int64_t{1}), within.size());
}

TEST(CommCommunicator, subset_reuses_known_groups_beside_new_ones) {
  const Communicator all = all_ranks();
  // First the groups are {0,1} and {2,...}. Then {0,1} is asked for again, next to new groups. Only
  // the new groups are made.
  const Communicator pair = all.subset(mpi_rank() < 2 ? 0 : 1);
  const Communicator again = all.subset(mpi_rank() < 2 ? 0 : 1 + mpi_rank() % 2);
  EXPECT_EQ(again.sum(std::int64_t{1}), again.size());
  if (mpi_rank() < 2) {
    EXPECT_EQ(pair, again);
  }
}

TEST(CommCommunicator, works_on_a_part_of_the_users_ranks) {
  MPI_Comm odd = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, mpi_rank() % 2, -mpi_rank(), &odd);
  {
    const Communicator group = communicator_of(odd);
    int rank = 0;
    MPI_Comm_rank(odd, &rank);
    EXPECT_EQ(group.rank(), rank);
    EXPECT_EQ(group.max(std::int64_t{mpi_rank() % 2}), mpi_rank() % 2);
  }
  MPI_Comm_free(&odd);
}

TEST(CommCommunicator, min_max_and_sum_are_over_all_ranks) {
  const std::int64_t big = std::int64_t{1} << 40;
  const std::int64_t n = mpi_size();
  EXPECT_EQ(all_ranks().min(big - mpi_rank()), big - (n - 1));
  EXPECT_EQ(all_ranks().max(big + mpi_rank()), big + n - 1);
  EXPECT_EQ(all_ranks().sum(big + mpi_rank()), n * big + n * (n - 1) / 2);
  EXPECT_EQ(all_ranks().min(0.5 - mpi_rank()), 0.5 - static_cast<double>(n - 1));
  EXPECT_EQ(all_ranks().max(0.5 + mpi_rank()), 0.5 + static_cast<double>(n - 1));
  EXPECT_EQ(all_ranks().sum(0.5), 0.5 * static_cast<double>(n));
  EXPECT_TRUE(all_ranks().all_same(~std::uint64_t{0}));
  EXPECT_EQ(all_ranks().all_same(static_cast<std::uint64_t>(mpi_rank() == mpi_size() - 1)),
            mpi_size() == 1);
}

class CommTexts : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_count_limit(GetParam()); }
  void TearDown() override { set_count_limit(0); }
};

TEST_P(CommTexts, texts_of_any_length_are_broadcast) {
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
    for (int root = 0; root < mpi_size(); ++root) {
      const std::string sent(length, static_cast<char>('a' + root));
      std::string text = mpi_rank() == root ? sent : "something else of another length";
      all_ranks().broadcast(text, root);
      EXPECT_EQ(text, sent);
    }
  }
}

TEST_P(CommTexts, texts_of_different_lengths_are_gathered) {
  const auto text_of = [](int rank) {
    return std::string(static_cast<std::size_t>(rank % 3) * 10, static_cast<char>('a' + rank));
  };
  const std::vector<std::string> texts = all_ranks().all_gather(text_of(mpi_rank()));
  ASSERT_EQ(static_cast<int>(texts.size()), mpi_size());
  for (int rank = 0; rank < mpi_size(); ++rank)
    EXPECT_EQ(texts[static_cast<std::size_t>(rank)], text_of(rank));
}

TEST_P(CommTexts, numbers_arrive_at_their_ranks) {
  std::vector<std::int64_t> sent;
  for (int peer = 0; peer < mpi_size(); ++peer)
    sent.push_back((std::int64_t{mpi_rank()} << 33) + peer);
  const std::vector<std::int64_t> received = all_ranks().all_to_all(sent);
  for (int peer = 0; peer < mpi_size(); ++peer) {
    EXPECT_EQ(received[static_cast<std::size_t>(peer)], (std::int64_t{peer} << 33) + mpi_rank());
  }
}

INSTANTIATE_TEST_SUITE_P(Limits, CommTexts, ::testing::Values(0, 7));

TEST(CommCommunicator, a_failing_call_says_which_and_why) {
  if (mpi_size() < 2) GTEST_SKIP() << "one rank makes no MPI call";
  const std::int64_t value = 1;
  std::int64_t other = 0;
  const std::string message = error_text(
      [&] { all_ranks().exchange_pair(mpi_size() + 3, &value, 1, &other, 0, sizeof value); });
  EXPECT_TRUE(message.starts_with("mpi_failure: MPI_Isend failed with rank " +
                                  std::to_string(mpi_size() + 3) + ": "))
      << message;
}

}  // namespace
}  // namespace weft::comm
