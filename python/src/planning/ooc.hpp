#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

/// Binds the passes of an out-of-core FFT as data.
void bind_passes(nanobind::module_& m);

}  // namespace weft::python
