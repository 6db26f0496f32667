// What wisdom is keyed by: the machine that the ranks are on.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "api/identity.hpp"
#include "comm/fabric.hpp"
#include "comm/from_mpi.hpp"
#include "comm/placement.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;
using comm::Placement;

TEST(Placement, OfRanksOnNodes) {
  const auto expect = [](const std::vector<std::int64_t>& first_of_node, const Placement& wanted) {
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

TEST(Identity, IsTheSameOnAllRanksAndEveryTime) {
  const auto comm = comm::communicator_of(MPI_COMM_WORLD);
  const MachineIdentity mine = api::identity_of(comm, kernel::default_engine());
  std::string first = to_json(mine);
  comm.broadcast(first, 0);
  EXPECT_EQ(to_json(mine), first);
  EXPECT_EQ(api::identity_of(comm, kernel::default_engine()), mine);
  EXPECT_EQ(mine.nodes, comm::placement(comm).nodes);
  EXPECT_FALSE(mine.processor.empty());
  EXPECT_FALSE(mine.mpi.empty());
  EXPECT_EQ(mine.engine.find(kernel::default_engine().name() + ": "), 0U);
  EXPECT_EQ(mine.fabric.find("one node") == 0, mine.nodes == 1);
}

TEST(Identity, SettingsThatChooseATransportArePartOfIt) {
  const auto comm = comm::communicator_of(MPI_COMM_WORLD);
  const char* before = std::getenv("UCX_TLS");
  const std::string kept = before == nullptr ? "" : before;
  const MachineIdentity usual = api::identity_of(comm, kernel::default_engine());
  // Where one rank has another, all ranks know of both.
  setenv("UCX_TLS", comm.rank() == 0 ? "tcp,\t\xff" : "rc", 1);
  const MachineIdentity other = api::identity_of(comm, kernel::default_engine());
  before == nullptr ? unsetenv("UCX_TLS") : setenv("UCX_TLS", kept.c_str(), 1);
  EXPECT_NE(other, usual);
  EXPECT_NE(other.fabric.find("UCX_TLS=tcp,??"), std::string::npos) << other.fabric;
  EXPECT_EQ(other.fabric.find("UCX_TLS=rc") != std::string::npos, comm.size() > 1) << other.fabric;
}

/// Files as the system has them for its network devices.
TEST(Fabric, IsKindsAndRatesWithoutNames) {
  std::string name = (fs::temp_directory_path() / "weft-devices-XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const fs::path devices = name;
  EXPECT_EQ(comm::network_devices(devices), "no device known");
  const auto put = [&](const fs::path& path, const std::string& text) {
    fs::create_directories((devices / path).parent_path());
    std::ofstream(devices / path) << text << "\n";
  };
  for (const char* port : {"net/enp3s0", "net/enp4s0"}) {
    put(fs::path(port) / "device/vendor", "0x8086");
    put(fs::path(port) / "speed", "10000");
    put(fs::path(port) / "operstate", "up");
  }
  put("net/unplugged/device/vendor", "0x8086");
  put("net/unplugged/operstate", "down");
  put("net/wireless/device/vendor", "0x8086");
  put("net/wireless/speed", "-1");
  put("net/docker0/speed", "1000");
  put("infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)");
  EXPECT_EQ(comm::network_devices(devices),
            "ethernet, ethernet 10000 Mb/s, rdma 100 Gb/sec (4X EDR)");
  fs::remove_all(devices);
}

}  // namespace
}  // namespace weft
