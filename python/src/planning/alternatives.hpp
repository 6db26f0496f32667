#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

/// Binds the costs of out-of-core passes, and the alternatives of a transform on disks.
void bind_alternatives(nanobind::module_& m);

}  // namespace weft::python
