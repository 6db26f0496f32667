#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "model/topology.hpp"

namespace weft::model {

/// Loads of the links between the switches of a dragonfly. Each pair of groups has one link. In
/// each of the two groups it starts at the switch numbered like the other group, counted cyclically
/// and without the own group. A message goes to that switch, over the link, and on to its own
/// switch.
class Dragonfly {
 public:
  /// The topology must outlive it.
  explicit Dragonfly(const Topology& topology) : topology_(topology) {}

  /// Messages between nodes of two switches.
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
