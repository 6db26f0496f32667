#include "ooc/plan/ownership.hpp"

#include <algorithm>

#include "base/direct_io.hpp"
#include "base/rounding.hpp"
#include "ooc/plan/panel_place.hpp"

namespace weft::ooc {
namespace {

/// Parts of a plain file end at multiples of this number, so that two ranks never write into one
/// page.
constexpr std::int64_t granule_bytes = direct_io_alignment_bytes;

class RanksOwnDisks final : public FileOwnership {
 public:
  RanksOwnDisks(const Striping& striping, int ranks)
      : striping_(striping), ranks_(ranks), rows_(row_count(striping)) {}

  OwnedPart part_at(std::int64_t offset, std::int64_t most) const override {
    const std::int64_t block_bytes = striping_.block_bytes;
    const std::int64_t first = offset / block_bytes;
    const int rank = rank_of(first);
    std::int64_t end = first + 1;
    while (end * block_bytes < offset + most && rank_of(end) == rank) ++end;
    return {rank, offset, std::min(most, end * block_bytes - offset)};
  }

 private:
  int rank_of(std::int64_t block) const {
    const BlockPlace place = place_of(striping_, block);
    if (striping_.disks >= ranks_)
      return static_cast<int>(part_with(striping_.disks, ranks_, place.disk));
    const Share sharers = share_of(ranks_, striping_.disks, place.disk);
    return static_cast<int>(sharers.first + part_with(rows_, sharers.count(), place.row));
  }

  Striping striping_;
  int ranks_;
  std::int64_t rows_;
};

class RanksOwnParts final : public FileOwnership {
 public:
  RanksOwnParts(std::int64_t lead_bytes, std::int64_t bytes, int ranks)
      : lead_bytes_(lead_bytes),
        granules_(divided_up(lead_bytes + bytes, granule_bytes)),
        ranks_(ranks) {}

  OwnedPart part_at(std::int64_t offset, std::int64_t most) const override {
    const std::int64_t at = lead_bytes_ + offset;
    const std::int64_t rank = part_with(granules_, ranks_, at / granule_bytes);
    const std::int64_t end = share_of(granules_, ranks_, rank).end * granule_bytes;
    return {static_cast<int>(rank), offset, std::min(most, end - at)};
  }

 private:
  std::int64_t lead_bytes_;
  std::int64_t granules_;
  int ranks_;
};

class RanksOwnPanels final : public FileOwnership {
 public:
  RanksOwnPanels(const KPass& pass, std::int64_t element_bytes, std::int64_t slot_bytes, int ranks)
      : pass_(pass),
        schedule_(pass, ranks),
        element_bytes_(element_bytes),
        slot_bytes_(slot_bytes) {}

  /// `offset` and `most` are bytes, and multiples of element_bytes_: the previous pass writes only
  /// whole elements.
  OwnedPart part_at(std::int64_t offset, std::int64_t most) const override {
    const PanelPlace place = place_in_panel(offset / element_bytes_);
    return {schedule_.rank_of(place.panel),
            schedule_.round_of(place.panel) * slot_bytes_ + place.offset * element_bytes_,
            std::min(most, place.elements * element_bytes_)};
  }

 private:
  /// `element` counts the whole array first, then the whole kernel. In memory the same panel of the
  /// kernel follows each panel of the array.
  PanelPlace place_in_panel(std::int64_t element) const {
    const bool is_kernel = pass_.convolves && element >= pass_.elements();
    if (!is_kernel) return panel_place(pass_, element);
    PanelPlace place = panel_place(pass_, element - pass_.elements());
    place.offset += elements(pass_, panel_of(pass_, place.panel));
    return place;
  }

  KPass pass_;
  PanelSchedule schedule_;
  std::int64_t element_bytes_;
  std::int64_t slot_bytes_;
};

}  // namespace

Share disks_of_rank(int disks, int ranks, int rank) {
  if (disks >= ranks) return share_of(disks, ranks, rank);
  const std::int64_t disk = part_with(ranks, disks, rank);
  return {disk, disk + 1};
}

OwnershipPtr owned_by_disks(const Striping& striping, int ranks) {
  return std::make_shared<RanksOwnDisks>(striping, ranks);
}

OwnershipPtr owned_by_parts(std::int64_t lead_bytes, std::int64_t bytes, int ranks) {
  return std::make_shared<RanksOwnParts>(lead_bytes, bytes, ranks);
}

OwnershipPtr owned_as_panels(const KPass& pass, std::int64_t element_bytes, std::int64_t slot_bytes,
                             int ranks) {
  return std::make_shared<RanksOwnPanels>(pass, element_bytes, slot_bytes, ranks);
}

}  // namespace weft::ooc
