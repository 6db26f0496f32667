#include "comm/node_memory.hpp"
#include "comm/from_mpi.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <weft/error.hpp>

#include "base/memory.hpp"
#include "mpi/support/world.hpp"
#include "support/error_text.hpp"

namespace weft::comm {
namespace {

using test_support::all_ranks;
using test_support::error_text;

/// Sets WEFT_NODE_MEMORY for one test.
class Forced {
 public:
  explicit Forced(const std::string& word)
      : had_(std::getenv(name) != nullptr), before_(had_ ? std::getenv(name) : "") {
    setenv(name, word.c_str(), 1);
  }
  ~Forced() {
    if (had_) {
      setenv(name, before_.c_str(), 1);
    } else {
      unsetenv(name);
    }
  }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;

 private:
  static constexpr const char* name = "WEFT_NODE_MEMORY";
  bool had_;
  std::string before_;
};

int files_in_dev_shm() {
  int count = 0;
  if (!std::filesystem::exists("/dev/shm")) return 0;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    count += entry.path().filename().string().starts_with("weft-" + std::to_string(getpid()) + "-")
                 ? 1
                 : 0;
  }
  return count;
}

int open_descriptors() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    count += entry.exists() ? 1 : 1;
  return count;
}

class CommNodeMemory : public ::testing::TestWithParam<NodeMemoryKind> {};

/// Each rank writes into its own memory, and reads the memory of all ranks of its node.
TEST_P(CommNodeMemory, every_rank_reads_what_every_other_wrote) {
  const Communicator node = all_ranks().node_group();
  if (GetParam() == NodeMemoryKind::window && node.is_solo())
    GTEST_SKIP() << "a window needs 2 ranks";
  // Ranks have different numbers of elements. Every third rank has none.
  const auto elements_of = [](int rank) {
    return rank % 3 == 2 ? std::int64_t{0} : std::int64_t{1000} + rank;
  };
  const std::int64_t mine = elements_of(node.rank());
  const NodeMemory memory(node, mine * 8, GetParam());
  EXPECT_EQ(memory.kind(), GetParam());
  EXPECT_EQ(memory.is_shared(), GetParam() != NodeMemoryKind::ordinary);
  EXPECT_EQ(memory.size(), mine * 8);
  auto* const data = static_cast<std::int64_t*>(memory.data());
  for (std::int64_t i = 0; i < mine; ++i) data[i] = (std::int64_t{node.rank()} << 32) + i;
  node.barrier();
  for (int peer = 0; peer < node.size(); ++peer) {
    EXPECT_EQ(memory.size_of(peer), elements_of(peer) * 8);
    const auto* const theirs = static_cast<const std::int64_t*>(memory.data_of(peer));
    if (elements_of(peer) == 0 || (peer != node.rank() && !memory.is_shared())) {
      EXPECT_EQ(theirs, nullptr);
      continue;
    }
    for (std::int64_t i = 0; i < elements_of(peer); ++i)
      ASSERT_EQ(theirs[i], (std::int64_t{peer} << 32) + i);
  }
  node.barrier();
}

TEST_P(CommNodeMemory, leaves_no_file_no_descriptor_and_no_count_behind) {
  const Communicator node = all_ranks().node_group();
  if (GetParam() == NodeMemoryKind::window) GTEST_SKIP() << "MPI manages windows";
  const int descriptors = open_descriptors();
  const std::int64_t live = memory_counters().live_bytes;
  for (int i = 0; i < 20; ++i) {
    const NodeMemory memory(node, 100000, GetParam());
    EXPECT_EQ(memory_counters().live_bytes, live + 100000);
    EXPECT_EQ(open_descriptors(), descriptors) << "many arrays must not run out of descriptors";
    EXPECT_EQ(files_in_dev_shm(), 0) << "a killed run must not leave files";
  }
  EXPECT_EQ(memory_counters().live_bytes, live);
}

TEST_P(CommNodeMemory, outlives_the_rank_that_drops_it_first) {
  const Communicator node = all_ranks().node_group();
  if (node.is_solo() || GetParam() == NodeMemoryKind::ordinary)
    GTEST_SKIP() << "needs 2 ranks that share memory";
  auto memory = std::make_unique<NodeMemory>(node, 80, GetParam());
  *static_cast<std::int64_t*>(memory->data()) = 100 + node.rank();
  node.barrier();
  if (node.rank() == 0) memory.reset();
  node.barrier();
  if (node.rank() != 0) {
    EXPECT_EQ(*static_cast<std::int64_t*>(memory->data_of(0)), 100);
  }
}

