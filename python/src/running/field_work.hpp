#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weft/field_work.hpp>

#include "api/handle.hpp"
#include "common.hpp"

namespace weft::python {

/// The functions of a round trip and its fields, as Python gives them. The objects of `function`,
/// `before` and `after` outlive the call.
struct GivenWork {
  const FieldFunction* function = nullptr;
  const FieldFunction* before = nullptr;
  const FieldFunction* after = nullptr;
  std::int64_t fields_there = 0;
  std::int64_t fields_back = 0;
  std::int64_t least_tile_bytes = 0;
};

/// Binds FieldFunction, and Handle.apply.
void bind_field_work(nanobind::module_& m, nanobind::class_<api::Handle>& handle);

}  // namespace weft::python
