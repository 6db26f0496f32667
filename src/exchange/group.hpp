#pragma once

#include <cstdint>
#include <vector>

#include <weft/layout.hpp>

#include "comm/communicator.hpp"

namespace weft::exchange {

/// The ranks that exchange with each other: a row or column of the process grid if only some axes
/// are redistributed, otherwise all ranks.
struct Group {
  comm::Communicator comm;
  std::vector<std::int64_t>
      members;  ///< rank in the layouts for each rank of the group; empty: identical

  /// Returns the number in the group of a rank of the layouts.
  int index_of(std::int64_t rank) const;
};

/// Makes the group of this rank. Collective over `comm`.
Group make_group(const Layout& from, const Layout& to, const comm::Communicator& comm);

}  // namespace weft::exchange
