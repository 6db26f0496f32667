#pragma once

#include "common.hpp"

namespace weft::python {

/// Binds wisdom, its entries, and the machines of the trials.
void bind_wisdom(nanobind::module_& m);

}  // namespace weft::python
