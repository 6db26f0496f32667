// The identity of the ranks' machine, by which wisdom finds plans.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "api/identity.hpp"
#include "comm/from_mpi.hpp"
#include "comm/placement.hpp"
#include "kernel/engine.hpp"

namespace weft {
namespace {

TEST(Identity, IsTheSameOnAllRanksAndEveryTime) {
  const auto comm = comm::communicator_of(MPI_COMM_WORLD);
  const MachineIdentity mine = api::identity_of(comm, kernel::wanted_engine());
  std::string first = to_json(mine);
  comm.broadcast(first, 0);
  EXPECT_EQ(to_json(mine), first);
  EXPECT_EQ(api::identity_of(comm, kernel::wanted_engine()), mine);
  EXPECT_EQ(mine.nodes, comm::placement(comm).nodes);
  EXPECT_FALSE(mine.processor.empty());
  EXPECT_FALSE(mine.mpi.empty());
  EXPECT_EQ(mine.engine.find(kernel::default_engine().name() + ": "), 0U);
  for (const std::string& name : kernel::engine_names()) {
    EXPECT_NE(mine.engine.find(name + ": "), std::string::npos) << mine.engine;
    EXPECT_EQ(api::identity_of(comm, name).engine,
              name + ": " + kernel::engine(name).description());
  }
  EXPECT_EQ(mine.fabric.find("one node") == 0, mine.nodes == 1);
}

TEST(Identity, SettingsThatChooseATransportArePartOfIt) {
  const auto comm = comm::communicator_of(MPI_COMM_WORLD);
  const char* before = std::getenv("UCX_TLS");
  const std::string kept = before == nullptr ? "" : before;
  const MachineIdentity of_default = api::identity_of(comm, kernel::wanted_engine());
  // If one rank has another value, all ranks know both values.
  setenv("UCX_TLS", comm.rank() == 0 ? "tcp,\t\xff" : "rc", 1);
  const MachineIdentity other = api::identity_of(comm, kernel::wanted_engine());
  before == nullptr ? unsetenv("UCX_TLS") : setenv("UCX_TLS", kept.c_str(), 1);
  EXPECT_NE(other, of_default);
  EXPECT_NE(other.fabric.find("UCX_TLS=tcp,??"), std::string::npos) << other.fabric;
  EXPECT_EQ(other.fabric.find("UCX_TLS=rc") != std::string::npos, comm.size() > 1) << other.fabric;
}

}  // namespace
}  // namespace weft
