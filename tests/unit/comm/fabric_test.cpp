#include "comm/fabric.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace weft {
namespace {

namespace fs = std::filesystem;

/// Makes files like those of the system for its network devices.
TEST(Fabric, HasKindsAndRatesButNoNames) {
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
