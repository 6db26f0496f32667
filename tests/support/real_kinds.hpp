#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <weft/kind.hpp>

// The properties of each kind, from the sums of FFTW's manual and the tables of the documentation.
// They repeat those of the library on purpose, so that tests compare two sources.

namespace weft::test_support {

/// The kinds that transform reals to reals.
inline const std::vector<Kind> real_kinds{Kind::dct1, Kind::dct2, Kind::dct3,
                                          Kind::dct4, Kind::dst1, Kind::dst2,
                                          Kind::dst3, Kind::dst4, Kind::dht};

inline bool is_real_kind(Kind kind) { return kind != Kind::c2c && kind != Kind::r2c; }

/// Whether the spectrum has both signs of wavenumbers.
inline bool has_both_signs(Kind kind) { return !is_real_kind(kind) || kind == Kind::dht; }

/// A term of a sum: weight times the wave at the angle pi * m / M.
struct RealTerm {
  std::int64_t m = 0;
  int weight = 2;
};

/// Returns M of a kind for n points.
inline std::int64_t half_turn(Kind kind, std::int64_t n) {
  switch (kind) {
    case Kind::dct1:
      return n - 1;
    case Kind::dst1:
      return n + 1;
    case Kind::dht:
      return n;
    case Kind::dct4:
    case Kind::dst4:
      return 4 * n;
    default:
      return 2 * n;
  }
}

inline RealTerm real_term(Kind kind, std::int64_t j, std::int64_t k, std::int64_t n) {
  switch (kind) {
    case Kind::dct1:
      return {j * k, j == 0 || j == n - 1 ? 1 : 2};
    case Kind::dct2:
      return {(2 * j + 1) * k};
    case Kind::dct3:
      return {j * (2 * k + 1), j == 0 ? 1 : 2};
    case Kind::dst1:
      return {(j + 1) * (k + 1)};
    case Kind::dst2:
      return {(2 * j + 1) * (k + 1)};
    case Kind::dst3:
      return {(j + 1) * (2 * k + 1), j == n - 1 ? 1 : 2};
    case Kind::dht:
      return {2 * j * k, 1};
    default:  // dct4, dst4
      return {(2 * j + 1) * (2 * k + 1)};
  }
}

/// Returns the value of a kind's wave at the angle that has this cosine and sine.
template <class W>
W wave_of(Kind kind, W cosine, W sine) {
  if (kind == Kind::dht) return cosine + sine;
  return kind >= Kind::dst1 ? sine : cosine;
}

/// Returns the factor of a term by scipy's norm "ortho", in addition to the common scale.
inline long double ortho_factor(Kind kind, std::int64_t j, std::int64_t k, std::int64_t n) {
  const long double root = std::numbers::sqrt2_v<long double>;
  const auto is_end = [n](std::int64_t i) { return i == 0 || i == n - 1; };
  switch (kind) {
    case Kind::dct1:
      return (is_end(j) ? root : 1) / (is_end(k) ? root : 1);
    case Kind::dct2:
      return k == 0 ? 1 / root : 1;
    case Kind::dct3:
      return j == 0 ? root : 1;
    case Kind::dst2:
      return k == n - 1 ? 1 / root : 1;
    case Kind::dst3:
      return j == n - 1 ? root : 1;
    default:
      return 1;
  }
}

inline Kind inverse_of(Kind kind) {
  switch (kind) {
    case Kind::dct2:
      return Kind::dct3;
    case Kind::dct3:
      return Kind::dct2;
    case Kind::dst2:
      return Kind::dst3;
    case Kind::dst3:
      return Kind::dst2;
    default:
      return kind;
  }
}

/// Returns the factor by which a transform followed by its unscaled inverse multiplies an array.
inline std::int64_t logical_length(Kind kind, std::int64_t n) {
  switch (kind) {
    case Kind::dct1:
      return 2 * (n - 1);
    case Kind::dst1:
      return 2 * (n + 1);
    default:
      return has_both_signs(kind) ? n : 2 * n;
  }
}

/// Returns the position of a point on an axis of length 1.
inline double position_of(Kind kind, std::int64_t point, std::int64_t points) {
  const auto j = static_cast<double>(point);
  const auto n = static_cast<double>(points);
  switch (kind) {
    case Kind::dct1:
      return j / (n - 1);
    case Kind::dct2:
    case Kind::dct4:
    case Kind::dst2:
    case Kind::dst4:
      return (j + 0.5) / n;
    case Kind::dst1:
      return (j + 1) / (n + 1);
    case Kind::dst3:
      return (j + 1) / n;
    default:
      return j / n;
  }
}

/// Returns the wavenumber of element i of a spectrum of m modes. The unit is pi/L for cosines and
/// sines, 2*pi/L for the other kinds.
inline double wavenumber_of(Kind kind, std::int64_t i, std::int64_t m) {
  switch (kind) {
    case Kind::r2c:
    case Kind::dct1:
    case Kind::dct2:
      return static_cast<double>(i);
    case Kind::dct3:
    case Kind::dct4:
    case Kind::dst3:
    case Kind::dst4:
      return static_cast<double>(i) + 0.5;
    case Kind::dst1:
    case Kind::dst2:
      return static_cast<double>(i + 1);
    default:
      return static_cast<double>(2 * i < m ? i : i - m);
  }
}

}  // namespace weft::test_support
