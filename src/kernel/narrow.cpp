#include "kernel/narrow.hpp"

#include <cstring>

namespace weft::kernel {
namespace {

/// Converts row by row along the last axis, in loops over the other axes.
template <class To, class From>
void copy_axis(To* dst, const std::int64_t* dst_strides, const From* src,
               const std::int64_t* src_strides, const std::int64_t* extents, int axes,
               std::int64_t scalars) {
  if (axes > 1) {
    for (std::int64_t i = 0; i < extents[0]; ++i)
      copy_axis(dst + i * dst_strides[0] * scalars, dst_strides + 1,
                src + i * src_strides[0] * scalars, src_strides + 1, extents + 1, axes - 1,
                scalars);
    return;
  }
  for (std::int64_t i = 0; i < extents[0]; ++i)
    for (std::int64_t part = 0; part < scalars; ++part)
      dst[i * dst_strides[0] * scalars + part] =
          static_cast<To>(src[i * src_strides[0] * scalars + part]);
}

}  // namespace

void narrow_lines(void* memory, std::int64_t lines, std::int64_t pitch_bytes,
                  std::int64_t scalars) {
  for (std::int64_t line = 0; line < lines; ++line) {
    char* start = static_cast<char*>(memory) + line * pitch_bytes;
    // From the first number on, so that a float never overwrites a double that is still to be read.
    for (std::int64_t i = 0; i < scalars; ++i) {
      double value = 0;
      std::memcpy(&value, start + i * 8, 8);
      const auto narrow = static_cast<float>(value);
      std::memcpy(start + i * 4, &narrow, 4);
    }
  }
}

void widen_lines(void* memory, std::int64_t lines, std::int64_t pitch_bytes, std::int64_t scalars) {
  for (std::int64_t line = 0; line < lines; ++line) {
    char* start = static_cast<char*>(memory) + line * pitch_bytes;
    for (std::int64_t i = scalars - 1; i >= 0; --i) {  // from the last number down, for the same
                                                       // reason
      float value = 0;
      std::memcpy(&value, start + i * 4, 4);
      const auto wide = static_cast<double>(value);
      std::memcpy(start + i * 8, &wide, 8);
    }
  }
}

void copy_narrowing(float* dst, const Shape& dst_strides, const double* src,
                    const Shape& src_strides, const Shape& extents, std::int64_t scalars) {
  copy_axis(dst, dst_strides.data(), src, src_strides.data(), extents.data(),
            static_cast<int>(extents.size()), scalars);
}

void copy_widening(double* dst, const Shape& dst_strides, const float* src,
                   const Shape& src_strides, const Shape& extents, std::int64_t scalars) {
  copy_axis(dst, dst_strides.data(), src, src_strides.data(), extents.data(),
            static_cast<int>(extents.size()), scalars);
}

}  // namespace weft::kernel
