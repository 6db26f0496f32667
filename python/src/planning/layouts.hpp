#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

/// Adds Layout.
void bind_layout(nanobind::module_& m);

}  // namespace weft::python
