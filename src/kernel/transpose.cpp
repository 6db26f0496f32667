#include "kernel/transpose.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>

#include "kernel/instruction_sets.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace weft::kernel {
namespace {

using Bytes = unsigned char;

/// One side of a transpose is far, in memory; the other is near, in cache. The loops take runs of
/// this number of contiguous bytes from the far side. A run consists of whole cache lines. It is so
/// short that the matching rows of the near side fit in the L1 cache.
constexpr std::int64_t run_bytes = 512;

/// Moves elements as bytes, because arrays need not be aligned.
template <int Size>
void transpose_words(Bytes* dst, const Bytes* src, const Transpose& t, std::int64_t first_row,
                     std::int64_t last_row, std::int64_t first_column, std::int64_t last_column) {
  constexpr int unroll = 4;
  for (std::int64_t j = first_column; j < last_column; ++j) {
    Bytes* to = dst + (j * t.dst_pitch + first_row) * Size;
    const Bytes* from = src + (first_row * t.src_pitch + j) * Size;
    const std::int64_t step = t.src_pitch * Size;
    std::int64_t i = first_row;
    for (; i + unroll <= last_row; i += unroll) {
      Bytes words[unroll][Size];
      for (int k = 0; k < unroll; ++k) std::memcpy(words[k], from + k * step, Size);
      std::memcpy(to, words, sizeof words);
      to += std::ptrdiff_t{unroll} * Size;
      from += unroll * step;
    }
    for (; i < last_row; ++i) {
      std::memcpy(to, from, Size);  // a fixed size: the compiler emits register moves
      to += Size;
      from += step;
    }
  }
}

template <int Size>
void transpose_portable(Bytes* dst, const Bytes* src, const Transpose& t) {
  constexpr std::int64_t block = run_bytes / Size;
  for (std::int64_t i = 0; i < t.rows; i += block)
    transpose_words<Size>(dst, src, t, i, std::min(i + block, t.rows), 0, t.columns);
}

#if defined(__x86_64__)

/// Transposes square by square, in the order of the far side. transpose_words() moves the rows and
/// columns that remain.
template <class Square>
inline __attribute__((always_inline)) void walk_squares(Bytes* dst, const Bytes* src,
                                                        const Transpose& t, bool far_target) {
  constexpr int size = Square::element_bytes;
  constexpr std::int64_t side = Square::side;
  const std::int64_t rows = t.rows / side * side;
  const std::int64_t columns = t.columns / side * side;
  const std::int64_t src_step = t.src_pitch * size;
  const std::int64_t dst_step = t.dst_pitch * size;
  auto square = [&](std::int64_t i, std::int64_t j) __attribute__((always_inline)) {
    Square::move(dst + j * dst_step + i * size, dst_step, src + i * src_step + j * size, src_step);
  };
  constexpr std::int64_t block = run_bytes / size;
  if (far_target) {
    for (std::int64_t i0 = 0; i0 < rows; i0 += block)
      for (std::int64_t j = 0; j < columns; j += side)
        for (std::int64_t i = i0; i < std::min(i0 + block, rows); i += side) square(i, j);
  } else {
    for (std::int64_t j0 = 0; j0 < columns; j0 += block)
      for (std::int64_t i = 0; i < rows; i += side)
        for (std::int64_t j = j0; j < std::min(j0 + block, columns); j += side) square(i, j);
  }
  transpose_words<size>(dst, src, t, 0, rows, columns, t.columns);
  transpose_words<size>(dst, src, t, rows, t.rows, 0, t.columns);
}

#define WEFT_AVX512 __attribute__((target("avx512f")))
#define WEFT_AVX2 __attribute__((target("avx2")))

template <bool streams>
WEFT_AVX512 inline void store(Bytes* to, __m512i value) {
  if constexpr (streams)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), value);
  else
    _mm512_storeu_si512(to, value);
}

