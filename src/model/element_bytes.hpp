#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/plan.hpp>

namespace weft::model {

/// Returns the bytes of an element of the array before or after a stage, forward. An r2c transform
/// has real numbers until a stage has halved the axis.
std::int64_t element_bytes_before(const Plan& plan, std::size_t stage);
std::int64_t element_bytes_after(const Plan& plan, std::size_t stage);

}  // namespace weft::model
