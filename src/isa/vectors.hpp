#pragma once

// Only files of src/isa may include this: their symbols stay in their objects.
namespace weft::isa {

/// Bytes of the widest vectors of the instruction set that a file is compiled for.
#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

}  // namespace weft::isa