template <bool streams>
WEFT_AVX2 inline void store(Bytes* to, __m256i value) {
  if constexpr (streams)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), value);
  else
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
}

/// Transposes a 4 x 4 matrix. Its elements are 16 bytes, a quarter of a vector.
WEFT_AVX512 inline void transpose_quarters(__m512i (&r)[4]) {
  const __m512i low01 = _mm512_shuffle_i64x2(r[0], r[1], 0x44);
  const __m512i high01 = _mm512_shuffle_i64x2(r[0], r[1], 0xee);
  const __m512i low23 = _mm512_shuffle_i64x2(r[2], r[3], 0x44);
  const __m512i high23 = _mm512_shuffle_i64x2(r[2], r[3], 0xee);
  r[0] = _mm512_shuffle_i64x2(low01, low23, 0x88);
  r[1] = _mm512_shuffle_i64x2(low01, low23, 0xdd);
  r[2] = _mm512_shuffle_i64x2(high01, high23, 0x88);
  r[3] = _mm512_shuffle_i64x2(high01, high23, 0xdd);
}

template <bool streams>
struct Avx512Square16 {
  static constexpr int element_bytes = 16;
  static constexpr std::int64_t side = 4;
  WEFT_AVX512 static void move(Bytes* dst, std::int64_t dst_step, const Bytes* src,
                               std::int64_t src_step) {
    __m512i r[4];
    for (int k = 0; k < 4; ++k) r[k] = _mm512_loadu_si512(src + k * src_step);
    transpose_quarters(r);
    for (int k = 0; k < 4; ++k) store<streams>(dst + k * dst_step, r[k]);
  }
};

template <bool streams>
struct Avx512Square8 {
  static constexpr int element_bytes = 8;
  static constexpr std::int64_t side = 8;
  WEFT_AVX512 static void move(Bytes* dst, std::int64_t dst_step, const Bytes* src,
                               std::int64_t src_step) {
    __m512i even[4];
    __m512i odd[4];
    for (std::int64_t k = 0; k < 4; ++k) {
      const __m512i a = _mm512_loadu_si512(src + 2 * k * src_step);
      const __m512i b = _mm512_loadu_si512(src + (2 * k + 1) * src_step);
      even[k] = _mm512_unpacklo_epi64(a, b);
      odd[k] = _mm512_unpackhi_epi64(a, b);
    }
    transpose_quarters(even);
    transpose_quarters(odd);
    for (std::int64_t k = 0; k < 4; ++k) {
      store<streams>(dst + 2 * k * dst_step, even[k]);
      store<streams>(dst + (2 * k + 1) * dst_step, odd[k]);
    }
  }
};

template <bool streams>
struct Avx2Square16 {
  static constexpr int element_bytes = 16;
  static constexpr std::int64_t side = 2;
  WEFT_AVX2 static void move(Bytes* dst, std::int64_t dst_step, const Bytes* src,
                             std::int64_t src_step) {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src + src_step));
    store<streams>(dst, _mm256_permute2x128_si256(a, b, 0x20));
    store<streams>(dst + dst_step, _mm256_permute2x128_si256(a, b, 0x31));
  }
};

template <bool streams>
struct Avx2Square8 {
  static constexpr int element_bytes = 8;
  static constexpr std::int64_t side = 4;
  WEFT_AVX2 static void move(Bytes* dst, std::int64_t dst_step, const Bytes* src,
                             std::int64_t src_step) {
    __m256i r[4];
    for (int k = 0; k < 4; ++k)
      r[k] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src + k * src_step));
    const __m256i even01 = _mm256_unpacklo_epi64(r[0], r[1]);
    const __m256i odd01 = _mm256_unpackhi_epi64(r[0], r[1]);
    const __m256i even23 = _mm256_unpacklo_epi64(r[2], r[3]);
    const __m256i odd23 = _mm256_unpackhi_epi64(r[2], r[3]);
    store<streams>(dst, _mm256_permute2x128_si256(even01, even23, 0x20));
    store<streams>(dst + dst_step, _mm256_permute2x128_si256(odd01, odd23, 0x20));
    store<streams>(dst + 2 * dst_step, _mm256_permute2x128_si256(even01, even23, 0x31));
    store<streams>(dst + 3 * dst_step, _mm256_permute2x128_si256(odd01, odd23, 0x31));
  }
};

