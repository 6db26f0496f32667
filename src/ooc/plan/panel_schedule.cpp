#include "ooc/plan/panel_schedule.hpp"

namespace weft::ooc {

Share share_of(std::int64_t items, std::int64_t parts, std::int64_t index) {
  return {(index * items + parts - 1) / parts, ((index + 1) * items + parts - 1) / parts};
}

std::int64_t part_with(std::int64_t items, std::int64_t parts, std::int64_t item) {
  return item * parts / items;
}

PanelSchedule::PanelSchedule(const KPass& pass, int ranks)
    : panels_(panel_count(pass)),
      ranks_(ranks),
      in_parts_(!pass.mirrors() && pass.rest_width == pass.rest && pass.inner_width == pass.inner) {
}

std::optional<std::int64_t> PanelSchedule::panel(std::int64_t round, int rank) const {
  const Share part = share_of(panels_, ranks_, rank);
  const std::int64_t found = in_parts_ ? part.first + round : round * ranks_ + rank;
  if (found >= (in_parts_ ? part.end : panels_)) return std::nullopt;
  return found;
}

int PanelSchedule::rank_of(std::int64_t panel) const {
  return static_cast<int>(in_parts_ ? part_with(panels_, ranks_, panel) : panel % ranks_);
}

std::int64_t PanelSchedule::round_of(std::int64_t panel) const {
  return in_parts_ ? panel - share_of(panels_, ranks_, rank_of(panel)).first : panel / ranks_;
}

}  // namespace weft::ooc
