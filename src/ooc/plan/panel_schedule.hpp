#pragma once

#include <cstdint>
#include <optional>

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Items first, ..., end - 1 of several.
struct Share {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::int64_t count() const { return end - first; }
};
/// What the part `index` of `parts` gets of `items` that lie in a row: as many as any other, or one
/// less.
Share share_of(std::int64_t items, std::int64_t parts, std::int64_t index);
/// The part that has an item.
std::int64_t part_with(std::int64_t items, std::int64_t parts, std::int64_t item);

/// How the panels of a pass are dealt to ranks: in rounds, in each of which a rank has one panel at
/// most.
///
/// Panels that lie in a row on disks are dealt in parts, the first ones to the first rank, so that
/// plain files, which ranks have in parts, need not travel. Others, columns, are dealt in turn: those
/// of a round are neighbours, so that their rows lie on all disks alike.
class PanelSchedule {
 public:
  PanelSchedule(const KPass& pass, int ranks);

  std::int64_t panels() const { return panels_; }
  std::int64_t rounds() const { return (panels_ + ranks_ - 1) / ranks_; }
  /// What a rank does in a round; in the last one it may have nothing to do.
  std::optional<std::int64_t> panel(std::int64_t round, int rank) const;
  int rank_of(std::int64_t panel) const;
  std::int64_t round_of(std::int64_t panel) const;

 private:
  std::int64_t panels_;
  int ranks_;
  bool in_parts_;
};

}  // namespace weft::ooc
