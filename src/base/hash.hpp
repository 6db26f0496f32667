#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace weft {

/// Returns the FNV-1a hash. It is the same in every process and build, unlike std::hash.
inline std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211;
  return hash;
}

/// Returns hash_of() in 16 hexadecimal digits.
inline std::string hash_digits(std::string_view text) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(hash_of(text)));
  return digits.data();
}

}  // namespace weft
