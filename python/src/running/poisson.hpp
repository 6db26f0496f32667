#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

/// Binds solvers of Poisson's equation.
void bind_poisson(nanobind::module_& m);

}  // namespace weft::python
