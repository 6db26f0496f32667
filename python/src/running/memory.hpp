#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

/// Binds the classes Memory and MemoryPool, and the figures of the machine's memory.
void bind_memory(nanobind::module_& m);

}  // namespace weft::python
