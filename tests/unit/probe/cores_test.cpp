// Physical cores, by the system's description of its processors.
#include "probe/cores.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/directory.hpp"

namespace weft::probe {
namespace {

namespace fs = std::filesystem;

void add_processor(const fs::path& cpus, int number, const std::string& siblings) {
  const fs::path folder = cpus / ("cpu" + std::to_string(number)) / "topology";
  fs::create_directories(folder);
  std::ofstream(folder / "thread_siblings_list") << siblings << "\n";
}

TEST(ProbeCores, threads_of_a_core_count_once) {
  const test_support::Directory directory;
  const fs::path cpus = directory.path();
  EXPECT_EQ(physical_cores(cpus.string()), 0);
  for (int number = 0; number < 4; ++number)
    add_processor(cpus, number, number % 2 == 0 ? "0,2" : "1,3");
  fs::create_directories(cpus / "cpufreq");
  EXPECT_EQ(physical_cores(cpus.string()), 2);
  add_processor(cpus, 4, "4");
  EXPECT_EQ(physical_cores(cpus.string()), 3);
}

TEST(ProbeCores, a_system_without_a_description_has_0_known_cores) {
  EXPECT_EQ(physical_cores("/no/such/folder"), 0);
}

}  // namespace
}  // namespace weft::probe
