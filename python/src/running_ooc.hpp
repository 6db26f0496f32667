#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

/// Out-of-core transforms of files.
void bind_ooc_runs(nanobind::module_& m);

}  // namespace weft::python
