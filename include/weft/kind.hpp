#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "weft/kind.h"
#include "weft/precision.hpp"

namespace weft {

/// The transform along one axis. Backward is its inverse.
///   c2c  complex to complex
///   r2c  real to the half of a complex spectrum, of n/2+1 numbers
///   dct1 to dct4, dst1 to dst4
///        cosine and sine transforms of reals, or of both parts of complex numbers, as FFTW and
///        scipy define their types
///   dht  Hartley transform of reals, or of both parts of complex numbers
enum class Kind {
  c2c = WEFT_C2C,
  r2c = WEFT_R2C,
  dct1 = WEFT_DCT1,
  dct2 = WEFT_DCT2,
  dct3 = WEFT_DCT3,
  dct4 = WEFT_DCT4,
  dst1 = WEFT_DST1,
  dst2 = WEFT_DST2,
  dst3 = WEFT_DST3,
  dst4 = WEFT_DST4,
  dht = WEFT_DHT
};

/// The type of the numbers of an array. `automatic`: the kinds decide.
enum class Element { automatic, real, complex };

/// Bytes of a number. `element` must not be automatic.
inline std::int64_t element_bytes(Element element, Precision precision) {
  return element == Element::real ? real_bytes(precision) : complex_bytes(precision);
}

const char* to_string(Kind);
const char* to_string(Element);

/// The kinds of the transformed axes, in their order. A single kind other than r2c holds for all
/// axes. A single r2c holds for the last axis, and the others are c2c.
class Kinds {
 public:
  Kinds(Kind all = Kind::c2c) : each_{all} {}  // NOLINT(google-explicit-constructor)
  Kinds(std::initializer_list<Kind> each) : each_(each) {}
  explicit Kinds(std::vector<Kind> each) : each_(std::move(each)) {}

  const std::vector<Kind>& each() const { return each_; }
  friend bool operator==(const Kinds&, const Kinds&) = default;

 private:
  std::vector<Kind> each_;
};

/// "r2c" if the last axis is r2c and all others are c2c. Otherwise one word if all kinds are alike,
/// or a word for each axis: "c2c, r2c, c2c".
std::string to_string(const Kinds& kinds);

}  // namespace weft
