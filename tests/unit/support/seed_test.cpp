#include "support/seed.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <set>

namespace weft {
namespace {

using test_support::chosen_seed;
using test_support::repeated_by;

/// Sets a variable of the environment, or removes it, until this object is destroyed.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    put(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { put(before_ ? before_->c_str() : nullptr); }

 private:
  void put(const char* value) {
    if (value == nullptr)
      unsetenv(name_);
    else
      setenv(name_, value, 1);
  }

  const char* name_;
  std::optional<std::string> before_;
};

TEST(Seed, is_the_default_if_no_variable_is_set_and_printed) {
  const Variable fresh("WEFT_FRESH_SEEDS", nullptr);
  const Variable given("WEFT_SEED", nullptr);
  testing::internal::CaptureStderr();
  EXPECT_EQ(chosen_seed(7), 7U);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), repeated_by(7) + "\n");
  const Variable zero("WEFT_FRESH_SEEDS", "0");
  EXPECT_EQ(chosen_seed(7), 7U);
}

TEST(Seed, changes_if_fresh_seeds_are_requested_and_is_printed) {
  const Variable fresh("WEFT_FRESH_SEEDS", "1");
  const Variable given("WEFT_SEED", nullptr);
  std::set<std::uint64_t> seen;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 8; ++i) seen.insert(chosen_seed(7));
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_GT(seen.size(), 1U);
  for (const std::uint64_t seed : seen)
    EXPECT_NE(printed.find(repeated_by(seed)), std::string::npos) << printed;
}

TEST(Seed, is_that_of_WEFT_SEED_and_printed) {
  const Variable fresh("WEFT_FRESH_SEEDS", "1");
  const Variable given("WEFT_SEED", "12");
  testing::internal::CaptureStderr();
  EXPECT_EQ(chosen_seed(7), 12U);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), repeated_by(12) + "\n");
  EXPECT_EQ(repeated_by(12), "seed 12; WEFT_SEED=12 repeats it");
}

}  // namespace
}  // namespace weft
