#include "kernel/copy.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace weft::kernel {
namespace {

/// Elements move as opaque words, aligned as the element type: unaligned user arrays are fine.
template <int Bytes>
struct Word {
  unsigned char bytes[Bytes];
};

template <int Bytes>
void move_word(unsigned char* dst, const unsigned char* src) {
  std::memcpy(dst, src, Bytes);  // a fixed size: the compiler emits register moves
}

/// A transpose writes runs of this many bytes: whole cache lines, from few enough rows for L1.
constexpr std::int64_t transpose_run_bytes = 512;

/// Bytes of a row from which a call of memcpy is cheaper than moving its elements one by one.
constexpr std::int64_t shortest_memcpy = 64;

template <int Bytes>
void transpose(unsigned char* dst, const unsigned char* src, const PlaneCopy& p) {
  constexpr int unroll = 4;
  constexpr std::int64_t transpose_block = transpose_run_bytes / Bytes;
  for (std::int64_t i0 = 0; i0 < p.rows; i0 += transpose_block) {
    const std::int64_t i1 = std::min(i0 + transpose_block, p.rows);
    for (std::int64_t j = 0; j < p.columns; ++j) {
      unsigned char* to = dst + (j * p.dst_column + i0 * p.dst_row) * Bytes;
      const unsigned char* from = src + (j * p.src_column + i0 * p.src_row) * Bytes;
      const std::int64_t to_step = p.dst_row * Bytes;
      const std::int64_t from_step = p.src_row * Bytes;
      std::int64_t i = i0;
      for (; i + unroll <= i1; i += unroll) {
        Word<Bytes> words[unroll];
        for (int k = 0; k < unroll; ++k) std::memcpy(&words[k], from + k * from_step, Bytes);
        for (int k = 0; k < unroll; ++k) std::memcpy(to + k * to_step, &words[k], Bytes);
        to += unroll * to_step;
        from += unroll * from_step;
      }
      for (; i < i1; ++i) {
        move_word<Bytes>(to, from);
        to += to_step;
        from += from_step;
      }
    }
  }
}

void move_any(unsigned char* dst, const unsigned char* src, const PlaneCopy& p,
              std::int64_t bytes) {
  for (std::int64_t i = 0; i < p.rows; ++i)
    for (std::int64_t j = 0; j < p.columns; ++j)
      std::memcpy(dst + (i * p.dst_row + j * p.dst_column) * bytes,
                  src + (i * p.src_row + j * p.src_column) * bytes, bytes);
}

PlaneCopy transposed(const PlaneCopy& p) {
  return {p.columns, p.rows, p.src_column, p.src_row, p.dst_column, p.dst_row};
}

}  // namespace

void copy_plane(void* dst_start, const void* src_start, const PlaneCopy& given,
                std::int64_t element_bytes) {
  if (given.rows <= 0 || given.columns <= 0) return;
  auto* dst = static_cast<unsigned char*>(dst_start);
  const auto* src = static_cast<const unsigned char*>(src_start);
  PlaneCopy p = given;
  if (p.src_row == 1 && p.dst_row == 1) p = transposed(p);
  if (p.src_column == 1 && p.dst_column == 1 && p.columns * element_bytes >= shortest_memcpy) {
    for (std::int64_t i = 0; i < p.rows; ++i)
      std::memcpy(dst + i * p.dst_row * element_bytes, src + i * p.src_row * element_bytes,
                  p.columns * element_bytes);
    return;
  }
  // Inner loop along the rows: let them be the side that the target writes contiguously.
  if (p.dst_column == 1 && p.dst_row != 1) p = transposed(p);
  switch (element_bytes) {
    case 4:
      return transpose<4>(dst, src, p);
    case 8:
      return transpose<8>(dst, src, p);
    case 16:
      return transpose<16>(dst, src, p);
    case 32:
      return transpose<32>(dst, src, p);
    default:
      return move_any(dst, src, p, element_bytes);
  }
}

namespace {

struct CopyDim {
  std::int64_t extent;
  std::int64_t src;
  std::int64_t dst;
};

/// Copy dimensions, the target's fastest first, neighbours merged where contiguous on both sides.
int ordered_dims(const Shape& dst_strides, const Shape& src_strides, const Shape& extents,
                 std::array<CopyDim, max_dims>& dims) {
  int count = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    if (extents[axis] != 1) dims[count++] = {extents[axis], src_strides[axis], dst_strides[axis]};
  for (int i = 1; i < count; ++i)  // insertion: there are at most max_dims
    for (int j = i; j > 0 && dims[j].dst < dims[j - 1].dst; --j) std::swap(dims[j], dims[j - 1]);
  int kept = 0;
  for (int i = 1; i < count; ++i) {
    CopyDim& last = dims[kept];
    if (dims[i].dst == last.dst * last.extent && dims[i].src == last.src * last.extent)
      last.extent *= dims[i].extent;
    else
      dims[++kept] = dims[i];
  }
  return count == 0 ? 0 : kept + 1;
}

}  // namespace

void copy_box(void* dst, const Shape& dst_strides, const void* src, const Shape& src_strides,
              const Shape& extents, std::int64_t element_bytes) {
  for (std::int64_t n : extents)
    if (n <= 0) return;
  std::array<CopyDim, max_dims> dims;
  int count = ordered_dims(dst_strides, src_strides, extents, dims);
  while (count < 2) dims[count++] = {1, 1, 1};
  // The plane copied at once: the target's fastest axis and, of the others, the source's fastest.
  const auto second =
      std::min_element(dims.begin() + 1, dims.begin() + count,
                       [](const CopyDim& a, const CopyDim& b) { return a.src < b.src; });
  std::swap(dims[1], *second);
  const PlaneCopy plane{dims[1].extent, dims[0].extent, dims[1].src,
                        dims[0].src,    dims[1].dst,    dims[0].dst};
  std::array<std::int64_t, max_dims> index{};
  auto* to = static_cast<unsigned char*>(dst);
  const auto* from = static_cast<const unsigned char*>(src);
  while (true) {
    copy_plane(to, from, plane, element_bytes);
    int d = 2;
    for (; d < count; ++d) {
      to += dims[d].dst * element_bytes;
      from += dims[d].src * element_bytes;
      if (++index[d] < dims[d].extent) break;
      to -= dims[d].extent * dims[d].dst * element_bytes;
      from -= dims[d].extent * dims[d].src * element_bytes;
      index[d] = 0;
    }
    if (d == count) return;
  }
}

}  // namespace weft::kernel
