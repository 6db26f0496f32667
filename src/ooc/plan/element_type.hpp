#pragma once

#include <cstdint>
#include <string>

namespace weft::ooc {

enum class NumberKind { boolean, integer, natural, real, complex };
const char* to_string(NumberKind);

/// Type of a file's elements, if it differs from the type of the transform.
struct ElementType {
  NumberKind kind = NumberKind::real;
  std::int64_t bytes = 8;
  bool is_swapped = false;  ///< bytes are in the opposite order to the machine's

  bool operator==(const ElementType&) const = default;
  bool is_complex() const { return kind == NumberKind::complex; }
  /// Returns the bytes of one number; a complex element has two numbers.
  std::int64_t number_bytes() const { return is_complex() ? bytes / 2 : bytes; }
};

/// Parses a name of numpy with a byte order: "<f4", ">i2", "|u1", "|b1", "<c16".
///
/// Errors  Error(invalid_argument) for other types than numbers of 1 to 8 bytes, and complex
///         numbers of two numbers of 4 or 8 bytes.
ElementType element_type(const std::string& name);

/// Returns whether element_type() can return this type.
bool is_known(const ElementType& type);

}  // namespace weft::ooc
