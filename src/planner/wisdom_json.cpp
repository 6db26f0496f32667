#include <weft/wisdom.hpp>

#include "plan/json_fields.hpp"
#include "plan/json_reader.hpp"
#include "planner/wisdom_limits.hpp"

namespace weft {
namespace json {

template <>
constexpr auto fields<MachineIdentity> = std::tuple(
    Field{"weft", &MachineIdentity::weft}, Field{"processor", &MachineIdentity::processor},
    BoundedField{"cores_per_node", &MachineIdentity::cores_per_node, 1},
    BoundedField{"l2_bytes", &MachineIdentity::l2_bytes, 0},
    BoundedField{"l3_share_bytes", &MachineIdentity::l3_share_bytes, 0},
    Field{"transposes", &MachineIdentity::transposes}, Field{"engine", &MachineIdentity::engine},
    Field{"mpi", &MachineIdentity::mpi}, BoundedField{"nodes", &MachineIdentity::nodes, 1},
    BoundedField{"ranks_per_node", &MachineIdentity::ranks_per_node, 1},
    Field{"placement", &MachineIdentity::placement}, Field{"fabric", &MachineIdentity::fabric});

}  // namespace json

namespace {

using json::Json;
using json::JsonPlace;
using json::Object;

/// Grows when an older weft would misread newer wisdom.
constexpr std::int64_t wisdom_version = 2;

Plan read_plan(const JsonPlace& place) {
  try {
    return plan_from_json(place.value.dump());
  } catch (const Error& error) {
    throw Error(ErrorCode::invalid_argument, place.path + ": " + error.what());
  }
}

WisdomEntry read_entry(const JsonPlace& place) {
  Object object(place);
  WisdomEntry entry{json::read_as<MachineIdentity>(object.at("machine")),
                    read_plan(object.at("plan"))};
  object.finish();
  return entry;
}

void check_wisdom_version(const JsonPlace& place) {
  if (json::integer(place) != wisdom_version)
    json::refuse(place, "this weft reads wisdom of version " + std::to_string(wisdom_version) +
                            ": name another file, or use the weft that wrote it");
}

}  // namespace

std::string to_json(const MachineIdentity& machine) {
  return json::dumped(json::written(machine), "wisdom");
}

MachineIdentity machine_identity_from_json(std::string_view text) {
  const Json document = json::parse(text, "machine identity");
  return json::read_as<MachineIdentity>({document, "machine identity"});
}

/// Each entry is one line, so that files can be compared line by line.
std::string to_json(const Wisdom& wisdom) {
  std::string text = "{\"weft_wisdom\":" + std::to_string(wisdom_version) + ",\"entries\":[";
  const char* separator = "\n";
  for (const WisdomEntry& entry : wisdom.entries()) {
    text += std::string(separator) + "{\"machine\":" + to_json(entry.machine) +
            ",\"plan\":" + to_json(entry.plan) + "}";
    separator = ",\n";
  }
  return text + "\n]}\n";
}

Wisdom wisdom_from_json(std::string_view text) {
  if (static_cast<std::int64_t>(text.size()) > wisdom_bytes_max)
    throw Error(ErrorCode::invalid_argument,
                "wisdom is at most " + std::to_string(wisdom_bytes_max) + " bytes long; given " +
                    std::to_string(text.size()));
  const Json document = json::parse(text, "wisdom");
  Object object({document, "wisdom"});
  check_wisdom_version(object.at("weft_wisdom"));
  Wisdom wisdom;
  for (const JsonPlace& place : json::elements(object.at("entries"))) {
    const std::size_t before = wisdom.size();
    wisdom.add(read_entry(place));
    if (wisdom.size() == before)
      throw Error(ErrorCode::invalid_argument,
                  place.path +
                      ": a problem on a machine has one entry; an earlier entry is for the "
                      "same problem and machine");
  }
  object.finish();
  return wisdom;
}

}  // namespace weft
