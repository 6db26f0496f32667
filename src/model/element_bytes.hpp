#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/plan.hpp>

namespace weft::model {

/// Bytes of an element of the array before and after a stage, forward: of r2c real numbers until the
/// stage that halves its axis has done so.
std::int64_t element_bytes_before(const Plan& plan, std::size_t stage);
std::int64_t element_bytes_after(const Plan& plan, std::size_t stage);

}  // namespace weft::model
