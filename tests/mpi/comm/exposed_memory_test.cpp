// Blocks that ranks put into each other's memory.
#include "comm/exposed_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <weft/error.hpp>

#include "base/memory.hpp"
#include "comm/environment.hpp"
#include "comm/from_mpi.hpp"
#include "mpi/support/world.hpp"

namespace weft::comm {
namespace {

using test_support::all_ranks;

/// Returns the length of a block. Lengths are irregular, and some are 0. They depend on direction
/// and chunk.
std::int64_t count_between(int from, int to, int chunk) {
  return (from + to + chunk) % 3 == 0 ? 0 : 1 + (from * 7 + to * 11 + chunk) % 23;
}

std::int32_t value(int round, int from, int to, int chunk, std::int64_t index) {
  return static_cast<std::int32_t>(((round * 16 + from) * 16 + to) * 16 + chunk) * 64 +
         static_cast<std::int32_t>(index);
}

/// The blocks that one rank sends or receives, with gaps, chunk after chunk.
struct Side {
  std::vector<ChunkedBlock> blocks;
  std::int64_t end = 3;
};

Side side_of(const Communicator& comm, int chunks, bool sends) {
  Side side;
  for (int chunk = 0; chunk < chunks; ++chunk)
    for (int peer = comm.size() - 1; peer >= 0; --peer) {
      if (peer == comm.rank()) continue;
      const std::int64_t count =
          sends ? count_between(comm.rank(), peer, chunk) : count_between(peer, comm.rank(), chunk);
      side.blocks.push_back({chunk, {peer, side.end, count}});
      side.end += count + 2;
    }
  return side;
}

std::vector<std::int32_t> content(const Side& side, int round, int rank, bool sends) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(side.end), -1);
  for (const auto& [chunk, block] : side.blocks)
    for (std::int64_t i = 0; i < block.count; ++i)
      values[static_cast<std::size_t>(block.offset + i)] =
          sends ? value(round, rank, block.peer, chunk, i)
                : value(round, block.peer, rank, chunk, i);
  return values;
}

/// An exchange with its own memory.
struct Exposed {
  Side send;
  Side recv;
  ExposedMemory memory;
  Puts puts;
  std::vector<std::int32_t> sent;
  int chunks;

  Exposed(const Communicator& comm, int chunk_count)
      : send(side_of(comm, chunk_count, true)),
        recv(side_of(comm, chunk_count, false)),
        memory(comm, recv.end * 4),
        puts(comm, memory, chunk_count, send.blocks, recv.blocks, 4),
        chunks(chunk_count) {}

  void start(int round) {
    std::fill_n(static_cast<std::int32_t*>(memory.data()), recv.end, -1);
    sent = content(send, round, all_ranks().rank(), true);
    for (int chunk = 0; chunk < chunks; ++chunk) puts.start(chunk, sent.data());
  }
  void expect(int round) {
    puts.finish();
    const auto* found = static_cast<const std::int32_t*>(memory.data());
    EXPECT_EQ(std::vector<std::int32_t>(found, found + recv.end),
              content(recv, round, all_ranks().rank(), false));
  }
};

/// The parameter of these tests is the limit on counts of one MPI call; 0: the default.
class CommPuts : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_count_limit(GetParam()); }
  void TearDown() override { set_count_limit(0); }
};

TEST_P(CommPuts, blocks_arrive_at_their_places) {
  for (const int chunks : {1, 3}) {
    Exposed exchange(all_ranks(), chunks);
    for (int round = 0; round < 3; ++round) {
      exchange.start(round);
      exchange.expect(round);
    }
    std::int64_t sent = 0;
    for (const auto& [chunk, block] : exchange.send.blocks) sent += block.count;
    EXPECT_EQ(exchange.puts.traffic().bytes, 4 * sent);
    if (GetParam() == 5) {
      EXPECT_GE(5 * exchange.puts.traffic().messages, sent);
    }
  }
}

TEST_P(CommPuts, two_exchanges_may_be_under_way) {
  Exposed first(all_ranks(), 2);
  Exposed second(all_ranks(), 1);
  for (int round = 0; round < 4; ++round) {
    first.start(round);
    second.start(round);
    first.expect(round);
    second.expect(round);
  }
}

TEST_P(CommPuts, an_exchange_without_blocks_works) {
  const ExposedMemory memory(all_ranks(), 0);
  const Puts puts(all_ranks(), memory, 1, {}, {}, 8);
  puts.start(0, nullptr);
  puts.finish();
  puts.finish();
  EXPECT_EQ(puts.traffic().messages, 0);
}

/// Lets MPI work on what other ranks have sent.
void make_progress() {
  for (int i = 0; i < 30; ++i) {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Rank 1 is ready for the first exchange, and rank 2 for the second, before rank 0 begins. With
// MPI_Win_post and MPI_Win_start, MPICH then waits for ever: it counts two posts instead of one.
TEST_P(CommPuts, a_rank_may_be_ready_for_a_later_exchange) {
  const Communicator& comm = all_ranks();
  if (comm.size() < 3) GTEST_SKIP() << "needs three ranks";
  const int rank = comm.rank();
  const ExposedMemory memory(comm, 8);
  const auto from_rank_0_to = [&](int receiver) {
    std::vector<ChunkedBlock> send;
    std::vector<ChunkedBlock> recv;
    if (rank == 0) send.push_back({0, {receiver, 0, 1}});
    if (rank == receiver) recv.push_back({0, {0, 0, 1}});
    return Puts(comm, memory, 1, send, recv, 8);
  };
  const Puts first = from_rank_0_to(1);
  const Puts second = from_rank_0_to(2);
  auto* found = static_cast<std::int64_t*>(memory.data());
  for (std::int64_t round = 1; round < 4; ++round) {
    *found = -1;
    if (rank == 0) make_progress();
    for (const Puts& puts : {first, second}) {
      puts.start(0, &round);
      puts.finish();
    }
    EXPECT_EQ(*found, rank == 1 || rank == 2 ? round : -1);
    comm.barrier();
  }
}

INSTANTIATE_TEST_SUITE_P(limits, CommPuts, ::testing::Values(0, 5));

TEST(CommExposedMemory, is_aligned_and_counted) {
  const std::int64_t before = memory_counters().live_bytes;
  {
    const ExposedMemory memory(all_ranks(), 1000 + all_ranks().rank());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0U);
    EXPECT_EQ(memory_counters().live_bytes - before, 1000 + all_ranks().rank());
  }
  EXPECT_EQ(memory_counters().live_bytes, before);
}

TEST(CommExposedMemory, ranks_that_expect_other_blocks_all_throw) {
  const Communicator comm = all_ranks();
  if (comm.size() < 2) GTEST_SKIP() << "needs two ranks";
  const ExposedMemory memory(comm, 64);
  std::vector<ChunkedBlock> send;
  if (comm.rank() == 0) send.push_back({0, {1, 0, 3}});
  try {
    const Puts puts(comm, memory, 1, send, {}, 8);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);
  }
}

}  // namespace
}  // namespace weft::comm
