#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <weft/kind.hpp>

namespace weft {

/// The properties of a kind: its effect on a line of n elements, and its inverse. Code outside of
/// the engines should use these properties, so that a new kind needs little more than a new row.
struct KindTraits {
  Kind kind;
  const char* word;
  Element before;  ///< `automatic`: reals, or the two parts of complex numbers
  Element after;   ///< `automatic`: the same as before
  /// Elements after: (n + added) / divided.
  std::int64_t length_added;
  std::int64_t length_divided;
  /// Forward and the unscaled inverse together multiply by this length: times * (n + shift).
  std::int64_t logical_times;
  std::int64_t logical_shift;
  std::int64_t least_length;
  std::int64_t twice_lowest;  ///< twice the lowest wavenumber, counted in half waves
  Kind inverse;               ///< kind of the unscaled inverse, whose exponents have the other sign

  std::int64_t length_after(std::int64_t n) const { return (n + length_added) / length_divided; }
  std::int64_t logical_length(std::int64_t n) const { return logical_times * (n + logical_shift); }
  /// Returns whether the waves are periodic. Their wavenumbers are then in the order of c2c, or in
  /// its first half. If not, an axis has half waves between its boundaries.
  bool is_periodic() const { return logical_times == 1; }
};

/// Returns the row of a cosine or sine transform. Its logical length is 2 * (n + shift).
constexpr KindTraits real_kind(Kind kind, const char* word, std::int64_t shift, std::int64_t least,
                               std::int64_t twice_lowest, Kind inverse) {
  return {kind,         word,   Element::automatic, Element::automatic, 0, 1, 2, shift, least,
          twice_lowest, inverse};
}

/// A row for each kind, in the order of the enum.
inline constexpr std::array kind_table{
    KindTraits{.kind = Kind::c2c,
               .word = "c2c",
               .before = Element::complex,
               .after = Element::complex,
               .length_added = 0,
               .length_divided = 1,
               .logical_times = 1,
               .logical_shift = 0,
               .least_length = 1,
               .twice_lowest = 0,
               .inverse = Kind::c2c},
    KindTraits{.kind = Kind::r2c,
               .word = "r2c",
               .before = Element::real,
               .after = Element::complex,
               .length_added = 2,
               .length_divided = 2,
               .logical_times = 1,
               .logical_shift = 0,
               .least_length = 1,
               .twice_lowest = 0,
               .inverse = Kind::r2c},
    real_kind(Kind::dct1, "dct1", -1, 2, 0, Kind::dct1),
    real_kind(Kind::dct2, "dct2", 0, 1, 0, Kind::dct3),
    real_kind(Kind::dct3, "dct3", 0, 1, 1, Kind::dct2),
    real_kind(Kind::dct4, "dct4", 0, 1, 1, Kind::dct4),
    real_kind(Kind::dst1, "dst1", 1, 1, 2, Kind::dst1),
    real_kind(Kind::dst2, "dst2", 0, 1, 2, Kind::dst3),
    real_kind(Kind::dst3, "dst3", 0, 1, 1, Kind::dst2),
    real_kind(Kind::dst4, "dst4", 0, 1, 1, Kind::dst4),
    KindTraits{.kind = Kind::dht,
               .word = "dht",
               .before = Element::automatic,
               .after = Element::automatic,
               .length_added = 0,
               .length_divided = 1,
               .logical_times = 1,
               .logical_shift = 0,
               .least_length = 1,
               .twice_lowest = 0,
               .inverse = Kind::dht},
};

constexpr const KindTraits& traits_of(Kind kind) {
  return kind_table[static_cast<std::size_t>(kind)];
}

/// Returns whether a kind keeps the type of elements. Transforms of reals to reals do.
inline bool keeps_elements(Kind kind) { return traits_of(kind).before == Element::automatic; }

}  // namespace weft
