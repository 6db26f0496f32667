#pragma once

#include <cstdint>
#include <vector>

#include <weft/layout.hpp>

#include "comm/communicator.hpp"

namespace weft::exchange {

/// The ranks that exchange with each other: see group_number().
struct Group {
  comm::Communicator comm;
  /// For each number in the group, the rank in the layouts. Empty if these two are always equal.
  std::vector<std::int64_t> members;

  /// Returns the number in the group, given a rank of the layouts.
  int index_of(std::int64_t rank) const;
};

/// Makes the group of this rank. Collective over `comm`.
Group make_group(const Layout& from, const Layout& to, const comm::Communicator& comm);

}  // namespace weft::exchange
