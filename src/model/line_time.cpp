#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "base/smooth.hpp"
#include "model/between.hpp"
#include "model/cost.hpp"
#include "plan/kinds.hpp"

namespace weft::model {
namespace {

/// Returns whether the input of a line is real.
bool is_real(Kind kind) { return kind != Kind::c2c; }

/// Returns the operations of one line, as Machine counts them. A line of one point counts as two
/// points, because the transform still visits it.
double operations(Kind kind, std::int64_t length) {
  const auto n = static_cast<double>(std::max<std::int64_t>(2, length));
  return (is_real(kind) ? 2.5 : 5) * n * std::log2(n);
}

/// Returns the figures of the precision with the most similar number of bytes. Among these the
/// nearest effort is taken.
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

/// The prime factors of a length.
struct PrimeFactors {
  std::int64_t rest = 1;  ///< the length without its factors 2, 3, 5, 7, 11 and 13
  double lg = 0;
  std::array<double, 4> shares{};  ///< parts of lg(length) that come from the factors 3, 5, 7, and
                                   ///< from 11 and 13 together
  int twos = 0;
};

PrimeFactors factors_of(std::int64_t length) {
  PrimeFactors found{.rest = std::max<std::int64_t>(1, length),
                     .lg = std::log2(static_cast<double>(std::max<std::int64_t>(2, length)))};
  while (found.rest % 2 == 0) {
    found.rest /= 2;
    ++found.twos;
  }
  constexpr std::array<std::int64_t, 5> primes{3, 5, 7, 11, 13};
  for (std::size_t i = 0; i < primes.size(); ++i)
    while (found.rest % primes[i] == 0) {
      found.rest /= primes[i];
      found.shares[std::min(i, found.shares.size() - 1)] +=
          std::log2(static_cast<double>(primes[i])) / found.lg;
    }
  return found;
}

/// Families of lines that an FFT library transforms in the same way. Among products of small
/// primes, multiples of 8 take half as long per operation as odd lengths. The reason is that vector
/// instructions work on 2, 4 or 8 numbers. Lines of prime length are summed directly or become
/// convolutions. Complex lines use chirps (Bluestein). Real lines of p points use a convolution of
/// p - 1 points (Rader). If p - 1 has a large prime factor, the convolution is padded.
enum class Family {
  power_of_two,
  by_eight,
  by_four,
  by_two,
  odd,
  summed_prime,
  chirp_prime,
  odd_chirp_prime,  ///< padded to a length that is no multiple of 4: 1.5 times slower
  rader_prime,
  padded_prime
};

bool is_large_prime(Family family) { return family >= Family::summed_prime; }

/// Returns the family that FFTW would use. FFTW sums lines of prime length directly: real ones
/// below 173 points, complex ones below 67.
Family family_of_prime(Kind kind, std::int64_t prime) {
  const std::int64_t not_summed_from = is_real(kind) ? 173 : 67;
  if (prime < not_summed_from) return Family::summed_prime;
  constexpr std::int64_t longest = std::int64_t{1} << 56;  // longer padded lengths overflow
  if (!is_real(kind))
    return prime > longest || smooth_length(2 * prime - 1) % 4 == 0 ? Family::chirp_prime
                                                                    : Family::odd_chirp_prime;
  return factors_of(prime - 1).rest == 1 ? Family::rader_prime : Family::padded_prime;
}

Family family_of(Kind kind, std::int64_t length) {
  const PrimeFactors factors = factors_of(length);
  if (factors.rest > 1) return family_of_prime(kind, factors.rest);
  if (length < 1 || (length & (length - 1)) == 0) return Family::power_of_two;
  constexpr std::array by_twos{Family::odd, Family::by_two, Family::by_four, Family::by_eight};
  return by_twos[static_cast<std::size_t>(std::min(3, factors.twos))];
}

double operation_seconds(const LineTime& line) {
  return line.seconds / operations(line.kind, line.length);
}

/// Returns how much two lengths differ in size and factors. The weights of size and factors give
/// the best fit to FFTW's times for 165 lengths of 21 to 2592 points.
double distance(const PrimeFactors& one, const PrimeFactors& other) {
  double sum = std::pow((one.lg - other.lg) / 4, 2);
  for (std::size_t i = 0; i < one.shares.size(); ++i)
    sum += std::pow(1.5 * (one.shares[i] - other.shares[i]), 2);
  return std::sqrt(sum);
}

/// Returns the mean time of an operation on measured lines. Lines more similar to `length` weigh
/// more.
double mean_of_alike(const std::vector<LineTime>& lines, std::int64_t length) {
  const PrimeFactors factors = factors_of(length);
  double sum = 0;
  double weights = 0;
  for (const LineTime& line : lines) {
    if (line.length == length) return operation_seconds(line);
    const double apart = distance(factors, factors_of(line.length));
    constexpr double least = 1e-6;
    const double weight = 1 / std::pow(std::max(least, apart), 2);
    sum += weight * operation_seconds(line);
    weights += weight;
  }
  return sum / weights;
}

/// Returns the measured lines of families that fit, by ascending length.
template <class Fits>
std::vector<LineTime> measured_lines(const Arithmetic& arithmetic, Kind kind, Fits&& fits) {
  std::vector<LineTime> lines;
  for (const LineTime& line : arithmetic.lines)
    if (line.kind == kind && fits(family_of(kind, line.length))) lines.push_back(line);
  std::sort(lines.begin(), lines.end(),
            [](const LineTime& one, const LineTime& other) { return one.length < other.length; });
  return lines;
}

/// Returns the seconds of an operation at this length, from measured lengths of its family. For
/// products of small primes, lengths with similar factors weigh more. For powers of two and large
/// primes, the neighbours in size are interpolated. If a family has no measurements, the neighbours
/// in size come from other families. For large primes, these are the families of large primes if
/// any of them was measured.
double operation_seconds(const Arithmetic& arithmetic, Kind kind, std::int64_t length) {
  const Family family = family_of(kind, length);
  std::vector<LineTime> lines =
      measured_lines(arithmetic, kind, [&](Family other) { return other == family; });
  const bool by_factors =
      !lines.empty() && family != Family::power_of_two && !is_large_prime(family);
  if (by_factors) return mean_of_alike(lines, length);
  if (lines.empty() && is_large_prime(family))
    lines = measured_lines(arithmetic, kind, is_large_prime);
  if (lines.empty()) lines = measured_lines(arithmetic, kind, [](Family) { return true; });
  if (lines.empty()) return arithmetic.operation_s;
  return between(lines, static_cast<double>(length),
                 [](const LineTime& line) { return line.length; })
      .mean([](const LineTime& line) { return operation_seconds(line); });
}

/// Returns the smallest prime factor above 13; 1 if there is none. The search ends at a limit. A
/// remaining factor without a smaller prime then counts as a prime.
std::int64_t smallest_large_prime(std::int64_t length) {
  constexpr std::int64_t limit = 1 << 16;
  const std::int64_t rest = factors_of(length).rest;
  for (std::int64_t prime = 17; prime < limit && prime * prime <= rest; prime += 2)
    if (rest % prime == 0) return prime;
  return rest;
}

/// Returns the seconds of a line. A length p*q with a large prime factor p counts as q lines of p
/// points and p lines of q points.
double measured_seconds(const Arithmetic& arithmetic, Kind kind, std::int64_t length) {
  const std::int64_t prime = smallest_large_prime(length);
  const auto whole = [&](std::int64_t points) {
    return operations(kind, points) * operation_seconds(arithmetic, kind, points);
  };
  if (prime == 1 || prime == length) return whole(length);
  const std::int64_t others = length / prime;
  return static_cast<double>(others) * whole(prime) +
         static_cast<double>(prime) * measured_seconds(arithmetic, kind, others);
}

/// Returns the bytes of a number divided by the bytes of a measured number. Times scale by this
/// factor.
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
  if (keeps_elements(kind)) {
    // Libraries compute cosine and sine transforms by an r2c transform and a pass over the line.
    // For type 1, the r2c transform has the logical length.
    constexpr double pass = 1.5;
    const KindTraits& traits = traits_of(kind);
    const std::int64_t real_length = traits.logical_shift == 0
                                         ? length
                                         : std::max<std::int64_t>(1, traits.logical_length(length));
    return pass * measured_seconds(arithmetic, Kind::r2c, real_length) *
           widening(arithmetic, precision);
  }
  return measured_seconds(arithmetic, kind, length) * widening(arithmetic, precision);
}

}  // namespace weft::model
