#pragma once

#include <string>

namespace weft::kernel {

/// Instructions for which weft's own kernels and ducc0 are compiled, in rising order. v1 has the
/// instructions of every x86-64 processor, v3 adds AVX2 and FMA, v4 adds AVX-512. On other kinds of
/// processors there is only v1.
enum class InstructionSet { v1, v3, v4 };

/// "v1", "v3" or "v4".
const char* to_string(InstructionSet set);

/// Returns the widest set that the processor has, and the operating system allows.
InstructionSet widest_instruction_set();

/// Returns the set that kernels use: the widest one, or the one that the environment variable
/// WEFT_ISA names.
///
/// Errors  invalid_argument if WEFT_ISA names no set, or one that the processor lacks.
InstructionSet instruction_set();

/// As instruction_set(), for copies, which cannot report errors. If instruction_set() would throw,
/// returns the widest set. The next transform that is made reports the error.
InstructionSet usable_instruction_set() noexcept;

/// Names the instructions for `weft info`: "x86-64-v3 (AVX2, FMA)".
std::string describe(InstructionSet set);

}  // namespace weft::kernel
