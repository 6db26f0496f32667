#pragma once

#include <cstddef>
#include <string>

#include <weft/plan.hpp>

namespace weft {

/// Returns a description of exchange `index` of a plan: its method, and the most data that a rank
/// moves.
std::string exchange_words(const Plan& plan, std::size_t index);

}  // namespace weft
