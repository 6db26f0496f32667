#pragma once

#include <nanobind/nanobind.h>

#include <vector>

namespace weft::python {

/// Returns the values as a Python tuple.
template <class T>
nanobind::tuple as_tuple(const std::vector<T>& values) {
  nanobind::list list;
  for (const T& value : values) list.append(nanobind::cast(value));
  return nanobind::tuple(list);
}

/// Adds Layout.
void bind_layout(nanobind::module_& m);

}  // namespace weft::python
