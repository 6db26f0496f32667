#include "exchange/group.hpp"

#include <algorithm>

#include <weft/error.hpp>

#include "plan/exchange_groups.hpp"

namespace weft::exchange {

int Group::index_of(std::int64_t rank) const {
  if (members.empty()) return static_cast<int>(rank);
  const auto found = std::lower_bound(members.begin(), members.end(), rank);
  if (found == members.end() || *found != rank)
    throw Error(ErrorCode::internal,
                "rank " + std::to_string(rank) + " is not in its exchange group");
  return static_cast<int>(found - members.begin());
}

Group make_group(const Layout& from, const Layout& to, const comm::Communicator& comm) {
  const std::int64_t group = group_number(from, to, comm.rank());
  std::vector<std::int64_t> members;
  for (std::int64_t rank = 0; rank < from.ranks(); ++rank)
    if (group_number(from, to, rank) == group) members.push_back(rank);
  if (static_cast<std::int64_t>(members.size()) == from.ranks()) return {comm, {}};
  return {comm.subset(group), std::move(members)};
}

}  // namespace weft::exchange
