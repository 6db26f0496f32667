#include "comm/exchanges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "comm/environment.hpp"
#include "comm/from_mpi.hpp"
#include "mpi/support/world.hpp"
#include "plan/schedule.hpp"

namespace weft::comm {
namespace {

using test_support::all_ranks;

/// An element of 12 bytes: not a power of two, and not a type of MPI.
struct Element {
  std::int32_t from = -1;
  std::int32_t to = -1;
  std::int32_t index = -1;
  friend bool operator==(const Element&, const Element&) = default;
};
constexpr Element guard = {-7, -7, -7};

/// Returns the length of a block. Lengths are irregular, and some are 0. They depend on direction.
std::int64_t count_between(int from, int to) {
  return (from * 5 + to * 3) % 4 == 0 ? 0 : 1 + (from * 7 + to * 11) % 23;
}

/// Returns blocks with gaps, in the reverse order of the ranks.
std::vector<Block> blocks_of(int rank, int ranks, bool sending, std::int64_t& end) {
  std::vector<Block> blocks;
  end = 2;
  for (int i = 0; i < ranks; ++i) {
    const int peer = ranks - 1 - i;
    const std::int64_t count = sending ? count_between(rank, peer) : count_between(peer, rank);
    blocks.push_back({.peer = peer, .offset = end, .count = count});
    end += count + 3;
  }
  return blocks;
}

std::vector<Element> sent_buffer(const std::vector<Block>& blocks, std::int64_t end, int rank) {
  std::vector<Element> buffer(static_cast<std::size_t>(end), guard);
  for (const Block& block : blocks) {
    for (std::int64_t i = 0; i < block.count; ++i) {
      buffer[static_cast<std::size_t>(block.offset + i)] = {rank, block.peer,
                                                            static_cast<std::int32_t>(i)};
    }
  }
  return buffer;
}

std::vector<Element> expected_buffer(const std::vector<Block>& blocks, std::int64_t end, int rank) {
  std::vector<Element> buffer(static_cast<std::size_t>(end), guard);
  for (const Block& block : blocks) {
    for (std::int64_t i = 0; i < block.count; ++i) {
      buffer[static_cast<std::size_t>(block.offset + i)] = {block.peer, rank,
                                                            static_cast<std::int32_t>(i)};
    }
  }
  return buffer;
}

std::int64_t elements_to_others(int rank, int ranks) {
  std::int64_t sum = 0;
  for (int peer = 0; peer < ranks; ++peer) sum += peer == rank ? 0 : count_between(rank, peer);
  return sum;
}

std::int64_t messages_to_others(int rank, int ranks, std::int64_t limit) {
  std::int64_t sum = 0;
  for (int peer = 0; peer < ranks; ++peer)
    sum += peer == rank ? 0 : (count_between(rank, peer) + limit - 1) / limit;
  return sum;
}

/// The parameter of these tests is the limit on counts of one MPI call; 0: the default.
class CommExchanges : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_count_limit(GetParam()); }
  void TearDown() override { set_count_limit(0); }
  bool lowered() const { return GetParam() != 0; }
};

TEST_P(CommExchanges, packed_all_to_all_delivers_every_block) {
  const Communicator comm = all_ranks();
  std::int64_t send_end = 0;
  std::int64_t recv_end = 0;
  const std::vector<Block> send = blocks_of(comm.rank(), comm.size(), true, send_end);
  const std::vector<Block> recv = blocks_of(comm.rank(), comm.size(), false, recv_end);
  const PackedAllToAll exchange(comm, send, recv, sizeof(Element));
  const std::vector<Element> source = sent_buffer(send, send_end, comm.rank());
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::vector<Element> target(static_cast<std::size_t>(recv_end), guard);
    exchange.execute(source.data(), target.data());
    EXPECT_EQ(target, expected_buffer(recv, recv_end, comm.rank()));
  }
  EXPECT_EQ(exchange.bytes_sent(), elements_to_others(comm.rank(), comm.size()) * 12);
  EXPECT_EQ(exchange.messages(),
            messages_to_others(comm.rank(), comm.size(), lowered() ? GetParam() : 1000));
  EXPECT_STREQ(exchange.form(), comm.is_solo() ? "copy" : lowered() ? "split" : "alltoallv");
}

