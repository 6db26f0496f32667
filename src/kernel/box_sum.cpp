#include "kernel/box_sum.hpp"

#include <cstring>

namespace weft::kernel {
namespace {

/// Calls row(from, to) for each line along the last axis of a box, with the offsets of its first
/// element.
template <class F>
void for_each_row(const Shape& extents, const Shape& from_strides, const Shape& to_strides,
                  F&& row) {
  for (const std::int64_t extent : extents)
    if (extent <= 0) return;
  const int last = static_cast<int>(extents.size()) - 1;
  Extents index{};
  std::int64_t from = 0;
  std::int64_t to = 0;
  while (true) {
    row(from, to);
    int axis = last - 1;
    for (; axis >= 0; --axis) {
      from += from_strides[axis];
      to += to_strides[axis];
      if (++index[axis] < extents[axis]) break;
      from -= extents[axis] * from_strides[axis];
      to -= extents[axis] * to_strides[axis];
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

/// `Parts` is the count of real numbers of an element.
template <class T, int Parts>
void add_row(T* to, std::int64_t to_stride, const T* from, std::int64_t from_stride,
             std::int64_t elements) {
  if (to_stride == 1 && from_stride == 1) {
    for (std::int64_t i = 0; i < elements * Parts; ++i) to[i] += from[i];
    return;
  }
  for (std::int64_t i = 0; i < elements; ++i)
    for (int part = 0; part < Parts; ++part)
      to[i * to_stride * Parts + part] += from[i * from_stride * Parts + part];
}

template <class T, int Parts>
void add_box(const CommonBox& box, void* const* buffers) {
  const T* from = static_cast<const T*>(buffers[box.from_buffer]) + box.from_offset * Parts;
  T* to = static_cast<T*>(buffers[box.to_buffer]) + box.to_offset * Parts;
  for_each_row(box.extents, box.from_strides, box.to_strides,
               [&](std::int64_t from_offset, std::int64_t to_offset) {
                 add_row<T, Parts>(to + to_offset * Parts, box.to_strides.back(),
                                   from + from_offset * Parts, box.from_strides.back(),
                                   box.extents.back());
               });
}

template <class T>
void add_boxes(const std::vector<CommonBox>& boxes, void* const* buffers, bool complex) {
  for (const CommonBox& box : boxes)
    complex ? add_box<T, 2>(box, buffers) : add_box<T, 1>(box, buffers);
}

}  // namespace

void BoxSum::execute(void* const* buffers, Precision precision) const {
  const bool complex = element_bytes_ == complex_bytes(precision);
  switch (precision) {
    case Precision::f32:
      return add_boxes<float>(parts_, buffers, complex);
    case Precision::f64:
      return add_boxes<double>(parts_, buffers, complex);
    case Precision::f80:
      return add_boxes<long double>(parts_, buffers, complex);
  }
}

void clear_box(void* array, const Shape& strides, const Shape& extents,
               std::int64_t element_bytes) {
  auto* bytes = static_cast<char*>(array);
  const auto size = static_cast<std::size_t>(element_bytes);
  for_each_row(extents, strides, strides, [&](std::int64_t offset, std::int64_t) {
    if (strides.back() == 1) {
      std::memset(bytes + offset * element_bytes, 0,
                  static_cast<std::size_t>(extents.back()) * size);
      return;
    }
    for (std::int64_t i = 0; i < extents.back(); ++i)
      std::memset(bytes + (offset + i * strides.back()) * element_bytes, 0, size);
  });
}

}  // namespace weft::kernel
