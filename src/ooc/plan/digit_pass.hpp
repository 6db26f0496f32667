#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Returns pass i of the transform of one axis, with one pass for each of `radices`. A pass writes
/// each element back to its place. So the digits of the result are in opposite order: see
/// element_of_place(). The same passes in opposite order, each with other_sign, compute the
/// inverse.
///
/// before, after : the product of the extents before the axis, and of those after it.
KPass digit_pass(const std::vector<std::int64_t>& radices, std::size_t i, std::int64_t before = 1,
                 std::int64_t after = 1);

}  // namespace weft::ooc
