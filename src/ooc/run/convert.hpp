#pragma once

#include <cstdint>

#include <weft/precision.hpp>

#include "ooc/plan/element_type.hpp"

namespace weft::ooc {

/// Makes of a file's elements, from the start of `memory` on, numbers of a precision there: of
/// complex ones complex numbers, of others reals, or complex numbers without imaginary parts.
///
/// Memory  holds count elements before and after, which are no shorter afterwards.
/// Errors  internal where they would be shorter.
void convert(const ElementType& type, Precision precision, bool to_complex, std::int64_t count,
             int threads, void* memory);

}  // namespace weft::ooc
