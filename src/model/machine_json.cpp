#include <weft/machine.hpp>

#include <algorithm>

#include "plan/json_fields.hpp"

namespace weft {

namespace json {

template <>
constexpr auto fields<LineTime> = std::tuple(Field{"kind", &LineTime::kind},
                                             Field{"length", &LineTime::length},
                                             Field{"seconds", &LineTime::seconds});
template <>
constexpr auto fields<Arithmetic> = std::tuple(Field{"precision", &Arithmetic::precision},
                                               Field{"effort", &Arithmetic::effort},
                                               Field{"operation_s", &Arithmetic::operation_s},
                                               Field{"lines", &Arithmetic::lines});
template <>
constexpr auto fields<Copying> =
    std::tuple(Field{"precision", &Copying::precision}, Field{"bytes", &Copying::bytes},
               Field{"contiguous_s_per_byte", &Copying::contiguous_s_per_byte},
               Field{"transposed_s_per_byte", &Copying::transposed_s_per_byte},
               Field{"ragged_s_per_byte", &Copying::ragged_s_per_byte},
               Field{"handed_over_s_per_byte", &Copying::handed_over_s_per_byte});
template <>
constexpr auto fields<LinkPiece> = std::tuple(Field{"from_bytes", &LinkPiece::from_bytes},
                                              Field{"start_s", &LinkPiece::start_s},
                                              Field{"s_per_byte", &LinkPiece::s_per_byte});
template <>
constexpr auto fields<Link> = std::tuple(Field{"full_duplex", &Link::full_duplex},
                                         Field{"processor_s_per_byte", &Link::processor_s_per_byte},
                                         Field{"pieces", &Link::pieces});
template <>
constexpr auto fields<Blocking> = std::tuple(Field{"message_bytes", &Blocking::message_bytes},
                                             Field{"pairwise", &Blocking::pairwise},
                                             Field{"cyclic", &Blocking::cyclic},
                                             Field{"scattered", &Blocking::scattered},
                                             Field{"collective", &Blocking::collective});
template <>
constexpr auto fields<AllToAll> = std::tuple(Field{"ranks", &AllToAll::ranks},
                                             Field{"from_bytes", &AllToAll::from_bytes},
                                             Field{"start_s", &AllToAll::start_s},
                                             Field{"s_per_byte", &AllToAll::s_per_byte});
template <>
constexpr auto fields<Disk> = std::tuple(Field{"directory", &Disk::directory},
                                         Field{"direct", &Disk::direct},
                                         Field{"latency_s", &Disk::latency_s},
                                         Field{"in_flight", &Disk::in_flight},
                                         Field{"read_access_s", &Disk::read_access_s},
                                         Field{"read_bytes_per_s", &Disk::read_bytes_per_s},
                                         Field{"write_access_s", &Disk::write_access_s},
                                         Field{"write_bytes_per_s", &Disk::write_bytes_per_s});
template <>
constexpr auto fields<Sample> = std::tuple(Field{"series", &Sample::series}, Field{"x", &Sample::x},
                                           Field{"seconds", &Sample::seconds},
                                           Field{"spread", &Sample::spread});

}  // namespace json

namespace {

using json::Json;
using json::JsonPlace;
using json::Object;
using json::read_as;
using json::written;

/// Grows when an older weft would misread a newer file of a machine.
constexpr std::int64_t machine_version = 3;
/// The text of a machine is short. A longer text is a wrong file, or an attack.
constexpr std::size_t text_bytes_max = 16 << 20;

// --- writing ---

/// Writes only the keys that the network has.
Json write(const Topology& topology) {
  Json object{{"network", to_string(topology.network)}, {"nodes", topology.nodes}};
  switch (topology.network) {
    case Network::crossbar:
      object["bisection"] = topology.bisection;
      break;
    case Network::hub:
      break;
    case Network::fat_tree:
      object["arity"] = topology.arity;
      object["uplinks"] = topology.uplinks;
      if (topology.routes_by_destination) object["routes_by_destination"] = true;
      if (topology.short_ways_first) object["short_ways_first"] = true;
      break;
    case Network::torus:
      object["extents"] = topology.extents;
      object["rings"] = topology.rings;
      object["link"] = topology.link;
      if (topology.ties_forward) object["ties_forward"] = true;
      break;
    case Network::dragonfly:
      object["switches"] = topology.switches;
      object["nodes_per_switch"] = topology.nodes_per_switch;
      object["link"] = topology.link;
      break;
  }
  if (!topology.order.empty()) object["order"] = topology.order;
  return object;
}

Json write(const Machine& machine) {
  Json object;
  object["weft_machine"] = machine_version;
  object["name"] = machine.name;
  object["source"] = machine.source;
  object["assumed"] = machine.assumed;
  object["cores_per_node"] = machine.cores_per_node;
  object["memory_bytes"] = machine.memory_bytes;
  object["l2_bytes"] = machine.l2_bytes;
  object["l3_bytes"] = machine.l3_bytes;
  object["arithmetic"] = written(machine.arithmetic);
  object["copying"] = written(machine.copying);
  object["memory_bytes_per_s"] = machine.memory_bytes_per_s;
  object["within_node"] = written(machine.within_node);
  object["between_nodes"] = written(machine.between_nodes);
  object["topology"] = write(machine.topology);
  object["blocking"] = written(machine.blocking);
  object["all_to_all"] = written(machine.all_to_all);
  // These are written only if they are known.
  if (machine.planning_s > 0) object["planning_s"] = machine.planning_s;
  if (machine.physical_cores_per_node > 0)
    object["physical_cores_per_node"] = machine.physical_cores_per_node;
  object["call_s"] = machine.call_s;
  object["barrier_s"] = machine.barrier_s;
  object["request_s"] = machine.request_s;
  // Disks are written only if one was measured.
  if (!machine.disks.empty()) object["disks"] = written(machine.disks);
  object["samples"] = written(machine.samples);
  return object;
}

/// Returns whether the value contains, at any depth, a list with an object.
bool holds_records(const Json& value) {
  return std::any_of(value.begin(), value.end(), [&](const Json& each) {
    return (value.is_array() && each.is_object()) || (each.is_structured() && holds_records(each));
  });
}

/// Appends one record a line, so that a profile with a thousand figures is short and its changes
/// are readable. An object or a list has several lines only if it holds a list of objects.
/// json_text.py writes the same form.
void append_lines(std::string& text, const Json& value, std::size_t indent) {
  const bool is_spread = indent == 0 || holds_records(value);
  if (!is_spread || !value.is_structured() || value.empty()) {
    text += value.dump();
    return;
  }
  text += value.is_object() ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, each] : value.items()) {
    text += separator + std::string(indent + 2, ' ');
    separator = ",\n";
    if (value.is_object()) text += Json(key).dump() + ": ";
    append_lines(text, each, indent + 2);
  }
  text += "\n" + std::string(indent, ' ') + (value.is_object() ? '}' : ']');
}

