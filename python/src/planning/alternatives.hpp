#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

/// Costs of out-of-core passes, and the ways to do a transform on disks.
void bind_ways(nanobind::module_& m);

}  // namespace weft::python
