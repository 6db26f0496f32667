#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

/// Binds the planes around boxes.
void bind_halo(nanobind::module_& m);

}  // namespace weft::python
