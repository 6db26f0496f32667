#pragma once

#include "common.hpp"

namespace weft::python {

/// Binds machines, predictions, and planning by them.
void bind_machines(nanobind::module_& m);

}  // namespace weft::python
