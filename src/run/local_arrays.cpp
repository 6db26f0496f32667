#include "run/local_arrays.hpp"

#include <algorithm>

namespace weft::run {
namespace {

Shape c_strides(const Box& box) {
  Shape strides(static_cast<std::size_t>(box.dims()));
  std::int64_t step = 1;
  for (int axis = box.dims() - 1; axis >= 0; --axis) {
    strides[axis] = step;
    step *= box.extent(axis);
  }
  return strides;
}

}  // namespace

Box box_after(Box box, const std::vector<kernel::AxisTransform>& transforms, std::size_t first,
              std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    box.lower[transforms[i].axis] = 0;
    box.upper[transforms[i].axis] = output_extent(transforms[i]);
  }
  return box;
}

kernel::Place dense_array(const Box& box, int buffer, std::int64_t element_bytes,
                          BufferSizes& sizes) {
  auto& size = sizes[static_cast<std::size_t>(buffer)];
  size = std::max(size, box.volume() * element_bytes);
  return array_place(box, c_strides(box), buffer, element_bytes);
}

}  // namespace weft::run
