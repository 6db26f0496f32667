#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <tuple>

#include "ooc/plan/ownership.hpp"

namespace weft::python {

/// How an array lies in files: its bytes; of a plain file the array's first byte and 0; of a set 0 and
/// its block bytes; disks, processors, band bytes, skew rows.
using Lying =
    std::tuple<std::int64_t, std::int64_t, std::int64_t, int, int, std::int64_t, std::int64_t>;

/// Who of so many ranks has what of it.
ooc::OwnershipPtr to_ownership(const Lying& given, int ranks);

/// Out-of-core passes on ranks as data.
void bind_rank_passes(nanobind::module_& m);

}  // namespace weft::python
