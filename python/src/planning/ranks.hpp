#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <tuple>

#include "ooc/plan/ownership.hpp"

namespace weft::python {

/// The storage of an array in files: its bytes, first byte, block bytes, disks, processors, band
/// bytes and skew rows. A plain file has 0 block bytes; a set has first byte 0.
using ArrayStorage =
    std::tuple<std::int64_t, std::int64_t, std::int64_t, int, int, std::int64_t, std::int64_t>;

/// Returns the ownership of the array by `ranks` ranks.
ooc::OwnershipPtr to_ownership(const ArrayStorage& given, int ranks);

/// Binds out-of-core passes on ranks as data.
void bind_rank_passes(nanobind::module_& m);

}  // namespace weft::python
