#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "model/topology.hpp"

namespace weft::model {

/// Loads of the links between the switches of a dragonfly. Each pair of groups has one link. In
/// each group, the other groups are numbered from 0, and the link to group i starts at switch i
/// modulo the number of switches. A message goes to that switch, over the link, and on to the
/// switch of its target.
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
