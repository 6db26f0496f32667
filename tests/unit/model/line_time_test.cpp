// Predicted times of lines whose lengths were not measured.
#include <gtest/gtest.h>

#include <cmath>

#include "model/cost.hpp"

namespace weft::model {
namespace {

/// Returns the seconds of one operation of a line of this length.
double operation_s(const Machine& machine, std::int64_t length) {
  const auto n = static_cast<double>(length);
  return line_seconds(machine, Precision::f64, Effort::estimate, Kind::c2c, length) /
         (5 * n * std::log2(n));
}

LineTime line(std::int64_t length, double operation_s) {
  const auto n = static_cast<double>(length);
  return {Kind::c2c, length, 5 * n * std::log2(n) * operation_s};
}

TEST(Lines, a_line_takes_the_time_of_others_of_its_family) {
  Machine machine = shipped_machine("celerons");
  machine.arithmetic = {{Precision::f64,
                         Effort::estimate,
                         7,
                         {line(24, 2), line(64, 1), line(101, 9), line(216, 4), line(256, 3),
                          line(9, 5), line(10, 6), line(12, 7)}}};
  EXPECT_NEAR(operation_s(machine, 128), 2, 1e-12);  // half way between 64 and 256
  // 72 is between 24 and 216 in size, but its share of threes is nearer to that of 216.
  EXPECT_GT(operation_s(machine, 72), 3.1);
  EXPECT_LT(operation_s(machine, 72), 3.9);
  EXPECT_NEAR(operation_s(machine, 105), 5, 1e-12);
  EXPECT_NEAR(operation_s(machine, 210), 6, 1e-12);
  EXPECT_NEAR(operation_s(machine, 420), 7, 1e-12);
  EXPECT_NEAR(operation_s(machine, 103), 9, 1e-12);
  EXPECT_NEAR(operation_s(machine, 4096), 3, 1e-12);
  EXPECT_NEAR(operation_s(machine, 11), 5, 1e-12);  // libraries have kernels for 11 and 13
  // A line of 12 * 509 points takes the time of 509 lines of 12 points and 12 lines of 509 points.
  const auto seconds = [&](std::int64_t length) {
    return line_seconds(machine, Precision::f64, Effort::estimate, Kind::c2c, length);
  };
  EXPECT_NEAR(seconds(12 * 509) / (509 * seconds(12) + 12 * seconds(509)), 1, 1e-12);
  EXPECT_NEAR(seconds(17 * 509) / (509 * seconds(17) + 17 * seconds(509)), 1, 1e-12);
  // A family that was not measured takes a time between the times of the neighbouring lengths.
  machine.arithmetic[0].lines = {line(64, 1), line(256, 3)};
  EXPECT_NEAR(operation_s(machine, 127), 2, 0.02);
  machine.arithmetic[0].lines.clear();
  EXPECT_NEAR(operation_s(machine, 127), 7, 1e-12);
}

TEST(Lines, complex_primes_are_sums_or_chirps_of_even_or_odd_length) {
  Machine machine = shipped_machine("celerons");
  machine.arithmetic = {{Precision::f64,
                         Effort::estimate,
                         7,
                         {line(64, 1), line(31, 2), line(61, 4), line(101, 5), line(113, 8),
                          line(587, 6), line(1201, 9), line(2048, 1)}}};
  EXPECT_NEAR(operation_s(machine, 43), 3, 0.1);       // between 31 and 61
  EXPECT_NEAR(operation_s(machine, 251), 5.5, 0.1);    // by 512: between 101 and 587
  EXPECT_NEAR(operation_s(machine, 311), 8.45, 0.05);  // by 625: between 113 and 1201
  EXPECT_NEAR(operation_s(machine, 1867), 9, 1e-12);   // by 3750
  EXPECT_GT(operation_s(machine, 999999999989), 0);
  EXPECT_GT(operation_s(machine, (std::int64_t{1} << 61) - 1), 0);
  // A family that was not measured takes the time of other large primes.
  machine.arithmetic[0].lines = {line(64, 1), line(101, 2), line(2048, 1)};
  EXPECT_NEAR(operation_s(machine, 311), 2, 1e-12);
}

TEST(Lines, real_primes_are_sums_or_convolutions_of_one_point_less_or_more) {
  const auto real = [](std::int64_t length, double operation_s) {
    LineTime time = line(length, operation_s / 2);
    time.kind = Kind::r2c;
    return time;
  };
  Machine machine = shipped_machine("celerons");
  machine.arithmetic = {{Precision::f64,
                         Effort::estimate,
                         7,
                         {real(64, 1), real(101, 2), real(167, 4), real(179, 8), real(277, 5),
                          real(587, 9), real(1201, 6)}}};
  const auto operation_s = [&](std::int64_t length) {
    const auto n = static_cast<double>(length);
    return line_seconds(machine, Precision::f64, Effort::estimate, Kind::r2c, length) /
           (2.5 * n * std::log2(n));
  };
  EXPECT_NEAR(operation_s(151), 3.6, 0.1);   // between 101 and 167
  EXPECT_NEAR(operation_s(751), 6, 1e-12);   // 750 = 2 3 5^3: as 1201
  EXPECT_NEAR(operation_s(1123), 9, 1e-12);  // 1122 = 2 3 11 17: 587 is next
  EXPECT_NEAR(operation_s(283), 5.1, 0.1);   // 282 = 2 3 47: between 277 and 587
}

TEST(Lines, lines_with_the_same_factors_are_alike) {
  Machine machine = shipped_machine("celerons");
  machine.arithmetic = {
      {Precision::f64, Effort::estimate, 7, {line(750, 1), line(486, 2), line(1750, 1)}}};
  // 810 = 2 3^4 5 is between 750 and 1750, but is computed as 486 = 2 3^5.
  EXPECT_GT(operation_s(machine, 810), 1.5);
  EXPECT_LT(operation_s(machine, 1250), 1.1);
}

}  // namespace
}  // namespace weft::model
