#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

/// The classes Memory and MemoryPool, and what is known of the machine's memory.
void bind_memory(nanobind::module_& m);

}  // namespace weft::python