// --- reading ---

Topology read_topology(const JsonPlace& place) {
  Object object(place);
  Topology topology;
  topology.network = json::word<Network>(object.at("network"));
  topology.nodes = json::integer(object.at("nodes"));
  switch (topology.network) {
    case Network::crossbar:
      topology.bisection = json::number(object.at("bisection"));
      break;
    case Network::hub:
      break;
    case Network::fat_tree:
      topology.arity = json::shape(object.at("arity"));
      topology.uplinks = read_as<std::vector<double>>(object.at("uplinks"));
      if (object.has("routes_by_destination"))
        topology.routes_by_destination = json::boolean(object.at("routes_by_destination"));
      if (object.has("short_ways_first"))
        topology.short_ways_first = json::boolean(object.at("short_ways_first"));
      break;
    case Network::torus:
      topology.extents = json::shape(object.at("extents"));
      topology.rings = read_as<std::vector<bool>>(object.at("rings"));
      topology.link = json::number(object.at("link"));
      if (object.has("ties_forward"))
        topology.ties_forward = json::boolean(object.at("ties_forward"));
      break;
    case Network::dragonfly:
      topology.switches = json::integer(object.at("switches"));
      topology.nodes_per_switch = json::integer(object.at("nodes_per_switch"));
      topology.link = json::number(object.at("link"));
      break;
  }
  if (object.has("order")) topology.order = json::text(object.at("order"));
  object.finish();
  return topology;
}

Machine read_machine(const JsonPlace& place) {
  Object object(place);
  const JsonPlace version = object.at("weft_machine");
  if (json::integer(version) != machine_version)
    json::refuse(version, "this weft reads machines of version " + std::to_string(machine_version) +
                              "; measure again by weft probe");
  Machine machine;
  machine.name = json::text(object.at("name"));
  machine.source = json::text(object.at("source"));
  machine.assumed = read_as<std::vector<std::string>>(object.at("assumed"));
  machine.cores_per_node = json::integer(object.at("cores_per_node"));
  machine.memory_bytes = json::integer(object.at("memory_bytes"));
  machine.l2_bytes = json::integer(object.at("l2_bytes"));
  machine.l3_bytes = json::integer(object.at("l3_bytes"));
  machine.arithmetic = read_as<std::vector<Arithmetic>>(object.at("arithmetic"));
  machine.copying = read_as<std::vector<Copying>>(object.at("copying"));
  machine.memory_bytes_per_s = read_as<std::vector<double>>(object.at("memory_bytes_per_s"));
  machine.within_node = read_as<Link>(object.at("within_node"));
  machine.between_nodes = read_as<Link>(object.at("between_nodes"));
  machine.topology = read_topology(object.at("topology"));
  machine.blocking = read_as<std::vector<Blocking>>(object.at("blocking"));
  machine.all_to_all = read_as<std::vector<AllToAll>>(object.at("all_to_all"));
  if (object.has("physical_cores_per_node"))
    machine.physical_cores_per_node = json::integer(object.at("physical_cores_per_node"));
  if (object.has("planning_s")) machine.planning_s = json::number(object.at("planning_s"));
  machine.call_s = json::number(object.at("call_s"));
  machine.barrier_s = json::number(object.at("barrier_s"));
  machine.request_s = json::number(object.at("request_s"));
  if (object.has("disks")) machine.disks = read_as<std::vector<Disk>>(object.at("disks"));
  machine.samples = read_as<std::vector<Sample>>(object.at("samples"));
  object.finish();
  return machine;
}

}  // namespace

std::string to_json(const Machine& machine) {
  check(machine);
  try {
    std::string text;
    append_lines(text, write(machine), 0);
    return text;
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::invalid_argument,
                std::string("the texts of a machine must be UTF-8; ") + error.what());
  }
}

Machine machine_from_json(std::string_view text) {
  if (text.size() > text_bytes_max)
    throw Error(ErrorCode::invalid_argument,
                "a machine is at most " + std::to_string(text_bytes_max) + " bytes long; given " +
                    std::to_string(text.size()));
  const Json document = json::parse(text, "the machine");
  Machine machine = read_machine({document, "machine"});
  check(machine);
  return machine;
}

}  // namespace weft
