#pragma once

#include <cstdint>
#include <string>

namespace weft {

/// Returns a count with its noun: "1 rank", "8 ranks".
std::string counted(std::int64_t count, const std::string& noun);

/// Returns a number in the usual notation, up to 15 digits: "-1e-10", "0.1".
std::string readable_number(double value);

/// Returns bytes in a suitable unit: "28.0 MiB".
std::string readable_bytes(double bytes);

/// Returns a time with three digits: "1.23 s", "45.6 ms", "7.89 us".
std::string readable_seconds(double seconds);

}  // namespace weft
