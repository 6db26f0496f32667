#pragma once

#include <cstdint>
#include <string>

namespace weft {

/// Value of a limit that cannot be read.
inline constexpr std::int64_t no_memory_limit = INT64_MAX;

/// Returns the room in the memory control groups named in `proc_cgroup` (text of
/// /proc/self/cgroup), with their file systems mounted under `mount` (normally /sys/fs/cgroup). It
/// is the smallest value over the group and its parents of limit - usage + page cache that can be
/// dropped. Versions 1 and 2. Separate from available_memory_bytes for tests.
std::int64_t cgroup_room_bytes(const std::string& proc_cgroup, const std::string& mount);

/// Returns MemAvailable from the text of /proc/meminfo.
std::int64_t mem_available_bytes(const std::string& meminfo);

}  // namespace weft
