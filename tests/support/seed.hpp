// Seeds of tests that draw; tests/python/support/seeds.py has the same rules.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <string_view>

namespace weft::test_support {

/// Returns the words that name a seed and its repetition; for SCOPED_TRACE.
inline std::string repeated_by(std::uint64_t seed) {
  const std::string number = std::to_string(seed);
  return "seed " + number + "; WEFT_SEED=" + number + " repeats it";
}

/// Returns and prints the seed of a drawn test: WEFT_SEED if it is set, another one each time with
/// WEFT_FRESH_SEEDS=1, otherwise the default. If a test has ranks, one rank chooses for all. The
/// default seed is fixed so that a change alone decides whether a test passes.
inline std::uint64_t chosen_seed(std::uint64_t default_seed) {
  const char* given = std::getenv("WEFT_SEED");
  const char* fresh = std::getenv("WEFT_FRESH_SEEDS");
  std::uint64_t seed = default_seed;
  if (given != nullptr && *given != '\0')
    seed = std::stoull(given);
  else if (fresh != nullptr && std::string_view(fresh) == "1")
    seed = std::random_device{}();
  std::cerr << repeated_by(seed) << std::endl;
  return seed;
}

}  // namespace weft::test_support
