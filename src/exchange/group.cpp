#include "exchange/group.hpp"

#include <algorithm>

#include <weft/error.hpp>

namespace weft::exchange {
namespace {

struct Factor {
  int axis;
  std::int64_t parts;
};

std::vector<Factor> factors(const Layout& layout) {
  std::vector<Factor> found;
  for (int axis = 0; axis < layout.dims(); ++axis)
    if (layout.process_grid()[axis] > 1) found.push_back({axis, layout.process_grid()[axis]});
  return found;
}

bool fills_all_ranks(const Layout& layout) {
  return layout.is_grid() && layout.first_rank() == 0 &&
         volume(layout.process_grid()) == layout.ranks();
}

}  // namespace

std::int64_t group_color(const Layout& from, const Layout& to, std::int64_t rank) {
  if (!fills_all_ranks(from) || !fills_all_ranks(to)) return 0;
  const auto before = factors(from);
  const auto after = factors(to);
  const bool same_digits =
      std::equal(before.begin(), before.end(), after.begin(), after.end(),
                 [](const Factor& a, const Factor& b) { return a.parts == b.parts; });
  if (!same_digits) return 0;
  // Both grids number ranks by the same digits: one that splits the same axis on both sides stays.
  std::int64_t color = 0;
  std::int64_t weight = 1;
  for (int digit = static_cast<int>(before.size()) - 1; digit >= 0; --digit) {
    const std::int64_t value = rank % before[digit].parts;
    rank /= before[digit].parts;
    if (before[digit].axis != after[digit].axis) continue;
    color += value * weight;
    weight *= before[digit].parts;
  }
  return color;
}

int Group::index_of(std::int64_t rank) const {
  if (members.empty()) return static_cast<int>(rank);
  const auto found = std::lower_bound(members.begin(), members.end(), rank);
  if (found == members.end() || *found != rank)
    throw Error(ErrorCode::internal,
                "rank " + std::to_string(rank) + " is not in its exchange group");
  return static_cast<int>(found - members.begin());
}

Group make_group(const Layout& from, const Layout& to, const comm::Communicator& comm) {
  const std::int64_t color = group_color(from, to, comm.rank());
  std::vector<std::int64_t> members;
  for (std::int64_t rank = 0; rank < from.ranks(); ++rank)
    if (group_color(from, to, rank) == color) members.push_back(rank);
  if (static_cast<std::int64_t>(members.size()) == from.ranks()) return {comm, {}};
  return {comm.subset(color), std::move(members)};
}

}  // namespace weft::exchange
