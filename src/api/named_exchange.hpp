#pragma once

#include <vector>

#include <weft/plan.hpp>

#include "comm/agreement.hpp"

namespace weft::api {

/// Returns forced choices as names and texts, to be compared on all ranks.
std::vector<comm::NamedValue> named_choices(const Exchange& exchange);

}  // namespace weft::api
