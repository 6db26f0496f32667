#pragma once

#include <cstdint>

#include <weft/kind.hpp>

namespace weft {

/// What a kind makes of a line of n elements, and what follows for its inverse. Everything that
/// depends on a kind asks here, so that a further kind is a further row.
struct KindTraits {
  Kind kind;
  Element before;  ///< `automatic`: reals, or the two parts of complex numbers
  Element after;   ///< `automatic`: the same as before
  /// Elements after: (n + added) / divided.
  std::int64_t length_added;
  std::int64_t length_divided;
  /// Forward and the unscaled inverse together multiply by this length: times * (n + shift).
  std::int64_t logical_times;
  std::int64_t logical_shift;
  std::int64_t least_length;
  std::int64_t twice_lowest;  ///< twice the lowest wavenumber, in halves of the logical one
  Kind inverse;               ///< of the unscaled transform, but for the sign of an exponent

  std::int64_t length_after(std::int64_t n) const { return (n + length_added) / length_divided; }
  std::int64_t logical_length(std::int64_t n) const { return logical_times * (n + logical_shift); }
};

const KindTraits& traits_of(Kind kind);

/// Returns whether a kind keeps the elements of an array: cosine and sine transforms.
inline bool keeps_elements(Kind kind) { return traits_of(kind).before == Element::automatic; }

}  // namespace weft
