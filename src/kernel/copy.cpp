#include "kernel/copy.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace weft::kernel {
namespace {

/// Elements are moved as bytes, so arrays of the user need no alignment.
template <int Bytes>
struct CopyWord {
  unsigned char bytes[Bytes];
};

template <int Bytes>
void move_word(unsigned char* dst, const unsigned char* src) {
  std::memcpy(dst, src, Bytes);  // a fixed size: the compiler emits register moves
}

/// Minimum bytes of a row for which copying it whole is cheaper than moving its elements one by
/// one.
constexpr std::int64_t shortest_row_bytes = 64;

template <int Bytes>
void move_strided(unsigned char* dst, const unsigned char* src, const PlaneCopy& p) {
  for (std::int64_t j = 0; j < p.columns; ++j) {
    unsigned char* to = dst + j * p.dst_column * Bytes;
    const unsigned char* from = src + j * p.src_column * Bytes;
    for (std::int64_t i = 0; i < p.rows; ++i)
      move_word<Bytes>(to + i * p.dst_row * Bytes, from + i * p.src_row * Bytes);
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
                std::int64_t element_bytes, Target target) {
  if (given.rows <= 0 || given.columns <= 0) return;
  auto* dst = static_cast<unsigned char*>(dst_start);
  const auto* src = static_cast<const unsigned char*>(src_start);
  PlaneCopy p = given;
  if (p.src_row == 1 && p.dst_row == 1) p = transposed(p);
  if (p.src_column == 1 && p.dst_column == 1 && p.columns * element_bytes >= shortest_row_bytes) {
    for (std::int64_t i = 0; i < p.rows; ++i)
      copy_row(dst + i * p.dst_row * element_bytes, src + i * p.src_row * element_bytes,
               p.columns * element_bytes, target.stores);
    return;
  }
  // The inner loop runs along the rows. If the target is contiguous along the columns, rows and
  // columns are swapped.
  if (p.dst_column == 1 && p.dst_row != 1) p = transposed(p);
  if (p.dst_row == 1 && p.src_column == 1)
    return transpose(dst, src, {p.rows, p.columns, p.src_row, p.dst_column}, element_bytes,
                     target.stores, target.far);
  // The inner loop takes the shorter stride of the target, because it then stays longer in a cache
  // line. This helps for folded columns.
  if (std::abs(p.dst_column) < std::abs(p.dst_row)) p = transposed(p);
  switch (element_bytes) {
    case 4:
      return move_strided<4>(dst, src, p);
    case 8:
      return move_strided<8>(dst, src, p);
    case 16:
      return move_strided<16>(dst, src, p);
    case 32:
      return move_strided<32>(dst, src, p);
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

/// Orders the copy dimensions, the target's fastest first. Merges neighbours that are contiguous on
/// both sides.
int ordered_dims(std::span<const std::int64_t> dst_strides,
                 std::span<const std::int64_t> src_strides, std::span<const std::int64_t> extents,
                 std::array<CopyDim, max_dims>& dims) {
  int count = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    if (extents[axis] != 1) dims[count++] = {extents[axis], src_strides[axis], dst_strides[axis]};
  for (int i = 1; i < count; ++i)  // insertion sort, because there are at most max_dims
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

void copy_box(void* dst, std::span<const std::int64_t> dst_strides, const void* src,
              std::span<const std::int64_t> src_strides, std::span<const std::int64_t> extents,
              std::int64_t element_bytes) {
  for (std::int64_t n : extents)
    if (n <= 0) return;
  std::array<CopyDim, max_dims> dims;
  int count = ordered_dims(dst_strides, src_strides, extents, dims);
  while (count < 2) dims[count++] = {1, 1, 1};
  // The plane of a single copy: the target's fastest axis and, among the others, the source's
  // fastest.
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
