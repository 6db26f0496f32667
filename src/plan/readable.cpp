#include "plan/readable.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace weft {

std::string counted(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string readable_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.15g", value);
  return text.data();
}

std::string readable_bytes(double bytes) {
  constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text.data();
}

std::string readable_seconds(double seconds) {
  constexpr std::array units{"s", "ms", "us", "ns"};
  std::size_t unit = 0;
  for (; std::abs(seconds) < 0.9995 && unit + 1 < units.size(); ++unit) seconds *= 1000;
  const int digits = std::abs(seconds) < 9.995 ? 2 : std::abs(seconds) < 99.95 ? 1 : 0;
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", digits, seconds, units[unit]);
  return seconds == 0 ? "0 s" : text.data();
}

}  // namespace weft
