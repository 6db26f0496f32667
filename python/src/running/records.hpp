#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

/// Binds FFTs by superlevels and permutations of records in files.
void bind_records(nanobind::module_& m);

}  // namespace weft::python
