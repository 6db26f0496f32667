#include <weft/error.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace weft {
namespace {

TEST(BaseError, every_code_has_a_name_of_its_own) {
  std::set<std::string> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    names.insert(error_name(static_cast<ErrorCode>(code)));
  }
  EXPECT_EQ(names.size(), 10u);
  EXPECT_EQ(names.count("unknown"), 0u);
  EXPECT_STREQ(error_name(static_cast<ErrorCode>(99)), "unknown");
}

TEST(BaseError, carries_code_and_message) {
  const Error error(ErrorCode::io_failure, "no such file");
  EXPECT_EQ(error.code(), ErrorCode::io_failure);
  EXPECT_STREQ(error.what(), "no such file");
}

}  // namespace
}  // namespace weft
