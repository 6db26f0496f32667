#include <weft/machine.hpp>

#include "plan/json_reader.hpp"

namespace weft {

namespace {

using json::Json;
using json::Object;
using json::Place;

/// Raised whenever a machine of one version would be misread by the reader of another.
constexpr std::int64_t machine_version = 3;
/// A machine is small: what is larger is something else, or meant to hurt.
constexpr std::size_t text_bytes_max = 16 << 20;

// --- writing ---

Json write(const LineTime& line) {
  return {{"kind", to_string(line.kind)}, {"length", line.length}, {"seconds", line.seconds}};
}

Json write(const Arithmetic& arithmetic) {
  Json lines = Json::array();
  for (const LineTime& line : arithmetic.lines) lines.push_back(write(line));
  return {{"precision", to_string(arithmetic.precision)},
          {"effort", to_string(arithmetic.effort)},
          {"operation_s", arithmetic.operation_s},
          {"lines", std::move(lines)}};
}

Json write(const Link& link) {
  Json pieces = Json::array();
  for (const LinkPiece& piece : link.pieces)
    pieces.push_back({{"from_bytes", piece.from_bytes},
                      {"start_s", piece.start_s},
                      {"s_per_byte", piece.s_per_byte}});
  return {{"full_duplex", link.full_duplex},
          {"processor_s_per_byte", link.processor_s_per_byte},
          {"pieces", std::move(pieces)}};
}

/// Only the keys that the network has.
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
      break;
    case Network::torus:
      object["extents"] = topology.extents;
      object["rings"] = topology.rings;
      object["link"] = topology.link;
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

Json write(const Blocking& blocking) {
  return {{"message_bytes", blocking.message_bytes},
          {"pairwise", blocking.pairwise},
          {"cyclic", blocking.cyclic},
          {"scattered", blocking.scattered},
          {"collective", blocking.collective}};
}

Json write(const Disk& disk) {
  return {{"directory", disk.directory},           {"direct", disk.direct},
          {"latency_s", disk.latency_s},           {"in_flight", disk.in_flight},
          {"read_access_s", disk.read_access_s},   {"read_bytes_per_s", disk.read_bytes_per_s},
          {"write_access_s", disk.write_access_s}, {"write_bytes_per_s", disk.write_bytes_per_s}};
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
  object["arithmetic"] = Json::array();
  for (const Arithmetic& each : machine.arithmetic) object["arithmetic"].push_back(write(each));
  object["copying"] = Json::array();
  for (const Copying& each : machine.copying)
    object["copying"].push_back({{"precision", to_string(each.precision)},
                                 {"bytes", each.bytes},
                                 {"contiguous_s_per_byte", each.contiguous_s_per_byte},
                                 {"transposed_s_per_byte", each.transposed_s_per_byte}});
  object["memory_bytes_per_s"] = machine.memory_bytes_per_s;
  object["within_node"] = write(machine.within_node);
  object["between_nodes"] = write(machine.between_nodes);
  object["topology"] = write(machine.topology);
  object["blocking"] = Json::array();
  for (const Blocking& each : machine.blocking) object["blocking"].push_back(write(each));
  object["all_to_all"] = Json::array();
  for (const AllToAll& each : machine.all_to_all)
    object["all_to_all"].push_back({{"ranks", each.ranks},
                                    {"from_bytes", each.from_bytes},
                                    {"start_s", each.start_s},
                                    {"s_per_byte", each.s_per_byte}});
  object["barrier_s"] = machine.barrier_s;
  object["request_s"] = machine.request_s;
  // Only where a disk was looked at.
  for (const Disk& each : machine.disks) object["disks"].push_back(write(each));
  object["samples"] = Json::array();
  for (const Sample& each : machine.samples)
    object["samples"].push_back({{"series", each.series},
                                 {"x", each.x},
                                 {"seconds", each.seconds},
                                 {"spread", each.spread}});
  return object;
}

// --- reading ---

std::vector<double> numbers(const Place& place) {
  std::vector<double> result;
  for (const Place& element : json::elements(place)) result.push_back(json::number(element));
  return result;
}

template <class T, class Read>
std::vector<T> list(const Place& place, Read&& read) {
  std::vector<T> result;
  for (const Place& element : json::elements(place)) result.push_back(read(element));
  return result;
}

LineTime read_line(const Place& place) {
  Object object(place);
  LineTime line;
  line.kind = json::word<Kind>(object.at("kind"));
  line.length = json::integer(object.at("length"));
  line.seconds = json::number(object.at("seconds"));
  object.finish();
  return line;
}

Arithmetic read_arithmetic(const Place& place) {
  Object object(place);
  Arithmetic arithmetic;
  arithmetic.precision = json::word<Precision>(object.at("precision"));
  arithmetic.effort = json::word<Effort>(object.at("effort"));
  arithmetic.operation_s = json::number(object.at("operation_s"));
  arithmetic.lines = list<LineTime>(object.at("lines"), read_line);
  object.finish();
  return arithmetic;
}

Copying read_copying(const Place& place) {
  Object object(place);
  Copying copying;
  copying.precision = json::word<Precision>(object.at("precision"));
  copying.bytes = json::integer(object.at("bytes"));
  copying.contiguous_s_per_byte = json::number(object.at("contiguous_s_per_byte"));
  copying.transposed_s_per_byte = json::number(object.at("transposed_s_per_byte"));
  object.finish();
  return copying;
}

LinkPiece read_piece(const Place& place) {
  Object object(place);
  LinkPiece piece;
  piece.from_bytes = json::integer(object.at("from_bytes"));
  piece.start_s = json::number(object.at("start_s"));
  piece.s_per_byte = json::number(object.at("s_per_byte"));
  object.finish();
  return piece;
}

Link read_link(const Place& place) {
  Object object(place);
  Link link;
  link.full_duplex = json::boolean(object.at("full_duplex"));
  link.processor_s_per_byte = json::number(object.at("processor_s_per_byte"));
  link.pieces = list<LinkPiece>(object.at("pieces"), read_piece);
  object.finish();
  return link;
}

Topology read_topology(const Place& place) {
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
      topology.uplinks = numbers(object.at("uplinks"));
      break;
    case Network::torus:
      topology.extents = json::shape(object.at("extents"));
      topology.rings = list<bool>(object.at("rings"), json::boolean);
      topology.link = json::number(object.at("link"));
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

Blocking read_blocking(const Place& place) {
  Object object(place);
  Blocking blocking;
  blocking.message_bytes = json::integer(object.at("message_bytes"));
  blocking.pairwise = json::number(object.at("pairwise"));
  blocking.cyclic = json::number(object.at("cyclic"));
  blocking.scattered = json::number(object.at("scattered"));
  blocking.collective = json::number(object.at("collective"));
  object.finish();
  return blocking;
}

AllToAll read_all_to_all(const Place& place) {
  Object object(place);
  AllToAll fit;
  fit.ranks = json::integer(object.at("ranks"));
  fit.from_bytes = json::integer(object.at("from_bytes"));
  fit.start_s = json::number(object.at("start_s"));
  fit.s_per_byte = json::number(object.at("s_per_byte"));
  object.finish();
  return fit;
}

Disk read_disk(const Place& place) {
  Object object(place);
  Disk disk;
  disk.directory = json::text(object.at("directory"));
  disk.direct = json::boolean(object.at("direct"));
  disk.latency_s = json::number(object.at("latency_s"));
  disk.in_flight = json::integer(object.at("in_flight"));
  disk.read_access_s = json::number(object.at("read_access_s"));
  disk.read_bytes_per_s = json::number(object.at("read_bytes_per_s"));
  disk.write_access_s = json::number(object.at("write_access_s"));
  disk.write_bytes_per_s = json::number(object.at("write_bytes_per_s"));
  object.finish();
  return disk;
}

Sample read_sample(const Place& place) {
  Object object(place);
  Sample sample;
  sample.series = json::text(object.at("series"));
  sample.x = json::number(object.at("x"));
  sample.seconds = json::number(object.at("seconds"));
  sample.spread = json::number(object.at("spread"));
  object.finish();
  return sample;
}

Machine read_machine(const Place& place) {
  Object object(place);
  const Place version = object.at("weft_machine");
  if (json::integer(version) != machine_version)
    json::refuse(version, "this weft reads machines of version " + std::to_string(machine_version) +
                              "; measure again by weft probe");
  Machine machine;
  machine.name = json::text(object.at("name"));
  machine.source = json::text(object.at("source"));
  machine.assumed = list<std::string>(object.at("assumed"), json::text);
  machine.cores_per_node = json::integer(object.at("cores_per_node"));
  machine.memory_bytes = json::integer(object.at("memory_bytes"));
  machine.l2_bytes = json::integer(object.at("l2_bytes"));
  machine.l3_bytes = json::integer(object.at("l3_bytes"));
  machine.arithmetic = list<Arithmetic>(object.at("arithmetic"), read_arithmetic);
  machine.copying = list<Copying>(object.at("copying"), read_copying);
  machine.memory_bytes_per_s = numbers(object.at("memory_bytes_per_s"));
  machine.within_node = read_link(object.at("within_node"));
  machine.between_nodes = read_link(object.at("between_nodes"));
  machine.topology = read_topology(object.at("topology"));
  machine.blocking = list<Blocking>(object.at("blocking"), read_blocking);
  machine.all_to_all = list<AllToAll>(object.at("all_to_all"), read_all_to_all);
  machine.barrier_s = json::number(object.at("barrier_s"));
  machine.request_s = json::number(object.at("request_s"));
  if (object.has("disks")) machine.disks = list<Disk>(object.at("disks"), read_disk);
  machine.samples = list<Sample>(object.at("samples"), read_sample);
  object.finish();
  return machine;
}

}  // namespace

std::string to_json(const Machine& machine) {
  check(machine);
  try {
    return write(machine).dump(2);
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
