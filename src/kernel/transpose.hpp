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

/// How the target of a copy is written.
///   cached     by ordinary stores: it is read again soon, or is in cache already
///   streaming  past the caches where the processor and the length of rows allow it: saves reading
///              what is overwritten; call finish_streaming() before others may read it
enum class Stores { cached, streaming };

/// Transposes elements of 4, 8, 16 or 32 bytes, in registers where the processor has AVX-512 or
/// AVX2 (elements of 8 and 16 bytes). Of the two sides one lies in memory, the other in cache: the
/// one in memory, which `far_target` tells, is walked in order.
void transpose(void* dst, const void* src, const Transpose& shape, std::int64_t element_bytes,
               Stores stores, bool far_target);

/// Copies `bytes` that do not overlap.
void copy_row(void* dst, const void* src, std::int64_t bytes, Stores stores);

/// Makes streamed stores of this thread visible to others.
void finish_streaming();

/// The instructions that transposes use here: "avx512", "avx2" or "portable". For `weft info`.
const char* transpose_instructions();

/// For tests: uses at most these; nullptr restores the processor's.
void limit_transpose_instructions(const char* name);

}  // namespace weft::kernel
