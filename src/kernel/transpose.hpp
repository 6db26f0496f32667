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

/// How a copy writes its target:
///   cached     by ordinary stores, for a target that is in cache or is read again soon
///   streaming  past the caches, if the processor and the length of rows allow it. This saves
///              reading the overwritten cache lines. Call finish_streaming() before other threads
///              read the target.
enum class Stores { cached, streaming };

/// Transposes elements of any size; sizes other than 4, 8, 16 and 32 bytes are slow. With AVX-512
/// or AVX2, elements of 8 and 16 bytes are transposed in registers. One side is in memory and the
/// other in cache: `far_target` means that the target is in memory. The loops follow the order of
/// the side in memory.
void transpose(void* dst, const void* src, const Transpose& shape, std::int64_t element_bytes,
               Stores stores, bool far_target);

/// Copies `bytes` bytes; source and target do not overlap.
void copy_row(void* dst, const void* src, std::int64_t bytes, Stores stores);

/// Makes streaming stores of this thread visible to other threads.
void finish_streaming();

/// Returns the instructions that transposes use on this machine: "avx512", "avx2" or "portable".
/// For `weft info`.
const char* transpose_instructions();

/// Limits transposes to these instructions, for tests. nullptr: no limit.
void limit_transpose_instructions(const char* name);

}  // namespace weft::kernel
