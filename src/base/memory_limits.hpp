#pragma once

#include <cstdint>
#include <string>

namespace weft {

/// Value of a limit that does not exist or cannot be read.
inline constexpr std::int64_t no_memory_limit = INT64_MAX;

/// Returns the bytes that this process can still take in its memory control groups, of version 1 or
/// 2. The room in a group is its limit, less its usage, plus the page cache that the kernel can
/// drop. The result is the smallest room in the groups and all their parents.
///
/// proc_cgroup  the text of /proc/self/cgroup, which names the groups.
/// mount        the folder with the groups' file systems, normally /sys/fs/cgroup. Tests give
///              another folder.
std::int64_t cgroup_room_bytes(const std::string& proc_cgroup, const std::string& mount);

/// Returns MemAvailable, in bytes, from the text of /proc/meminfo.
std::int64_t mem_available_bytes(const std::string& meminfo);

}  // namespace weft
