#pragma once

#include <cstdint>

#include <weft/layout.hpp>

namespace weft::kernel {

/// Converts the doubles of lines in place to floats, and back. Each line has `scalars` numbers.
/// Lines begin `pitch_bytes` apart; the floats are at the start of their line.
void narrow_lines(void* memory, std::int64_t lines, std::int64_t pitch_bytes, std::int64_t scalars);
void widen_lines(void* memory, std::int64_t lines, std::int64_t pitch_bytes, std::int64_t scalars);

/// Copies a box of elements of `scalars` numbers each, from doubles to floats or from floats to
/// doubles. Strides in elements.
void copy_narrowing(float* dst, const Shape& dst_strides, const double* src,
                    const Shape& src_strides, const Shape& extents, std::int64_t scalars);
void copy_widening(double* dst, const Shape& dst_strides, const float* src,
                   const Shape& src_strides, const Shape& extents, std::int64_t scalars);

}  // namespace weft::kernel
