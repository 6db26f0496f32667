#pragma once

#include <vector>

#include <weft/plan.hpp>

#include "comm/agreement.hpp"

namespace weft::api {

/// Returns all fields of an exchange, also automatic ones, as names and texts that ranks can
/// compare.
std::vector<comm::NamedValue> named_choices(const Exchange& exchange);

}  // namespace weft::api
