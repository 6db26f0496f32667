// Common parts of the tests of the C interface.
#pragma once

#include <weft/weft.h>

#include <cstring>
#include <string>
#include <vector>

#include "mpi/support/fft_check.hpp"
#include "mpi/support/world.hpp"

namespace weft::test_support {

inline weft_options default_options() {
  weft_options options;
  EXPECT_EQ(weft_options_init(&options), WEFT_OK);
  return options;
}

/// A text that weft has made, freed.
inline std::string taken(char* text) {
  std::string copy = text == nullptr ? "(null)" : text;
  weft_free(text);
  return copy;
}

inline void expect_failure(int code, int wanted, const std::vector<std::string>& words) {
  EXPECT_EQ(code, wanted) << weft_last_error();
  for (const std::string& word : words)
    EXPECT_NE(std::string(weft_last_error()).find(word), std::string::npos)
        << "no \"" << word << "\" in: " << weft_last_error();
}

/// The same failure on every rank, whichever rank caused it.
inline void expect_failure_everywhere(int code, int wanted, const std::vector<std::string>& words) {
  expect_failure(code, wanted, words);
  char first[1024] = "";
  std::strncpy(first, weft_last_error(), sizeof first - 1);
  const std::string mine = first;
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, world);
  EXPECT_EQ(mine, std::string(first));
}

}  // namespace weft::test_support
