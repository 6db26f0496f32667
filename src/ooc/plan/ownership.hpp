#pragma once

#include <cstdint>
#include <memory>

#include "layout/striping.hpp"
#include "ooc/plan/panel_schedule.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// The disks that a rank uses: with as many disks as ranks or more each belongs to one rank, else a
/// rank has one disk, which ranks that are neighbours share.
Share disks_of_rank(int disks, int ranks, int rank);

/// Consecutive bytes of an array that one rank has in a row.
struct OwnedPart {
  int rank = 0;
  std::int64_t offset = 0;  ///< in that rank's volume
  std::int64_t bytes = 0;
};

/// Which rank has which bytes of an array on its disks: every rank knows of all.
class FileOwnership {
 public:
  virtual ~FileOwnership() = default;
  /// The part that begins at byte `offset` of the array, up to `most` bytes long.
  virtual OwnedPart part_at(std::int64_t offset, std::int64_t most) const = 0;
};
using OwnershipPtr = std::shared_ptr<const FileOwnership>;

/// Of a striped set: ranks have disks as disks_of_rank says. Ranks that share a disk have equal
/// parts of its file, in whole blocks. Offsets in a rank's volume are those in the array.
OwnershipPtr owned_by_disks(const Striping& striping, int ranks);

/// Of a plain file that all ranks see: each has an equal part of it, in whole granules of the file.
/// Offsets in a rank's volume are those in the array, which begins at byte `lead_bytes`.
OwnershipPtr owned_by_parts(std::int64_t lead_bytes, std::int64_t bytes, int ranks);

/// Of what a pass is to read, stored so that each rank has the panels that it is dealt, each as it
/// lies in memory, in slots of `slot_bytes`. Of a convolution that is the array and behind it, from
/// element pass.elements() on, the kernel's spectrum.
OwnershipPtr owned_as_panels(const KPass& pass, std::int64_t element_bytes, std::int64_t slot_bytes,
                             int ranks);

}  // namespace weft::ooc
