#pragma once

#include "common.hpp"

namespace weft::python {

/// Binds the analysis of out-of-core transforms.
void bind_ooc(nanobind::module_& m);

}  // namespace weft::python
