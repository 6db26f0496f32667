// Messages that only some ranks have begun, or under different tags, are taken back.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "comm/take_back.hpp"

namespace weft::comm {
namespace {

using Numbers = std::vector<std::int64_t>;

/// To every other rank `count` numbers, in two chunks of one half each.
Messages all_to_all(const Communicator& comm, std::int64_t count, const MessageOptions& options) {
  std::vector<MessageStep> steps;
  for (int chunk = 0; chunk < 2; ++chunk)
    for (int step = 1; step < comm.size(); ++step) {
      const int to = (comm.rank() + step) % comm.size();
      const int from = (comm.rank() - step + comm.size()) % comm.size();
      const std::int64_t half = chunk * count / 2;
      steps.push_back({chunk,
                       {to, to * count + half, {count / 2}, {1}},
                       {from, from * count + half, {count / 2}, {1}}});
    }
  return Messages(comm, steps, sizeof(std::int64_t), options);
}

void expect_right(const Communicator& comm, const Messages& messages, std::int64_t count) {
  Numbers send(static_cast<std::size_t>(comm.size() * count), comm.rank());
  Numbers recv(send.size(), -1);
  messages.execute(send.data(), recv.data(), 2);
  for (std::size_t i = 0; i < recv.size(); ++i) {
    const auto from = static_cast<std::int64_t>(i) / count;
    ASSERT_EQ(recv[i], from == comm.rank() ? -1 : from);
  }
}

/// What a rank does before all take back: nothing, or one or both chunks under one of two tags.
struct Act {
  int tag = 0;
  int chunks = 0;
};

TEST(CommTakeBack, NothingIsLeft) {
  const Communicator comm = Communicator::of(MPI_COMM_WORLD);
  constexpr unsigned seed = 20261;
  if (comm.rank() == 0) std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);  // the same numbers on all ranks
  for (const int at_once : {0, 1})
    for (const bool persistent : {false, true})
      for (const std::int64_t count : {2, 60000}) {  // 60000: MPI asks before it sends
        const MessageOptions options{.at_once = at_once, .persistent = persistent, .tag = 5};
        MessageOptions others = options;
        others.tag = 6;
        const std::vector<Messages> both{all_to_all(comm, count, options),
                                         all_to_all(comm, count, others)};
        const Numbers send(static_cast<std::size_t>(comm.size() * count), -2);
        Numbers recv(send.size());
        for (int round = 0; round < 6; ++round) {
          std::vector<Act> acts;
          for (int rank = 0; rank < comm.size(); ++rank)
            acts.push_back({static_cast<int>(random() % 2), static_cast<int>(random() % 3)});
          const Act mine = acts[static_cast<std::size_t>(comm.rank())];
          const Messages& begun = both[static_cast<std::size_t>(mine.tag)];
          for (int chunk = 0; chunk < mine.chunks; ++chunk)
            begun.start(chunk, send.data(), recv.data());
          for (unsigned looks = random() % 100; looks > 0; --looks) begun.progress();
          take_back(comm, mine.chunks > 0 ? &begun : nullptr);
          EXPECT_TRUE(begun.is_idle());
          for (const Messages& messages : both) expect_right(comm, messages, count);
        }
      }
}

}  // namespace
}  // namespace weft::comm
