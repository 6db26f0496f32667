#pragma once

#include <string>
#include <string_view>

#include <weft/plan.hpp>

namespace weft {

// Reads and writes single parts of a plan, in the form of the plan's JSON.

std::string to_json(const Stage& stage);
std::string to_json(const Exchange& exchange);
std::string to_json(const LineEngine& lines);
std::string to_json(const EngineVersion& engine);
/// Inverses of to_json. They throw invalid_argument for a text that is damaged or unknown.
Stage stage_from_json(std::string_view text);
Exchange exchange_from_json(std::string_view text);
LineEngine line_engine_from_json(std::string_view text);
EngineVersion engine_version_from_json(std::string_view text);

}  // namespace weft
