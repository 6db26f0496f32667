#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weft/machine.hpp>

namespace weft::model {

/// The links above the switches of one level of a fat tree. If the destination of a message decides
/// its link, each link is counted alone. Otherwise all links of a switch count as one.
struct Uplinks {
  std::int64_t level = 0;
  std::int64_t below = 1;     ///< nodes below a switch
  std::int64_t switches = 1;  ///< of this level
  std::int64_t apart = 1;     ///< links of a switch that are counted alone
  double capacity = 1;        ///< of each link that is counted

  std::int64_t places() const { return switches * apart; }
  /// Returns the link above the switch of `node` that a message to `destination` uses. It is also
  /// the link by which a message comes down to that switch.
  std::int64_t place(std::int64_t node, std::int64_t destination) const {
    return node / below * apart + destination % apart;
  }
  std::string name(std::int64_t place) const;
};

/// Returns the links of each level, the lowest first.
std::vector<Uplinks> uplinks_of(const Topology&);

}  // namespace weft::model
