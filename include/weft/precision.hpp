#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

/// f32: float (unit roundoff 2^-24), f64: double (2^-53), f80: the compiler's long double (on
/// x86-64 2^-64).
enum class Precision { f32, f64, f80 };
/// The search for a plan. estimate: by model or rule only; measure: by trials; exhaustive: by more
/// trials.
enum class Effort { estimate, measure, exhaustive };

const char* to_string(Precision);
const char* to_string(Effort);

/// Reads the word that to_string prints for an enum of weft. Throws invalid_argument with the list
/// of valid words.
template <class E>
E from_string(std::string_view word);

/// Bytes of a real element: 4, 8, 16.
std::int64_t real_bytes(Precision precision);
/// Bytes of a complex element: 8, 16, 32.
inline std::int64_t complex_bytes(Precision precision) { return 2 * real_bytes(precision); }

}  // namespace weft
