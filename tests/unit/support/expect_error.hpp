#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <weft/error.hpp>

namespace weft::test_support {

inline constexpr auto invalid = ErrorCode::invalid_argument;

/// Expects a weft::Error with this code whose message contains all of these words.
template <class Call>
void expect_error(ErrorCode code, const std::vector<std::string>& words, Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    for (const std::string& word : words)
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
          << "no \"" << word << "\" in: " << error.what();
    return;
  }
  ADD_FAILURE() << "no error was thrown" << (words.empty() ? "" : "; expected " + words.front());
}

}  // namespace weft::test_support
