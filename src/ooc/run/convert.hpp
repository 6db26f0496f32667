#pragma once

#include <cstdint>

#include <weft/precision.hpp>

#include "ooc/plan/element_type.hpp"

namespace weft::ooc {

/// Converts a file's elements in `memory` to numbers of a precision, in place. Complex elements
/// become complex numbers. Others become reals, or complex numbers with imaginary part 0.
///
/// Memory  has room for `count` elements before and after. Elements must not become shorter.
/// Errors  internal if elements would become shorter.
void convert(const ElementType& type, Precision precision, bool to_complex, std::int64_t count,
             int threads, void* memory);

}  // namespace weft::ooc