template <int Size, bool streams>
WEFT_AVX512 void transpose_avx512(Bytes* dst, const Bytes* src, const Transpose& t, bool far) {
  if constexpr (Size == 16)
    walk_squares<Avx512Square16<streams>>(dst, src, t, far);
  else
    walk_squares<Avx512Square8<streams>>(dst, src, t, far);
}

template <int Size, bool streams>
WEFT_AVX2 void transpose_avx2(Bytes* dst, const Bytes* src, const Transpose& t, bool far) {
  if constexpr (Size == 16)
    walk_squares<Avx2Square16<streams>>(dst, src, t, far);
  else
    walk_squares<Avx2Square8<streams>>(dst, src, t, far);
}

WEFT_AVX512 void stream_row_avx512(Bytes* to, const Bytes* from, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += 64)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
}

WEFT_AVX2 void stream_row_avx2(Bytes* to, const Bytes* from, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += 32)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i)));
}

/// Clears the upper halves of registers after wide vectors. Otherwise they delay each SSE
/// instruction on some processors: FFTW's lines of 31 or 43 doubles were 3.6 times slower. The
/// compiler does not clear registers after inlined functions. To clear them after every square
/// would be too often.
__attribute__((target("avx"))) void leave_wide_vectors() { _mm256_zeroupper(); }

#undef WEFT_AVX512
#undef WEFT_AVX2

#endif

std::atomic<InstructionSet>& instructions_in_use() {
  static std::atomic<InstructionSet> set{usable_instruction_set()};
  return set;
}

/// Shortest row that is written by streaming (non-temporal) stores. Shorter rows are not faster
/// with them.
constexpr std::int64_t streamed_row_bytes = 256;

template <int Size>
void transpose_sized(Bytes* dst, const Bytes* src, const Transpose& t, Stores stores, bool far);

/// Streaming stores write whole vectors. So every row of the target must start at a multiple of a
/// vector.
bool can_stream(const void* dst, std::int64_t pitch_bytes, InstructionSet instructions) {
  const std::uintptr_t vector = instructions == InstructionSet::v4 ? 64 : 32;
  return instructions != InstructionSet::v1 &&
         (reinterpret_cast<std::uintptr_t>(dst) | static_cast<std::uintptr_t>(pitch_bytes)) %
                 vector ==
             0;
}

#if defined(__x86_64__)

/// Transposes to a target whose rows do not start at a multiple of a vector. A few columns at a
/// time go to a buffer in cache. From the buffer, copy_row() streams whole cache lines to the
/// target.
template <int Size>
void transpose_by_rows(Bytes* dst, const Bytes* src, const Transpose& t) {
  constexpr std::int64_t columns_at_once = 16;
  constexpr std::int64_t rows_at_once = 1024 / Size;
  // With this padding, rows of the buffer do not share one cache set.
  constexpr std::int64_t pitch = rows_at_once + 64 / Size;
  alignas(64) Bytes buffer[columns_at_once * pitch * Size];
  for (std::int64_t j = 0; j < t.columns; j += columns_at_once) {
    const std::int64_t columns = std::min(columns_at_once, t.columns - j);
    for (std::int64_t i = 0; i < t.rows; i += rows_at_once) {
      const std::int64_t rows = std::min(rows_at_once, t.rows - i);
      transpose_sized<Size>(buffer, src + (i * t.src_pitch + j) * Size,
                            {rows, columns, t.src_pitch, pitch}, Stores::cached, false);
      for (std::int64_t k = 0; k < columns; ++k)
        copy_row(dst + ((j + k) * t.dst_pitch + i) * Size, buffer + k * pitch * Size, rows * Size,
                 Stores::streaming);
    }
  }
}

