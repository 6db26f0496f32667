#include "probe/cores.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

namespace weft::probe {

std::int64_t physical_cores(const std::string& cpu_directory) {
  std::set<std::string> cores;
  std::error_code ignored_error;  // a missing directory gives 0
  for (const auto& entry : std::filesystem::directory_iterator(cpu_directory, ignored_error)) {
    std::ifstream file(entry.path() / "topology" / "thread_siblings_list");
    std::string siblings;
    if (std::getline(file, siblings)) cores.insert(siblings);
  }
  return static_cast<std::int64_t>(cores.size());
}

}  // namespace weft::probe
