#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

/// Binds out-of-core transforms of files by several ranks.
void bind_ooc_runs_on_ranks(nanobind::module_& m);

}  // namespace weft::python
