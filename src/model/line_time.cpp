#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "model/between.hpp"
#include "model/cost.hpp"

namespace weft::model {
namespace {

/// Of one line, as Machine counts them. A line of one point is still looked at.
double operations(Kind kind, std::int64_t length) {
  const auto n = static_cast<double>(std::max<std::int64_t>(2, length));
  return (kind == Kind::c2c ? 5 : 2.5) * n * std::log2(n);
}

/// That of the precision, or of the one with the next number of bytes; of these the one of the
/// effort, or of the next.
const Arithmetic& arithmetic_of(const Machine& machine, Precision precision, Effort effort) {
  const auto distance = [&](const Arithmetic& each) {
    const double bytes = std::log2(static_cast<double>(real_bytes(each.precision)) /
                                   static_cast<double>(real_bytes(precision)));
    return std::pair(std::abs(bytes),
                     std::abs(static_cast<int>(each.effort) - static_cast<int>(effort)));
  };
  return *std::min_element(
      machine.arithmetic.begin(), machine.arithmetic.end(),
      [&](const auto& one, const auto& other) { return distance(one) < distance(other); });
}

/// Lengths that an FFT library transforms alike. Of products of 2, 3, 5 and 7 those that 8 divides
/// take half the time per operation of odd ones: vector instructions work on 2, 4 or 8 at once.
enum class Family { power_of_two, by_eight, by_four, by_two, odd, large_prime };

Family family_of(std::int64_t length) {
  if (length < 1 || (length & (length - 1)) == 0) return Family::power_of_two;
  std::int64_t rest = length;
  for (const std::int64_t prime : {2, 3, 5, 7})
    while (rest % prime == 0) rest /= prime;
  if (rest > 1) return Family::large_prime;
  if (length % 8 == 0) return Family::by_eight;
  if (length % 4 == 0) return Family::by_four;
  return length % 2 == 0 ? Family::by_two : Family::odd;
}

bool has_family(const Arithmetic& arithmetic, Kind kind, Family family) {
  return std::any_of(arithmetic.lines.begin(), arithmetic.lines.end(), [&](const LineTime& line) {
    return line.kind == kind && family_of(line.length) == family;
  });
}

/// Seconds of an operation at this length: between the two measured lengths of its family next to it
/// on a logarithmic scale, or as at the nearest one. Of all lengths where its family was not measured.
double operation_seconds(const Arithmetic& arithmetic, Kind kind, std::int64_t length) {
  const Family family = family_of(length);
  const bool alike = has_family(arithmetic, kind, family);
  std::vector<LineTime> lines;
  for (const LineTime& line : arithmetic.lines)
    if (line.kind == kind && (!alike || family_of(line.length) == family)) lines.push_back(line);
  if (lines.empty()) return arithmetic.operation_s;
  std::sort(lines.begin(), lines.end(),
            [](const LineTime& one, const LineTime& other) { return one.length < other.length; });
  return between(lines, static_cast<double>(length),
                 [](const LineTime& line) { return line.length; })
      .mean([&](const LineTime& line) { return line.seconds / operations(kind, line.length); });
}

/// Numbers of more bytes than those that were measured take so much longer.
double widening(const Arithmetic& measured, Precision precision) {
  return static_cast<double>(real_bytes(precision)) /
         static_cast<double>(real_bytes(measured.precision));
}

}  // namespace

double twiddle_seconds(const Machine& machine, Precision precision, Effort effort,
                       std::int64_t elements) {
  constexpr double operations_each = 12;
  const Arithmetic& arithmetic = arithmetic_of(machine, precision, effort);
  return operations_each * static_cast<double>(elements) * arithmetic.operation_s *
         widening(arithmetic, precision);
}

double line_seconds(const Machine& machine, Precision precision, Effort effort, Kind kind,
                    std::int64_t length) {
  const Arithmetic& arithmetic = arithmetic_of(machine, precision, effort);
  return operations(kind, length) * operation_seconds(arithmetic, kind, length) *
         widening(arithmetic, precision);
}

}  // namespace weft::model
