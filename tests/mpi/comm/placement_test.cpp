// These tests need no MPI. They are here because a collective function is in the same source file.
#include "comm/placement.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace weft {
namespace {

using comm::NodeOrder;

TEST(Placement, IsInBlocksCyclicOrOther) {
  const auto expect = [](const std::vector<std::int64_t>& first_of_node, const NodeOrder& wanted) {
    EXPECT_EQ(comm::placement(first_of_node), wanted);
  };
  expect({0}, {1, 1, "blocks"});
  expect({0, 0, 0}, {1, 3, "blocks"});
  expect({0, 1, 2}, {3, 1, "blocks"});
  expect({0, 0, 2, 2, 4}, {3, 2, "blocks"});
  expect({0, 1, 1}, {2, 2, "blocks"});
  expect({0, 1, 0, 1}, {2, 2, "cyclic"});
  expect({0, 1, 2, 0, 1}, {3, 2, "cyclic"});
  expect({0, 1, 1, 0}, {2, 2, "other"});
  expect({0, 0, 2, 0}, {2, 3, "other"});
}

}  // namespace
}  // namespace weft
