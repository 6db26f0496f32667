#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Returns pass i of the transform of one axis by `radices`. The passes leave the digits of the
/// result in opposite order, so each of them keeps the places of the elements: see
/// element_of_place(). The same passes in opposite order, each with other_sign, are the inverse.
///
/// before, after : the products of the extents before the axis and after it.
KPass digit_pass(const std::vector<std::int64_t>& radices, std::size_t i, std::int64_t before = 1,
                 std::int64_t after = 1);

}  // namespace weft::ooc
