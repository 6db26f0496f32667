#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/plan.hpp>

namespace weft::model {

/// Return the bytes of an array element before and after a stage of a forward transform. In an r2c
/// transform, elements are real until a stage has halved the axis.
std::int64_t element_bytes_before(const Plan& plan, std::size_t stage);
std::int64_t element_bytes_after(const Plan& plan, std::size_t stage);

}  // namespace weft::model
