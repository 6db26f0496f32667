#include "kernel/instruction_sets.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "unit/support/expect_error.hpp"

namespace weft::kernel {
namespace {

using test_support::expect_error;

/// Removes WEFT_ISA before each test, and restores its value afterwards.
class InstructionSets : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* before = std::getenv("WEFT_ISA")) before_ = before;
    ::unsetenv("WEFT_ISA");
  }
  void TearDown() override {
    if (before_)
      ::setenv("WEFT_ISA", before_->c_str(), 1);
    else
      ::unsetenv("WEFT_ISA");
  }

 private:
  std::optional<std::string> before_;
};

TEST_F(InstructionSets, TheDefaultIsTheWidestOfTheProcessor) {
  EXPECT_EQ(instruction_set(), widest_instruction_set());
  ::setenv("WEFT_ISA", "", 1);
  EXPECT_EQ(instruction_set(), widest_instruction_set());
}

TEST_F(InstructionSets, EverySetUpToTheWidestCanBeChosen) {
  for (const auto set : {InstructionSet::v1, InstructionSet::v3, InstructionSet::v4}) {
    ::setenv("WEFT_ISA", to_string(set), 1);
    if (set <= widest_instruction_set()) {
      EXPECT_EQ(instruction_set(), set);
      EXPECT_EQ(usable_instruction_set(), set);
    } else {
      expect_error(ErrorCode::invalid_argument, {"on this processor", to_string(set)},
                   [] { instruction_set(); });
      EXPECT_EQ(usable_instruction_set(), widest_instruction_set());
    }
  }
}

TEST_F(InstructionSets, AnUnknownWordIsRefused) {
  for (const char* word : {"v2", "avx2", "V3", "3", " v3"}) {
    ::setenv("WEFT_ISA", word, 1);
    expect_error(ErrorCode::invalid_argument, {"v1, v3 or v4", word}, [] { instruction_set(); });
    EXPECT_EQ(usable_instruction_set(), widest_instruction_set());
  }
}

TEST_F(InstructionSets, EachHasItsOwnDescription) {
  EXPECT_NE(describe(InstructionSet::v1), "");
#if defined(__x86_64__)
  EXPECT_NE(describe(InstructionSet::v3), describe(InstructionSet::v1));
  EXPECT_NE(describe(InstructionSet::v4), describe(InstructionSet::v3));
#endif
}

}  // namespace
}  // namespace weft::kernel
