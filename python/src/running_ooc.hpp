#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "ooc/run/run_on_files.hpp"

namespace weft::python {

/// Path, whether it is that of a set's index; of a plain file the array's first byte and bytes.
using Stored = std::tuple<std::string, bool, std::int64_t, std::int64_t>;
ooc::StoredArray to_stored(const Stored& given);

/// Tells Python how far it is. Ctrl-C and what the callback raises end the transform.
void tell(const nanobind::object& progress, const ooc::PassProgress& at);

/// Out-of-core transforms of files.
void bind_ooc_runs(nanobind::module_& m);

}  // namespace weft::python
