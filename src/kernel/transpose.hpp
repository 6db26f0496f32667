#pragma once

#include <cstdint>

namespace weft::kernel {

/// dst[j*dst_pitch + i] = src[i*src_pitch + j] for i < rows and j < columns; pitches in elements.
struct Transpose {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t src_pitch = 0;
  std::int64_t dst_pitch = 0;
};

/// Stores that write the target of a copy.
///   cached     ordinary stores: the target is read again soon, or is in cache already
///   streaming  past the caches if the processor and the length of rows allow it: saves reading
///              the overwritten lines; call finish_streaming() before others may read it
enum class Stores { cached, streaming };

/// Transposes elements of 4, 8, 16 or 32 bytes, in registers if the processor has AVX-512 or AVX2
/// (elements of 8 and 16 bytes). One side is in memory, the other in cache. The side in memory is
/// walked in order; `far_target` selects it.
void transpose(void* dst, const void* src, const Transpose& shape, std::int64_t element_bytes,
               Stores stores, bool far_target);

/// Copies `bytes` bytes; source and target do not overlap.
void copy_row(void* dst, const void* src, std::int64_t bytes, Stores stores);

/// Makes streamed stores of this thread visible to others.
void finish_streaming();

/// Returns the instructions that transposes use on this machine: "avx512", "avx2" or "portable".
/// For `weft info`.
const char* transpose_instructions();

/// Limits the instructions, for tests; nullptr restores the processor's.
void limit_transpose_instructions(const char* name);

}  // namespace weft::kernel
