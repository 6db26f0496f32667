#include "model/rank_order.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <weft/error.hpp>

#include "model/topology.hpp"

namespace weft::model {
namespace {

/// The limit of an order's length. No sensible order is longer.
constexpr std::size_t longest_order = 256;

std::string default_word(const Topology& topology) {
  std::string word(1, within_node);
  const std::vector<NetworkAxis> axes = axes_of(topology);
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) word += axis->letter;
  return word;
}

[[noreturn]] void refuse(const Topology& topology, const std::string& rule) {
  throw Error(ErrorCode::invalid_argument,
              "topology: " + rule + "; given the order \"" + topology.order.substr(0, 64) +
                  "\"; the default is \"" + default_word(topology) + "\"");
}

std::vector<NetworkAxis> lettered(const std::vector<std::int64_t>& extents, char first) {
  std::vector<NetworkAxis> axes;
  for (std::size_t i = 0; i < extents.size(); ++i)
    axes.push_back({static_cast<char>(first + static_cast<char>(i)), extents[i], false});
  return axes;
}

std::vector<NetworkAxis> torus_axes(const Topology& topology) {
  std::vector<NetworkAxis> axes =
      lettered(topology.extents, topology.extents.size() > 3 ? 'a' : 'x');
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i].ring = topology.rings[i];
  return axes;
}

/// Returns the digits as written, without checking their axes.
std::vector<Digit> spelled(const Topology& topology) {
  const std::string& text = topology.order;
  std::vector<Digit> digits;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (*at < 'a' || *at > 'z')
      refuse(topology, "an order is small letters, each with a number or without");
    Digit digit{*at++, 0};
    if (at != end && std::isdigit(static_cast<unsigned char>(*at)) != 0) {
      const auto [next, error] = std::from_chars(at, end, digit.extent);
      if (error != std::errc{} || digit.extent < 1)
        refuse(topology, "the number after a letter of an order must be from 1 to 2^63 - 1");
      at = next;
    }
    digits.push_back(digit);
  }
  return digits;
}

/// Checks that the digits of an axis cover this axis. Only the last digit may lack a number. An
/// extent of 0 means that the extent of the axis is not known yet.
void check_axis(const Topology& topology, const std::vector<Digit>& digits, char letter,
                std::int64_t extent) {
  const std::string name(1, letter);
  bool open = true;  // the digits so far leave a part of the axis
  bool found = false;
  for (const Digit& digit : digits) {
    if (digit.letter != letter) continue;
    found = true;
    if (!open) refuse(topology, name + " appears again after all of it is covered");
    open = digit.extent != 0;
    if (extent == 0 || digit.extent == 0) continue;  // no extent: t depends on the number of ranks
    if (extent % digit.extent != 0)
      refuse(topology, "the numbers after " + name + " must divide its extent, of which " +
                           std::to_string(extent) + " are left");
    extent /= digit.extent;
  }
  if (!found) refuse(topology, "an order must cover every axis; " + name + " is missing");
  if (open && extent > 1)
    refuse(topology, "an order must cover all of each axis; of " + name + " a factor of " +
                         std::to_string(extent) + " is left");
}

}  // namespace

std::vector<NetworkAxis> axes_of(const Topology& topology) {
  switch (topology.network) {
    case Network::crossbar:
    case Network::hub:
      break;
    case Network::torus:
      return torus_axes(topology);
    case Network::fat_tree:
      return lettered({topology.arity.rbegin(), topology.arity.rend()}, 'a');
    case Network::dragonfly: {
      const std::int64_t of_group = topology.switches * topology.nodes_per_switch;
      return {{'g', topology.nodes / of_group, false},
              {'s', topology.switches, false},
              {'n', topology.nodes_per_switch, false}};
    }
  }
  return {{'n', topology.nodes, false}};
}

std::vector<Digit> digits_of(const Topology& topology) {
  if (topology.order.empty()) {
    std::vector<Digit> digits;
    for (const char letter : default_word(topology)) digits.push_back({letter, 0});
    return digits;
  }
  if (topology.order.size() > longest_order)
    refuse(topology, "an order is at most " + std::to_string(longest_order) + " letters long");
  const std::vector<NetworkAxis> axes = axes_of(topology);
  std::vector<Digit> digits = spelled(topology);
  for (const Digit& digit : digits)
    if (digit.letter != within_node &&
        std::none_of(axes.begin(), axes.end(),
                     [&](const NetworkAxis& axis) { return axis.letter == digit.letter; }))
      refuse(topology, std::string("the network has no axis ") + digit.letter);
  for (const NetworkAxis& axis : axes) check_axis(topology, digits, axis.letter, axis.extent);
  check_axis(topology, digits, within_node, 0);
  return digits;
}

void check_order(const Topology& topology) { digits_of(topology); }

}  // namespace weft::model

namespace weft {

std::string default_order(const Topology& topology) {
  Topology network = topology;
  network.order.clear();
  model::check(network);
  return model::default_word(network);
}

}  // namespace weft