TEST_P(CommNodeMemory, too_much_memory_on_one_rank_is_an_error_on_all_ranks) {
  const Communicator node = all_ranks().node_group();
  if (GetParam() == NodeMemoryKind::window && node.is_solo())
    GTEST_SKIP() << "a window needs 2 ranks";
  const std::int64_t bytes = node.rank() == node.size() - 1 ? std::int64_t{1} << 50 : 8;
  EXPECT_NE(error_text([&] { NodeMemory(node, bytes, GetParam()); }).find("out_of_memory: "),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Kinds, CommNodeMemory,
                         ::testing::Values(NodeMemoryKind::memfd, NodeMemoryKind::posix,
                                           NodeMemoryKind::window, NodeMemoryKind::ordinary),
                         [](const auto& tested) {
                           return std::string(to_string(tested.param)) == "private"
                                      ? "ordinary"
                                      : to_string(tested.param);
                         });

TEST(CommNodeMemoryKind, is_the_same_on_all_ranks_of_a_node) {
  const Communicator node = all_ranks().node_group();
  const auto kind = static_cast<std::int64_t>(node_memory_kind(all_ranks()));
  EXPECT_EQ(node.min(kind), node.max(kind));
  EXPECT_EQ(static_cast<std::int64_t>(node_memory_kind(all_ranks())), kind);
}

TEST(CommNodeMemoryKind, each_kind_can_be_forced) {
  for (const char* word : {"memfd", "posix", "window", "private"}) {
    const Forced forced(word);
    const std::string kind = to_string(probe_node_memory(all_ranks()));
    if (std::string(word) == "window" && all_ranks().node_group().is_solo()) {
      EXPECT_EQ(kind, "private");
    } else {
      EXPECT_EQ(kind, word);
    }
  }
}

TEST(CommNodeMemoryKind, an_unknown_kind_is_refused_on_all_ranks) {
  const Forced forced("tape");
  EXPECT_EQ(error_text([] { probe_node_memory(all_ranks()); }),
            "invalid_argument: the environment variable WEFT_NODE_MEMORY must be memfd, posix, "
            "window or private; "
            "given 'tape'");
}

TEST(CommNodeMemoryKind, ranks_that_ask_for_different_kinds_are_refused) {
  if (all_ranks().size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const Forced forced(all_ranks().rank() == 1 ? "posix" : "memfd");
  EXPECT_EQ(error_text([] { probe_node_memory(all_ranks()); }),
            "disagreement: node memory: the ranks differ: WEFT_NODE_MEMORY is memfd on rank 0 and "
            "posix on rank 1; "
            "pass the same WEFT_NODE_MEMORY on every rank");
}

TEST(CommNodeSegment, a_changed_handle_is_refused) {
  const NodeSegment segment = NodeSegment::create(NodeMemoryKind::memfd, 100);
  EXPECT_EQ(NodeSegment::attach(segment.handle()).size(), 100);
  NodeHandle handle = segment.handle();
  handle.cookie ^= 1;
  EXPECT_NE(error_text([&] { NodeSegment::attach(handle); }).find("is not what the peer made"),
            std::string::npos);
  handle = segment.handle();
  handle.descriptor = 0;
  EXPECT_TRUE(error_text([&] { NodeSegment::attach(handle); }).starts_with("unsupported: "));
  handle = segment.handle();
  handle.pid = 0x3fffffff;
  EXPECT_TRUE(error_text([&] { NodeSegment::attach(handle); }).starts_with("unsupported: "));
  handle = segment.handle();
  handle.bytes = 1 << 20;
  EXPECT_NE(error_text([&] { NodeSegment::attach(handle); }).find("bytes instead of"),
            std::string::npos);
}

TEST(CommNodeSegment, a_closed_segment_cannot_be_attached) {
  for (const NodeMemoryKind kind : {NodeMemoryKind::memfd, NodeMemoryKind::posix}) {
    NodeSegment segment = NodeSegment::create(kind, 100);
    const NodeSegment before = NodeSegment::attach(segment.handle());
    segment.close_for_newcomers();
    EXPECT_TRUE(
        error_text([&] { NodeSegment::attach(segment.handle()); }).starts_with("unsupported: "));
    static_cast<char*>(segment.data())[99] = 'x';
    EXPECT_EQ(static_cast<char*>(before.data())[99], 'x');
  }
}

TEST(CommNodeSegment, memory_is_zero_and_aligned) {
  for (const NodeMemoryKind kind :
       {NodeMemoryKind::memfd, NodeMemoryKind::posix, NodeMemoryKind::ordinary}) {
    const std::int64_t bytes = std::int64_t{5} << 20;
    const NodeSegment segment = NodeSegment::create(kind, bytes);
    const char* const data = static_cast<const char*>(segment.data());
    for (std::int64_t i = 0; i < bytes; i += 4096) ASSERT_EQ(data[i], 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0u);
  }
}

TEST(CommNodeMemoryRoom, ranks_of_a_node_are_counted_together) {
  const Communicator comm = all_ranks();
  EXPECT_EQ(error_text([&] { require_memory_together(comm, std::int64_t{1} << 20, "the array"); }),
            "no error");
  const std::int64_t available = comm.min(unpromised_memory_bytes());
  // The memory of each rank would fit alone, but not all of it together.
  const std::int64_t share = available / comm.size() / 4 * 5;
  const std::string message =
      error_text([&] { require_memory_together(comm, share, "the array"); });
  EXPECT_TRUE(message.starts_with("out_of_memory: the array needs ")) << message;
  EXPECT_EQ(
      error_text([&] { require_memory_together(comm, INT64_MAX, "the array"); }).substr(0, 15),
      "out_of_memory: ");
}

}  // namespace
}  // namespace weft::comm
