#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/agreement.hpp"
#include "comm/from_mpi.hpp"
#include "mpi/support/world.hpp"
#include "support/error_text.hpp"

namespace weft::comm {
namespace {

using test_support::all_ranks;
using test_support::error_text;

TEST(CommAgreement, without_a_failure_nothing_is_thrown) {
  EXPECT_EQ(error_text([] { agree_or_throw(all_ranks(), std::nullopt); }), "no error");
  EXPECT_EQ(together(all_ranks(), [] { return std::string("value"); }), "value");
}

TEST(CommAgreement, one_rank_fails_and_all_throw_its_error) {
  const int last = all_ranks().size() - 1;
  const std::string prefix = last == 0 ? "" : "rank " + std::to_string(last) + ": ";
  EXPECT_EQ(error_text([&] {
              std::optional<Error> mine;
              if (all_ranks().rank() == last) mine = Error(ErrorCode::io_failure, "no such file");
              agree_or_throw(all_ranks(), mine);
            }),
            "io_failure: " + prefix + "no such file");
}

TEST(CommAgreement, in_two_steps_nobody_fails_and_flags_are_found) {
  Agreement quiet(all_ranks(), std::nullopt);
  quiet.progress();
  const Agreement::Findings nothing = quiet.conclude();
  EXPECT_FALSE(nothing.flagged);
  EXPECT_TRUE(nothing.alike);
  Agreement flagged(all_ranks(), std::nullopt, all_ranks().rank() == 0);
  EXPECT_TRUE(flagged.conclude().flagged);
}

TEST(CommAgreement, in_two_steps_different_acts_are_found) {
  Agreement same(all_ranks(), std::nullopt, false, -7);
  EXPECT_TRUE(same.conclude().alike);
  const int last = all_ranks().size() - 1;
  for (const std::int64_t odd : {6, 8}) {
    Agreement differs(all_ranks(), std::nullopt, false, all_ranks().rank() == last ? odd : 7);
    EXPECT_EQ(differs.conclude().alike, last == 0);
  }
}

TEST(CommAgreement, in_two_steps_one_rank_fails_and_all_throw_its_error) {
  const int last = all_ranks().size() - 1;
  const std::string prefix = last == 0 ? "" : "rank " + std::to_string(last) + ": ";
  EXPECT_EQ(error_text([&] {
              std::optional<Error> mine;
              if (all_ranks().rank() == last) mine = Error(ErrorCode::io_failure, "no such file");
              Agreement agreement(all_ranks(), mine);
              agreement.conclude();
            }),
            "io_failure: " + prefix + "no such file");
}

TEST(CommAgreement, an_agreement_in_two_steps_may_be_dropped) {
  { Agreement dropped(all_ranks(), std::nullopt); }
  EXPECT_EQ(error_text([] { agree_or_throw(all_ranks(), std::nullopt); }), "no error");
}

TEST(CommAgreement, all_fail_alike_and_no_rank_is_named) {
  EXPECT_EQ(error_text([] {
              agree_or_throw(all_ranks(), Error(ErrorCode::layout_mismatch, "the shape is 3"));
            }),
            "layout_mismatch: the shape is 3");
}

TEST(CommAgreement, ranks_fail_differently_and_all_throw_the_error_of_the_lowest) {
  if (all_ranks().size() < 3) GTEST_SKIP() << "needs 3 ranks";
  EXPECT_EQ(error_text([] {
              together(all_ranks(), [] {
                if (all_ranks().rank() == 1) throw Error(ErrorCode::unsupported, "from one");
                if (all_ranks().rank() == 2) throw Error(ErrorCode::io_failure, "from two");
              });
            }),
            "unsupported: rank 1: from one");
}

TEST(CommAgreement, the_same_text_with_another_code_is_not_alike) {
  if (all_ranks().size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const ErrorCode code = all_ranks().rank() == 0 ? ErrorCode::io_failure : ErrorCode::internal;
  EXPECT_EQ(error_text([&] { agree_or_throw(all_ranks(), Error(code, "text")); }),
            "io_failure: rank 0: text");
}

TEST(CommAgreement, other_exceptions_become_errors_of_weft) {
  EXPECT_TRUE(error_text([] {
                together(all_ranks(), []() -> int { throw std::bad_alloc(); });
              }).starts_with("out_of_memory: "));
  EXPECT_EQ(error_text([] { together(all_ranks(), [] { throw std::logic_error("broken"); }); }),
            "internal: broken");
}

TEST(CommAgreement, together_moves_its_value_out) {
  auto value = together(all_ranks(), [] { return std::make_unique<int>(all_ranks().rank()); });
  EXPECT_EQ(*value, all_ranks().rank());
}

TEST(CommAgreement, same_values_pass) {
  EXPECT_EQ(error_text([] {
              require_same(all_ranks(), {{"shape", "4x4"}, {"kind", "r2c"}}, "FFT");
            }),
            "no error");
  EXPECT_EQ(error_text([] { require_same(all_ranks(), {}, "FFT"); }), "no error");
}

TEST(CommAgreement, a_difference_names_field_values_rank_and_remedy) {
  const int odd = all_ranks().size() - 1;
  if (odd == 0) GTEST_SKIP() << "needs 2 ranks";
  const bool am_odd = all_ranks().rank() == odd;
  EXPECT_EQ(
      error_text([&] {
        require_same(
            all_ranks(),
            {{"shape", "4x4"}, {"kind", am_odd ? "c2c" : "r2c"}, {"axes", am_odd ? "0" : "1"}},
            "FFT");
      }),
      "disagreement: FFT: the ranks differ: kind is r2c on rank 0 and c2c on rank " +
          std::to_string(odd) + "; pass the same kind on every rank");
}

TEST(CommAgreement, if_every_rank_differs_the_first_two_are_named) {
  if (all_ranks().size() < 2) GTEST_SKIP() << "needs 2 ranks";
  EXPECT_EQ(error_text([] {
              require_same(all_ranks(), {{"n", std::to_string(all_ranks().rank())}}, "FFT");
            }),
            "disagreement: FFT: the ranks differ: n is 0 on rank 0 and 1 on rank 1; pass the same "
            "n on every rank");
}

TEST(CommAgreement, values_that_are_the_same_text_joined_still_differ) {
  if (all_ranks().size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const std::vector<NamedValue> on_first = {{"a", "xa"}, {"a", "y"}};
  const std::vector<NamedValue> on_others = {{"a", "x"}, {"aa", "y"}};
  EXPECT_EQ(error_text([&] {
              require_same(all_ranks(), all_ranks().rank() == 0 ? on_first : on_others, "FFT");
            }),
            "disagreement: FFT: the ranks differ: a is xa on rank 0 and x on rank 1; "
            "pass the same a on every rank");
}

TEST(CommAgreement, different_numbers_of_fields_are_refused) {
  if (all_ranks().size() < 2) GTEST_SKIP() << "needs 2 ranks";
  std::vector<NamedValue> values = {{"shape", "4"}};
  if (all_ranks().rank() != 0) values.push_back({"kind", "c2c"});
  EXPECT_EQ(error_text([&] { require_same(all_ranks(), values, "FFT"); }),
            "disagreement: FFT: the ranks differ: rank 0 gave 1 arguments and rank 1 gave 2");
}

TEST(CommAgreement, holds_within_a_part_of_the_ranks) {
  const Communicator half = all_ranks().subset(all_ranks().rank() % 2);
  EXPECT_EQ(error_text([&] {
              require_same(half, {{"parity", std::to_string(all_ranks().rank() % 2)}}, "FFT");
            }),
            "no error");
}

}  // namespace
}  // namespace weft::comm