/// MPI_Alltoall needs equal adjacent blocks. If one rank has a gap, all ranks use MPI_Alltoallv.
TEST(CommExchangesForm, equal_blocks_go_by_alltoall) {
  const Communicator comm = all_ranks();
  for (const std::int64_t gap : {0, 3}) {
    std::vector<Block> send, recv;
    for (int peer = 0; peer < comm.size(); ++peer) {
      send.push_back({.peer = peer, .offset = peer * 4, .count = 4});
      recv.push_back(
          {.peer = peer, .offset = peer * (4 + (comm.rank() == 0 ? gap : 0)), .count = 4});
    }
    const PackedAllToAll exchange(comm, send, recv, sizeof(Element));
    EXPECT_STREQ(exchange.form(), comm.is_solo() ? "copy" : gap == 0 ? "alltoall" : "alltoallv");
    const std::vector<Element> source = sent_buffer(send, comm.size() * 4, comm.rank());
    const std::int64_t end = comm.size() * (4 + gap);
    std::vector<Element> target(static_cast<std::size_t>(end), guard);
    exchange.execute(source.data(), target.data());
    EXPECT_EQ(target, expected_buffer(recv, end, comm.rank()));
  }
}

TEST_P(CommExchanges, packed_all_to_all_chooses_alike_when_one_rank_alone_is_beyond_the_limit) {
  const Communicator comm = all_ranks();
  // Only rank 0 sends something, to the last rank.
  const int last = comm.size() - 1;
  std::vector<Block> send;
  std::vector<Block> recv;
  if (comm.rank() == 0) send.push_back({.peer = last, .offset = 0, .count = 20});
  if (comm.rank() == last) recv.push_back({.peer = 0, .offset = 1, .count = 20});
  const PackedAllToAll exchange(comm, send, recv, sizeof(Element));
  const std::vector<Element> source(20, Element{1, 2, 3});
  std::vector<Element> target(22, guard);
  exchange.execute(source.data(), target.data());
  EXPECT_EQ(std::count(target.begin(), target.end(), Element{1, 2, 3}),
            comm.rank() == last ? 20 : 0);
  EXPECT_EQ(target.front(), guard);
  EXPECT_EQ(target.back(), guard);
  const std::vector<std::string> forms = comm.all_gather(exchange.form());
  EXPECT_EQ(std::count(forms.begin(), forms.end(), forms.front()), comm.size());
}

TEST_P(CommExchanges, packed_all_to_all_without_blocks_works) {
  const PackedAllToAll exchange(all_ranks(), {}, {}, 8);
  exchange.execute(nullptr, nullptr);
  EXPECT_EQ(exchange.bytes_sent(), 0);
  EXPECT_EQ(exchange.messages(), 0);
}

/// Returns the steps that send all blocks in two chunks: the first half of each block, then the
/// second half.
std::vector<MessageStep> two_chunks(const std::vector<Block>& send, const std::vector<Block>& recv,
                                    const std::vector<std::pair<int, int>>& to_and_from) {
  const int ranks = all_ranks().size();
  const auto half = [&](const std::vector<Block>& blocks, int peer, int chunk) {
    const Block& block = blocks[static_cast<std::size_t>(ranks - 1 - peer)];
    const std::int64_t cut = block.count / 2;
    return chunk == 0 ? StridedBlock{peer, block.offset, {cut}, {1}}
                      : StridedBlock{peer, block.offset + cut, {block.count - cut}, {1}};
  };
  std::vector<MessageStep> steps;
  for (int chunk = 0; chunk < 2; ++chunk)
    for (const auto& [to, from] : to_and_from)
      steps.push_back({chunk, half(send, to, chunk), half(recv, from, chunk)});
  return steps;
}

std::vector<std::pair<int, int>> pairwise_order() {
  const Communicator comm = all_ranks();
  std::vector<std::pair<int, int>> order;
  for (std::int64_t round = 0; round < pairwise_rounds(comm.size()); ++round) {
    const int peer = static_cast<int>(pairwise_partner(round, comm.rank(), comm.size()));
    if (peer != comm.rank()) order.emplace_back(peer, peer);
  }
  return order;
}

