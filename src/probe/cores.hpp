#pragma once

#include <cstdint>
#include <string>

namespace weft::probe {

/// Physical cores of this node, as the system's files of processors under `cpus` tell which of them are
/// threads of one core; 0 where it does not tell.
std::int64_t physical_cores(const std::string& cpus = "/sys/devices/system/cpu");

}  // namespace weft::probe
