#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "model/topology.hpp"

namespace weft::model {

/// Loads of the links between the switches of a dragonfly. Each pair of switches of a group has one
/// link. Each pair of groups has one link. Each group numbers the other groups from 0. The link to
/// group i starts at switch i modulo the number of switches of a group. A message to another group
/// goes to that switch, over the link, and then to the switch of its target.
class Dragonfly {
 public:
  /// The topology must outlive this object.
  explicit Dragonfly(const Topology& topology) : topology_(topology) {}

  /// Adds messages from nodes of switch `from` to nodes of switch `to`.
  void send(std::int64_t from, std::int64_t to, double messages);
  void clear() { loads_.clear(); }
  BusiestLink busiest() const;

 private:
  std::int64_t gateway(std::int64_t group, std::int64_t other) const;
  void pass(std::int64_t from, std::int64_t to, double messages);

  const Topology& topology_;
  std::map<std::pair<std::int64_t, std::int64_t>, double> loads_;
};

}  // namespace weft::model
