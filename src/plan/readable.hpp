#pragma once

#include <cstdint>
#include <string>

namespace weft {

/// "1 rank", "8 ranks"
std::string counted(std::int64_t count, const std::string& noun);

/// "-1e-10", "0.1": the usual notation, up to 15 digits.
std::string readable_number(double value);

/// "28.0 MiB"
std::string readable_bytes(double bytes);

/// "1.23 s", "45.6 ms", "7.89 us": three digits.
std::string readable_seconds(double seconds);

}  // namespace weft
