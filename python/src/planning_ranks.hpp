#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

/// Out-of-core passes on ranks as data.
void bind_rank_passes(nanobind::module_& m);

}  // namespace weft::python
