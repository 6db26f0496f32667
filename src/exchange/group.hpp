#pragma once

#include <cstdint>
#include <vector>

#include <weft/layout.hpp>

#include "comm/communicator.hpp"

namespace weft::exchange {

/// The ranks that exchange among themselves: a row or column of the process grid where only some
/// axes change hands, else all ranks.
struct Group {
  comm::Communicator comm;
  std::vector<std::int64_t>
      members;  ///< rank in the layouts, by rank in the group; empty: the same

  /// Number of a rank of the layouts within the group.
  int index_of(std::int64_t rank) const;
};

/// Collective over `comm`.
Group make_group(const Layout& from, const Layout& to, const comm::Communicator& comm);

}  // namespace weft::exchange
