// Seeds of random tests; tests/python/support/seeds.py has the same rules.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <string_view>

namespace weft::test_support {

/// Returns a text for SCOPED_TRACE: the seed, and how to repeat the test with this seed.
inline std::string repeated_by(std::uint64_t seed) {
  const std::string number = std::to_string(seed);
  return "seed " + number + "; WEFT_SEED=" + number + " repeats it";
}

/// Returns and prints the seed of a random test: WEFT_SEED if it is set, otherwise a new seed if
/// WEFT_FRESH_SEEDS is 1, otherwise the default. If a test has ranks, one rank chooses for all. The
/// default seed is fixed so that only changes of the code change the result of a test.
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
