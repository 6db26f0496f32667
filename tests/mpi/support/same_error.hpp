#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <weft/error.hpp>
#include <weft/fft.hpp>

namespace weft::test_support {

/// Expects every rank of `comm` to get the same Error, with this code and these words in its
/// message.
template <class Call>
void expect_same_error(MPI_Comm comm, ErrorCode code, const std::vector<std::string>& words,
                       Call&& call) {
  std::string got;
  try {
    call();
    ADD_FAILURE() << "no error was thrown" << (words.empty() ? "" : "; expected " + words.front());
  } catch (const Error& error) {
    got = error.what();
    EXPECT_EQ(error.code(), code) << got;
    for (const std::string& word : words)
      EXPECT_NE(got.find(word), std::string::npos) << "no \"" << word << "\" in: " << got;
  }
  std::vector<char> first(4096, '\0');
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) got.copy(first.data(), first.size() - 1);
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, comm);
  EXPECT_EQ(got.substr(0, first.size() - 1), std::string(first.data()))
      << "another message than rank 0's";
}

}  // namespace weft::test_support
