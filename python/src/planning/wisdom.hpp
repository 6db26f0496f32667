#pragma once

#include "common.hpp"

namespace weft::python {

/// Wisdom, its entries, and the machines that they were made on.
void bind_wisdom(nanobind::module_& m);

}  // namespace weft::python
