#pragma once

#include <cstdint>
#include <optional>

#include "base/rounding.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Items first, ..., end - 1.
struct Share {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::int64_t count() const { return end - first; }
};
/// Divides items into `parts` parts of consecutive items, whose sizes differ by at most one.
/// Returns part `index`.
Share share_of(std::int64_t items, std::int64_t parts, std::int64_t index);
/// Returns the part that has an item.
std::int64_t part_with(std::int64_t items, std::int64_t parts, std::int64_t item);

/// The assignment of a pass's panels to ranks. It has rounds, with at most one panel per rank in
/// each.
///
/// Panels that are adjacent on disks are assigned in parts, the first part to the first rank. Plain
/// files, which ranks own in parts, then need few messages. Panels of columns are assigned in turn.
/// The panels of a round are neighbours, so their rows use all disks equally.
class PanelSchedule {
 public:
  PanelSchedule(const KPass& pass, int ranks);

  std::int64_t panels() const { return panels_; }
  std::int64_t rounds() const { return divided_up(panels_, ranks_); }
  /// Returns the panel of a rank in a round. Returns nullopt if the rank has none, which may happen
  /// in the last round.
  std::optional<std::int64_t> panel(std::int64_t round, int rank) const;
  int rank_of(std::int64_t panel) const;
  std::int64_t round_of(std::int64_t panel) const;

 private:
  std::int64_t panels_;
  int ranks_;
  bool in_parts_;
};

}  // namespace weft::ooc