std::vector<std::pair<int, int>> cyclic_order() {
  const Communicator comm = all_ranks();
  std::vector<std::pair<int, int>> order;
  for (int step = 1; step < comm.size(); ++step)
    order.emplace_back((comm.rank() + step) % comm.size(),
                       (comm.rank() - step + comm.size()) % comm.size());
  return order;
}

TEST_P(CommExchanges, messages_arrive_in_every_order) {
  const Communicator comm = all_ranks();
  std::int64_t send_end = 0;
  std::int64_t recv_end = 0;
  const std::vector<Block> send = blocks_of(comm.rank(), comm.size(), true, send_end);
  std::vector<Block> recv = blocks_of(comm.rank(), comm.size(), false, recv_end);
  const auto pairwise = two_chunks(send, recv, pairwise_order());
  const auto cyclic = two_chunks(send, recv, cyclic_order());
  recv[static_cast<std::size_t>(comm.size() - 1 - comm.rank())].count = 0;  // no message to itself
  const std::vector<Element> source = sent_buffer(send, send_end, comm.rank());
  const std::vector<Element> other_source = source;  // persistent requests must follow the buffers
  for (const bool persistent : {false, true})
    for (const auto& [steps, at_once] :
         {std::pair(&pairwise, 1), std::pair(&cyclic, 1), std::pair(&cyclic, 0)}) {
      const Messages exchange(comm, *steps, sizeof(Element),
                              {.at_once = at_once, .persistent = persistent});
      for (int repeat = 0; repeat < 3; ++repeat) {
        std::vector<Element> target(static_cast<std::size_t>(recv_end), guard);
        const Element* from = repeat == 1 ? other_source.data() : source.data();
        exchange.start(0, from, target.data());
        exchange.progress();
        exchange.start(1, from, target.data());
        exchange.wait(0);
        exchange.finish();
        EXPECT_TRUE(exchange.is_idle());
        EXPECT_EQ(target, expected_buffer(recv, recv_end, comm.rank()))
            << at_once << (persistent ? " persistent" : "");
      }
      EXPECT_EQ(exchange.bytes_sent(), elements_to_others(comm.rank(), comm.size()) * 12);
    }
}

/// Ranks without a block may pass the same address for both buffers, as with an empty workspace.
TEST_P(CommExchanges, ranks_without_blocks_take_part_in_calls) {
  const Communicator comm = all_ranks();
  if (comm.size() < 3) GTEST_SKIP() << "needs a rank besides the sender and the receiver";
  const int last = comm.size() - 1;
  const auto one_way = [&](int from, int to) {
    std::vector<Block> send;
    std::vector<Block> recv;
    if (comm.rank() == from) send.push_back({to, 0, 1});
    if (comm.rank() == to) recv.push_back({from, 1, 1});
    const PackedAllToAll packed(comm, send, recv, sizeof(std::int64_t));
    std::vector<StridedBlock> strided_send;
    std::vector<StridedBlock> strided_recv;
    if (comm.rank() == from) strided_send.push_back({to, 0, {1}, {1}});
    if (comm.rank() == to) strided_recv.push_back({from, 1, {1}, {1}});
    const StridedAllToAll strided(comm, strided_send, strided_recv, sizeof(std::int64_t));
    const bool idle = send.empty() && recv.empty();
    for (int repeat = 0; repeat < 3; ++repeat) {
      std::int64_t values[2] = {100 + from, -1};
      std::int64_t* target = idle ? values : values + 0;
      packed.start(values, target);
      while (!packed.test()) continue;
      strided.start(values, target);
      strided.wait();
      EXPECT_EQ(values[1], comm.rank() == to ? 100 + from : -1);
    }
  };
  one_way(last, 1);
  one_way(1, 0);
}

