#include "plan/exchange_groups.hpp"

#include <algorithm>
#include <vector>

namespace weft {
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

/// A digit of a rank's number: its position along one axis of a process grid.
struct GroupDigit {
  std::int64_t parts;
  bool stays;  ///< both grids split this axis, so all ranks of a group have the same value
};

/// Returns the digits, the slowest one first. Returns none if the grids have different numbers of
/// parts, because a rank's digits then differ between the grids.
std::vector<GroupDigit> common_digits(const Layout& from, const Layout& to) {
  if (!fills_all_ranks(from) || !fills_all_ranks(to)) return {};
  const auto before = factors(from);
  const auto after = factors(to);
  const bool same_digits =
      std::equal(before.begin(), before.end(), after.begin(), after.end(),
                 [](const Factor& a, const Factor& b) { return a.parts == b.parts; });
  if (!same_digits) return {};
  std::vector<GroupDigit> found;
  for (std::size_t i = 0; i < before.size(); ++i)
    found.push_back({before[i].parts, before[i].axis == after[i].axis});
  return found;
}

}  // namespace

std::int64_t group_number(const Layout& from, const Layout& to, std::int64_t rank) {
  const auto digits = common_digits(from, to);
  std::int64_t group = 0;
  std::int64_t weight = 1;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    const std::int64_t value = rank % digit->parts;
    rank /= digit->parts;
    if (!digit->stays) continue;
    group += value * weight;
    weight *= digit->parts;
  }
  return group;
}

std::int64_t ranks_per_group(const Layout& from, const Layout& to) {
  std::int64_t groups = 1;
  for (const GroupDigit& digit : common_digits(from, to))
    if (digit.stays) groups *= digit.parts;
  return from.ranks() / groups;
}

}  // namespace weft
