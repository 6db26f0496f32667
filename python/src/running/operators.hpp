#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

/// Binds the ready operators of spectra as functions that return a FieldFunction.
void bind_operators(nanobind::module_& m);

}  // namespace weft::python