#endif

template <int Size>
void transpose_sized(Bytes* dst, const Bytes* src, const Transpose& t, Stores stores, bool far) {
#if defined(__x86_64__)
  const InstructionSet instructions = instructions_in_use().load(std::memory_order_relaxed);
  const bool streams =
      stores == Stores::streaming && can_stream(dst, t.dst_pitch * Size, instructions);
  // Long rows are streamed even if they do not start at a multiple of a vector.
  if (stores == Stores::streaming && !streams && instructions != InstructionSet::v1 &&
      t.rows * Size >= streamed_row_bytes)
    return transpose_by_rows<Size>(dst, src, t);
  if (instructions == InstructionSet::v4)
    streams ? transpose_avx512<Size, true>(dst, src, t, far)
            : transpose_avx512<Size, false>(dst, src, t, far);
  else if (instructions == InstructionSet::v3)
    streams ? transpose_avx2<Size, true>(dst, src, t, far)
            : transpose_avx2<Size, false>(dst, src, t, far);
  if (instructions != InstructionSet::v1) return leave_wide_vectors();
#endif
  transpose_portable<Size>(dst, src, t);
}

}  // namespace

void transpose(void* dst_start, const void* src_start, const Transpose& t,
               std::int64_t element_bytes, Stores stores, bool far_target) {
  auto* dst = static_cast<Bytes*>(dst_start);
  const auto* src = static_cast<const Bytes*>(src_start);
  switch (element_bytes) {
    case 4:
      return transpose_portable<4>(dst, src, t);
    case 8:
      return transpose_sized<8>(dst, src, t, stores, far_target);
    case 16:
      return transpose_sized<16>(dst, src, t, stores, far_target);
    case 32:
      return transpose_portable<32>(dst, src, t);
    default:
      for (std::int64_t j = 0; j < t.columns; ++j)
        for (std::int64_t i = 0; i < t.rows; ++i)
          std::memcpy(dst + (j * t.dst_pitch + i) * element_bytes,
                      src + (i * t.src_pitch + j) * element_bytes, element_bytes);
  }
}

void copy_row(void* dst, const void* src, std::int64_t bytes, Stores stores) {
  auto* to = static_cast<Bytes*>(dst);
  const auto* from = static_cast<const Bytes*>(src);
#if defined(__x86_64__)
  const InstructionSet instructions = instructions_in_use().load(std::memory_order_relaxed);
  if (stores == Stores::streaming && instructions != InstructionSet::v1 &&
      bytes >= streamed_row_bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(to);
    const auto head = static_cast<std::int64_t>((64 - address % 64) % 64);
    const std::int64_t middle = (bytes - head) / 64 * 64;
    std::memcpy(to, from, head);
    if (instructions == InstructionSet::v4)
      stream_row_avx512(to + head, from + head, middle);
    else
      stream_row_avx2(to + head, from + head, middle);
    leave_wide_vectors();
    std::memcpy(to + head + middle, from + head + middle, bytes - head - middle);
    return;
  }
#endif
  std::memcpy(to, from, bytes);
}

void finish_streaming() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

const char* transpose_instructions() {
  switch (instructions_in_use().load()) {
    case InstructionSet::v4:
      return "avx512";
    case InstructionSet::v3:
      return "avx2";
    case InstructionSet::v1:
      break;
  }
  return "portable";
}

void limit_transpose_instructions(const char* name) {
  const std::string_view wanted = name == nullptr ? "" : name;
  const InstructionSet limit = wanted == "portable" ? InstructionSet::v1
                               : wanted == "avx2"   ? InstructionSet::v3
                                                    : InstructionSet::v4;
  instructions_in_use() = std::min(limit, usable_instruction_set());
}

}  // namespace weft::kernel