/// A block with gaps is sent by an MPI datatype. Every second element of the source arrives as a
/// contiguous row, and the reverse.
TEST_P(CommExchanges, messages_move_strided_boxes) {
  const Communicator comm = all_ranks();
  if (comm.size() % 2 == 1) GTEST_SKIP() << "ranks meet two by two";
  const int peer = comm.rank() ^ 1;
  const std::int64_t count = 5 + std::min(comm.rank(), peer);
  const StridedBlock spread{peer, 1, {count, 2}, {4, 1}};
  const StridedBlock row{peer, 3, {2 * count}, {1}};
  const bool first = comm.rank() < peer;
  const std::vector<MessageStep> steps = {{0, first ? spread : row, first ? row : spread}};
  EXPECT_THROW(Messages(comm, steps, sizeof(std::int64_t)), Error);
  const Messages exchange(comm, steps, sizeof(std::int64_t), {.in_pieces = false});
  std::vector<std::int64_t> source(static_cast<std::size_t>(4 * count + 8));
  std::iota(source.begin(), source.end(), 1000 * comm.rank());
  std::vector<std::int64_t> target(source.size(), -1);
  exchange.execute(source.data(), target.data());
  std::vector<std::int64_t> expected(source.size(), -1);
  for (std::int64_t i = 0; i < 2 * count; ++i) {
    const std::int64_t in_spread = 1 + 4 * (i / 2) + i % 2;
    const std::int64_t in_row = 3 + i;
    expected[static_cast<std::size_t>(first ? in_row : in_spread)] =
        1000 * peer + (first ? in_row : in_spread);
  }
  EXPECT_EQ(target, expected);
}

TEST_P(CommExchanges, exchange_pair_allows_different_counts) {
  const Communicator comm = all_ranks();
  const int peer = comm.rank() ^ 1;
  if (peer >= comm.size()) return;
  for (const auto& [low, high] :
       {std::pair{20, 0}, std::pair{0, 9}, std::pair{15, 21}, std::pair{0, 0}}) {
    const int mine = comm.rank() < peer ? low : high;
    const int theirs = comm.rank() < peer ? high : low;
    const std::vector<Element> source(static_cast<std::size_t>(mine),
                                      Element{comm.rank(), peer, mine});
    std::vector<Element> target(static_cast<std::size_t>(theirs) + 1, guard);
    comm.exchange_pair(peer, source.data(), mine, target.data(), theirs, sizeof(Element));
    EXPECT_EQ(std::count(target.begin(), target.end(), Element{peer, comm.rank(), theirs}), theirs);
    EXPECT_EQ(target.back(), guard);
  }
}

// --- strided boxes: a global array of rows x columns x depth moves from row slabs to column slabs.
// Their memory order is the reverse of the senders'.

struct Range {
  std::int64_t lo;
  std::int64_t hi;
  std::int64_t size() const { return hi - lo; }
};

Range part(std::int64_t n, int rank, int ranks) {
  return {n * rank / ranks, n * (rank + 1) / ranks};
}

void exchange_slabs(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  const Communicator comm = all_ranks();
  const Range my_rows = part(rows, comm.rank(), comm.size());
  const Range my_columns = part(columns, comm.rank(), comm.size());
  // Source: [my row][column][depth]. Target: [depth][my column][row].
  // Each has one element of guard around it.
  const std::vector<std::int64_t> source_strides = {columns * depth, depth, 1};
  const std::vector<std::int64_t> target_strides = {1, rows, rows * my_columns.size()};
  std::vector<StridedBlock> send;
  std::vector<StridedBlock> recv;
  std::int64_t to_others = 0;
  std::int64_t messages = 0;
  for (int peer = 0; peer < comm.size(); ++peer) {
    const Range their_rows = part(rows, peer, comm.size());
    const Range their_columns = part(columns, peer, comm.size());
    const std::int64_t volume = my_rows.size() * their_columns.size() * depth;
    if (peer != comm.rank()) to_others += volume;
    if (peer != comm.rank() && volume > 0) ++messages;
    send.push_back({peer,
                    1 + their_columns.lo * depth,
                    {my_rows.size(), their_columns.size(), depth},
                    source_strides});
    recv.push_back(
        {peer, 1 + their_rows.lo, {their_rows.size(), my_columns.size(), depth}, target_strides});
  }
  const auto global = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return Element{static_cast<int>(i), static_cast<int>(j), static_cast<int>(k)};
  };
  std::vector<Element> source(static_cast<std::size_t>(my_rows.size() * columns * depth) + 2,
                              guard);
  for (std::int64_t i = 0; i < my_rows.size(); ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t k = 0; k < depth; ++k) {
        source[static_cast<std::size_t>(1 + (i * columns + j) * depth + k)] =
            global(my_rows.lo + i, j, k);
      }
    }
  }
  std::vector<Element> expected(static_cast<std::size_t>(rows * my_columns.size() * depth) + 2,
                                guard);
  for (std::int64_t k = 0; k < depth; ++k) {
    for (std::int64_t j = 0; j < my_columns.size(); ++j) {
      for (std::int64_t i = 0; i < rows; ++i) {
        expected[static_cast<std::size_t>(1 + (k * my_columns.size() + j) * rows + i)] =
            global(i, my_columns.lo + j, k);
      }
    }
  }
  const StridedAllToAll exchange(comm, send, recv, sizeof(Element));
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::vector<Element> target(expected.size(), guard);
    exchange.execute(source.data(), target.data());
    ASSERT_EQ(target, expected) << rows << " x " << columns << " x " << depth;
  }
  EXPECT_EQ(exchange.bytes_sent(), to_others * 12);
  EXPECT_EQ(exchange.messages(), messages);
}

