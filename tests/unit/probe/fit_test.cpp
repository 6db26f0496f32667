// Straight pieces through times of messages.
#include "probe/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace weft::probe {
namespace {

constexpr double lengths[] = {8, 64, 512, 2048, 4096, 8192, 16384, 65536, 262144, 1048576};

std::vector<MessageTime> times(double (*seconds)(double)) {
  std::vector<MessageTime> found;
  for (const double bytes : lengths) found.push_back({bytes, seconds(bytes)});
  return found;
}

TEST(ProbeFit, one_line_is_found_again) {
  const auto pieces = fit_pieces(times([](double bytes) { return 5e-6 + 1e-9 * bytes; }));
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].from_bytes, 0);
  EXPECT_NEAR(pieces[0].start_s, 5e-6, 1e-12);
  EXPECT_NEAR(pieces[0].s_per_byte, 1e-9, 1e-15);
}

TEST(ProbeFit, the_step_to_rendezvous_is_found) {
  const auto pieces = fit_pieces(times(
      [](double bytes) { return bytes <= 4096 ? 1e-6 + 2e-9 * bytes : 2e-5 + 5e-10 * bytes; }));
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_NEAR(pieces[0].start_s, 1e-6, 1e-9);
  EXPECT_NEAR(pieces[1].start_s, 2e-5, 1e-8);
  EXPECT_NEAR(pieces[1].s_per_byte, 5e-10, 1e-13);
  EXPECT_NEAR(static_cast<double>(pieces[1].from_bytes), std::sqrt(4096.0 * 8192), 1);
}

TEST(ProbeFit, three_pieces_are_the_most) {
  const auto pieces = fit_pieces(times([](double bytes) {
    if (bytes <= 512) return 1e-6;
    if (bytes <= 8192) return 1e-5 + 1e-9 * bytes;
    return 1e-4 + 3e-9 * bytes;
  }));
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_LT(pieces[0].from_bytes, pieces[1].from_bytes);
  EXPECT_LT(pieces[1].from_bytes, pieces[2].from_bytes);
}

TEST(ProbeFit, the_cuts_with_the_least_errors_are_taken) {
  // A cut between 512 and 2048 bytes also halves the errors of one line.
  const auto pieces =
      fit_pieces(times([](double bytes) { return 1e-6 * std::pow(1 + bytes / 512, 0.7); }));
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_NEAR(static_cast<double>(pieces[1].from_bytes), std::sqrt(2048.0 * 4096), 1);
  EXPECT_NEAR(static_cast<double>(pieces[2].from_bytes), std::sqrt(16384.0 * 65536), 1);
}

TEST(ProbeFit, neither_starts_nor_falls_below_0) {
  const auto falling = fit_pieces(times([](double bytes) { return 1e-5 - 5e-12 * bytes; }));
  const auto early =
      fit_pieces(times([](double bytes) { return 1e-9 * bytes + 1e-14 * bytes * bytes; }));
  for (const auto& pieces : {falling, early})
    for (const LinkPiece& piece : pieces) {
      EXPECT_GE(piece.start_s, 0);
      EXPECT_GT(piece.s_per_byte, 0);
    }
}

TEST(ProbeFit, no_piece_is_flatter_than_asked) {
  const auto late = times([](double bytes) { return bytes <= 65536 ? 8e-3 : 2e-3 + 1e-7 * bytes; });
  const double longest = slope_of_the_longest(late);
  EXPECT_NEAR(longest, 1e-7, 1e-8);
  const auto pieces = fit_pieces(late, longest);
  ASSERT_GE(pieces.size(), 2U);
  for (const LinkPiece& piece : pieces) EXPECT_GE(piece.s_per_byte, longest);
  EXPECT_NEAR(pieces.front().start_s, 8e-3, 1e-3);
  EXPECT_LT(fit_pieces(late).front().s_per_byte, longest / 10);
}

TEST(ProbeFit, noise_makes_no_pieces) {
  std::vector<MessageTime> noisy = times([](double bytes) { return 5e-6 + 1e-9 * bytes; });
  for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i].seconds *= i % 2 ? 1.05 : 0.95;
  const auto pieces = fit_pieces(noisy);
  EXPECT_LE(pieces.size(), 2U);
  EXPECT_NEAR(pieces.back().s_per_byte, 1e-9, 2e-10);
}

}  // namespace
}  // namespace weft::probe
