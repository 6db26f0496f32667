// Random transforms on all ranks, compared with the direct DFT of the gathered array.
#include <cstdlib>

#include "mpi/support/fft_check.hpp"

namespace weft::test_support {
namespace {

std::uint64_t environment_number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// WEFT_TEST_CASES sets the number of cases, and WEFT_TEST_FIRST the number of the first case.
void check_random_cases(std::uint64_t default_seed, std::uint64_t default_cases,
                        std::int64_t volume_max) {
  const std::uint64_t seed = seed_of_all_ranks(default_seed);
  const std::uint64_t cases = environment_number("WEFT_TEST_CASES", default_cases);
  const std::uint64_t first = environment_number("WEFT_TEST_FIRST", 0);
  const int ranks = size_of(MPI_COMM_WORLD);
  std::uint64_t run = 0;
  for (std::uint64_t number = first; number < first + cases; ++number, ++run) {
    Random random(seed * 1000003 + number);
    SCOPED_TRACE(repeated_by(seed) + " with WEFT_TEST_FIRST=" + std::to_string(number));
    check_case(random_case(ranks, volume_max, random), MPI_COMM_WORLD);
  }
  EXPECT_EQ(run, cases);
  EXPECT_GT(run, 0u);
}

// `make nightly PART=random` draws thousands.
TEST(FftRandom, SmallArrays) { check_random_cases(1, 60, 2000); }
TEST(FftRandom, LargerArrays) { check_random_cases(2, 15, 30000); }

}  // namespace
}  // namespace weft::test_support