TEST_P(CommExchanges, strided_boxes_move_between_memory_orders) {
  exchange_slabs(13, 11, 5);
  exchange_slabs(40, 31, 17);
  exchange_slabs(2, 3, 4);  // fewer rows than ranks, so some boxes are empty
  exchange_slabs(16, 16, 1);
  exchange_slabs(1, 1, 100);
}

TEST_P(CommExchanges, strided_boxes_without_axes_and_with_counts_that_split_twice) {
  const Communicator comm = all_ranks();
  const int to = (comm.rank() + 1) % comm.size();
  const int from = (comm.rank() + comm.size() - 1) % comm.size();
  {
    const std::vector<StridedBlock> send = {{to, 2, {}, {}}};
    const std::vector<StridedBlock> recv = {{from, 0, {}, {}}};
    const StridedAllToAll exchange(comm, send, recv, sizeof(std::int64_t));
    const std::vector<std::int64_t> source = {-1, -1, comm.rank(), -1};
    std::vector<std::int64_t> target = {-2, -2};
    exchange.execute(source.data(), target.data());
    EXPECT_EQ(target, (std::vector<std::int64_t>{from, -2}));
  }
  const std::int64_t n = 1000;  // more than 7 * 7 * 7, so datatypes are nested three times
  const std::vector<StridedBlock> send = {{to, 0, {n}, {3}}};
  const std::vector<StridedBlock> recv = {{from, 1, {n}, {2}}};
  const StridedAllToAll exchange(comm, send, recv, sizeof(std::int64_t));
  std::vector<std::int64_t> source(static_cast<std::size_t>(3 * n), -1);
  std::vector<std::int64_t> expected(static_cast<std::size_t>(2 * n + 1), -2);
  for (std::int64_t i = 0; i < n; ++i) {
    source[static_cast<std::size_t>(3 * i)] = comm.rank() * n + i;
    expected[static_cast<std::size_t>(2 * i + 1)] = from * n + i;
  }
  std::vector<std::int64_t> target(expected.size(), -2);
  exchange.execute(source.data(), target.data());
  EXPECT_EQ(target, expected);
}

TEST_P(CommExchanges, two_exchanges_may_take_turns) {
  const Communicator comm = all_ranks();
  std::int64_t send_end = 0;
  std::int64_t recv_end = 0;
  const std::vector<Block> send = blocks_of(comm.rank(), comm.size(), true, send_end);
  const std::vector<Block> recv = blocks_of(comm.rank(), comm.size(), false, recv_end);
  const PackedAllToAll forward(comm, send, recv, sizeof(Element));
  const PackedAllToAll backward(comm, recv, send, sizeof(Element));
  const std::vector<Element> source = sent_buffer(send, send_end, comm.rank());
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::vector<Element> between(static_cast<std::size_t>(recv_end), guard);
    std::vector<Element> target(source.size(), guard);
    forward.execute(source.data(), between.data());
    backward.execute(between.data(), target.data());
    EXPECT_EQ(target, source);
  }
}

INSTANTIATE_TEST_SUITE_P(Limits, CommExchanges, ::testing::Values(0, 7, 1));

}  // namespace
}  // namespace weft::comm
