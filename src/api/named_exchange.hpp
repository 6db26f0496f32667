#pragma once

#include <vector>

#include <weft/plan.hpp>

#include "comm/agreement.hpp"

namespace weft::api {

/// Returns each field of an exchange as a name and a text, also automatic ones. Ranks compare them.
std::vector<comm::NamedValue> named_choices(const Exchange& exchange);

}  // namespace weft::api
