#pragma once

#include "common.hpp"

namespace weft::python {

/// Binds the analysis of out-of-core transforms.
void bind_superlevels(nanobind::module_& m);

}  // namespace weft::python
