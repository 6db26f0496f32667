#include <weft/wisdom.hpp>

#include "plan/json_reader.hpp"
#include "planner/wisdom_limits.hpp"

namespace weft {
namespace {

using json::Json;
using json::JsonPlace;
using json::Object;

/// A change of the format that another version of weft would misread increases this number.
constexpr std::int64_t wisdom_version = 2;

// --- writing ---

Json write(const MachineIdentity& machine) {
  return {{"weft", machine.weft},
          {"processor", machine.processor},
          {"cores_per_node", machine.cores_per_node},
          {"l2_bytes", machine.l2_bytes},
          {"l3_share_bytes", machine.l3_share_bytes},
          {"transposes", machine.transposes},
          {"engine", machine.engine},
          {"mpi", machine.mpi},
          {"nodes", machine.nodes},
          {"ranks_per_node", machine.ranks_per_node},
          {"placement", machine.placement},
          {"fabric", machine.fabric}};
}

std::string dumped(const Json& value) {
  try {
    return value.dump();
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::invalid_argument,
                std::string("the texts of wisdom must be UTF-8; ") + error.what());
  }
}

// --- reading ---

std::int64_t integer_of_at_least(const JsonPlace& place, std::int64_t limit) {
  const std::int64_t value = json::integer(place);
  if (value < limit) json::refuse(place, "this must be at least " + std::to_string(limit));
  return value;
}

MachineIdentity read_identity(const JsonPlace& place) {
  Object object(place);
  MachineIdentity machine;
  machine.weft = json::text(object.at("weft"));
  machine.processor = json::text(object.at("processor"));
  machine.cores_per_node = integer_of_at_least(object.at("cores_per_node"), 1);
  machine.l2_bytes = integer_of_at_least(object.at("l2_bytes"), 0);
  machine.l3_share_bytes = integer_of_at_least(object.at("l3_share_bytes"), 0);
  machine.transposes = json::text(object.at("transposes"));
  machine.engine = json::text(object.at("engine"));
  machine.mpi = json::text(object.at("mpi"));
  machine.nodes = integer_of_at_least(object.at("nodes"), 1);
  machine.ranks_per_node = integer_of_at_least(object.at("ranks_per_node"), 1);
  machine.placement = json::text(object.at("placement"));
  machine.fabric = json::text(object.at("fabric"));
  object.finish();
  return machine;
}

Plan read_plan(const JsonPlace& place) {
  try {
    return plan_from_json(place.value.dump());
  } catch (const Error& error) {
    throw Error(ErrorCode::invalid_argument, place.path + ": " + error.what());
  }
}

WisdomEntry read_entry(const JsonPlace& place) {
  Object object(place);
  WisdomEntry entry{read_identity(object.at("machine")), read_plan(object.at("plan"))};
  object.finish();
  return entry;
}

void check_version(const JsonPlace& place) {
  if (json::integer(place) != wisdom_version)
    json::refuse(place, "this weft reads wisdom of version " + std::to_string(wisdom_version) +
                            ": name another file, or use the weft that wrote it");
}

}  // namespace

std::string to_json(const MachineIdentity& machine) { return dumped(write(machine)); }

MachineIdentity machine_identity_from_json(std::string_view text) {
  const Json document = json::parse(text, "machine identity");
  return read_identity({document, "machine identity"});
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
  check_version(object.at("weft_wisdom"));
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
