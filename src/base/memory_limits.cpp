#include "base/memory_limits.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace weft {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns the number at the start of `text`; nothing if there is none ("max" in version 2).
/// Version 1 writes "no limit" as a number near 2^63, which needs no special case.
std::optional<std::int64_t> leading_number(const std::string& text) {
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  if (end == text.c_str()) return std::nullopt;
  return value;
}

/// Returns the number after `key` in a text of lines "key number".
std::int64_t number_after(const std::string& text, std::string_view key) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.size() > key.size() && line.starts_with(key))
      return leading_number(line.substr(key.size())).value_or(0);
  }
  return 0;
}

/// Names of the files of one version.
struct CgroupFiles {
  const char* limit;
  const char* usage;
  const char* droppable;  ///< key in memory.stat: page cache that the kernel drops before it kills
};
constexpr CgroupFiles version_1 = {"/memory.limit_in_bytes", "/memory.usage_in_bytes",
                                   "total_inactive_file "};
constexpr CgroupFiles version_2 = {"/memory.max", "/memory.current", "inactive_file "};

std::int64_t room_of_group(const std::string& folder, const CgroupFiles& files) {
  const auto limit = leading_number(read_text(folder + files.limit));
  const auto usage = leading_number(read_text(folder + files.usage));
  if (!limit || !usage) return no_memory_limit;
  const std::int64_t droppable = number_after(read_text(folder + "/memory.stat"), files.droppable);
  return std::max<std::int64_t>(0,
                                *limit - *usage + std::clamp<std::int64_t>(droppable, 0, *usage));
}

/// Returns the least room over `path` and all its parents up to the mount point, because the limit
/// of each parent applies. Inside a container the path may not exist under the mount point. Then
/// only the parents that exist count, including the mount point.
std::int64_t room_up_from(const std::string& mount, std::string path, const CgroupFiles& files) {
  std::int64_t room = no_memory_limit;
  while (true) {
    room = std::min(room, room_of_group(mount + path, files));
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return room;
    path.resize(slash);
  }
}

bool lists_memory(std::string_view controllers) {
  std::istringstream names{std::string(controllers)};
  std::string name;
  while (std::getline(names, name, ',')) {
    if (name == "memory") return true;
  }
  return false;
}

}  // namespace

std::int64_t cgroup_room_bytes(const std::string& proc_cgroup, const std::string& mount) {
  std::int64_t room = no_memory_limit;
  std::istringstream lines(proc_cgroup);
  std::string line;
  while (std::getline(lines, line)) {
    // "number:controllers:/path"; version 2 has number 0 and no controllers
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    if (controllers.empty()) {
      room = std::min(room, room_up_from(mount, path, version_2));
      room = std::min(room, room_up_from(mount + "/unified", path, version_2));
    } else if (lists_memory(controllers)) {
      room = std::min(room, room_up_from(mount + "/memory", path, version_1));
    }
  }
  return room;
}

std::int64_t mem_available_bytes(const std::string& meminfo) {
  const std::int64_t kibibytes = number_after(meminfo, "MemAvailable:");
  return kibibytes > 0 ? kibibytes * 1024 : no_memory_limit;
}

}  // namespace weft
