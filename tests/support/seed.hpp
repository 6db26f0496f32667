// Seeds of tests that draw; tests/python/seeds.py has the same rules.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <string_view>

namespace weft::test_support {

/// How a failure tells to draw the same again; for SCOPED_TRACE.
inline std::string repeated_by(std::uint64_t seed) {
  const std::string number = std::to_string(seed);
  return "seed " + number + "; WEFT_SEED=" + number + " repeats it";
}

/// The default seed, so that a change alone decides whether a test passes. WEFT_FRESH_SEEDS=1 draws
/// another each time and prints it. WEFT_SEED=n repeats one. Of several ranks one chooses for all.
inline std::uint64_t chosen_seed(std::uint64_t default_seed) {
  if (const char* given = std::getenv("WEFT_SEED"); given != nullptr && *given != '\0')
    return std::stoull(given);
  const char* fresh = std::getenv("WEFT_FRESH_SEEDS");
  if (fresh == nullptr || std::string_view(fresh) != "1") return default_seed;
  const std::uint64_t seed = std::random_device{}();
  std::cerr << repeated_by(seed) << std::endl;
  return seed;
}

}  // namespace weft::test_support
