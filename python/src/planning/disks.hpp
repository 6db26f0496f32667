#pragma once

#include "common.hpp"

namespace weft::python {

/// Binds striped sets and the backends of disks.
void bind_disks(nanobind::module_& m);

}  // namespace weft::python
