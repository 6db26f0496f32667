// Objects that are destroyed after MPI_Finalize. The test below fills a static object, and main
// calls MPI_Finalize. Then the destructor of the object checks the state. If a check fails, it ends
// the process with status 1.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include <weft/error.hpp>

#include "comm/communicator.hpp"
#include "comm/environment.hpp"
#include "comm/exchanges.hpp"
#include "comm/exposed_memory.hpp"
#include "comm/from_mpi.hpp"
#include "comm/node_memory.hpp"

namespace weft::comm {
namespace {

void require(bool truth, const char* what) {
  if (truth) return;
  std::fprintf(stderr, "after MPI_Finalize: %s\n", what);
  std::_Exit(1);
}

template <class F>
std::optional<ErrorCode> code_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

struct Kept {
  bool filled = false;
  std::optional<Communicator> world;
  std::optional<Communicator> half;
  std::optional<PackedAllToAll> packed;
  std::optional<PackedAllToAll> split;
  std::optional<StridedAllToAll> strided;
  std::optional<Messages> pairwise;
  std::vector<NodeMemory> memories;
  std::optional<ExposedMemory> exposed;
  std::optional<Puts> puts;

  void fill();
  ~Kept();
};

void Kept::fill() {
  world = communicator_of(MPI_COMM_WORLD);
  half = world->subset(world->rank() % 2);
  const std::vector<Block> send = {{0, 0, 5}};
  std::vector<Block> recv;
  for (int peer = 0; world->rank() == 0 && peer < world->size(); ++peer) {
    recv.push_back({peer, 5 * peer, 5});
  }
  packed.emplace(*world, send, recv, 8);
  set_count_limit(2);
  split.emplace(*world, send, recv, 8);
  set_count_limit(0);
  const std::vector<StridedBlock> box = {{world->rank(), 0, {4, 3}, {8, 2}}};
  strided.emplace(*world, box, box, 8);
  const int peer = world->rank() ^ 1;
  std::vector<MessageStep> steps;
  if (peer < world->size()) steps.push_back({0, {peer, 0, {3}, {1}}, {peer, 0, {3}, {1}}});
  pairwise.emplace(*world, steps, 8);
  const Communicator node = world->node_group();
  for (const NodeMemoryKind kind : {NodeMemoryKind::memfd, NodeMemoryKind::posix,
                                    NodeMemoryKind::window, NodeMemoryKind::ordinary}) {
    if (kind == NodeMemoryKind::window && node.is_solo()) continue;
    memories.emplace_back(node, 4096, kind);
  }
  exposed.emplace(*world, 4096);
  std::vector<ChunkedBlock> block;
  if (peer < world->size()) block.push_back({0, {peer, 0, 3}});
  puts.emplace(*world, *exposed, 1, block, block, 8);
  filled = true;
}

Kept::~Kept() {
  if (!filled) return;
  require(is_finalized(), "the test itself is wrong: MPI still runs");
  require(!is_running() && is_initialized(), "is_running or is_initialized is wrong");
  require(communicator_counts().duplicates == 0, "a duplicate was not freed");
  require(communicator_counts().subsets == 0, "a group of ranks was not freed");
  require(code_of([] { communicator_of(MPI_COMM_WORLD); }) == ErrorCode::invalid_argument,
          "Communicator::of does not refuse");
  require(!code_of([] { Communicator::solo().barrier(); }), "solo does not work");
  std::vector<char> buffer(10000);
  if (world->is_solo()) {
    require(!code_of([&] { packed->execute(buffer.data(), buffer.data() + 5000); }),
            "an exchange of one rank does not work");
  } else {
    require(code_of([&] { world->barrier(); }) == ErrorCode::mpi_failure,
            "barrier does not refuse");
    require(code_of([&] { packed->execute(buffer.data(), buffer.data() + 5000); }) ==
                ErrorCode::mpi_failure,
            "an exchange does not refuse");
    require(code_of([&] { puts->start(0, buffer.data()); }) == ErrorCode::mpi_failure,
            "a put does not refuse");
  }
  // The members are destroyed now, in the opposite order of their construction. That must not
  // crash.
}

Kept kept;  // NOLINT: its destruction after main is the test

TEST(CommFinalize, objects_may_be_destroyed_after_mpi_finalize) {
  kept.fill();
  EXPECT_TRUE(kept.filled);
}

}  // namespace
}  // namespace weft::comm
