#pragma once

#include <cstdint>
#include <memory>

#include "layout/striping.hpp"
#include "ooc/plan/panel_schedule.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Returns the disks of a rank. If there are at least as many disks as ranks, each disk belongs to
/// one rank. Otherwise a rank has one disk, and shares it with neighbouring ranks.
Share disks_of_rank(int disks, int ranks, int rank);

/// Consecutive bytes of an array that are adjacent on the disks of one rank.
struct OwnedPart {
  int rank = 0;
  std::int64_t offset = 0;  ///< in the volume of that rank
  std::int64_t bytes = 0;
};

/// The assignment of an array's bytes to the disks of ranks. Every rank knows the assignment of all
/// ranks.
class FileOwnership {
 public:
  virtual ~FileOwnership() = default;
  /// Returns the part that begins at byte `offset` of the array, up to `most` bytes long.
  virtual OwnedPart part_at(std::int64_t offset, std::int64_t most) const = 0;
};
using OwnershipPtr = std::shared_ptr<const FileOwnership>;

/// Ownership of a striped set. Ranks have disks as in disks_of_rank. Ranks that share a disk have
/// equal parts of its file, in whole blocks. An offset in a rank's volume equals the offset in the
/// array.
OwnershipPtr owned_by_disks(const Striping& striping, int ranks);

/// Ownership of a plain file that all ranks see. Each rank has an equal part of it, in whole
/// granules of the file. An offset in a rank's volume equals the offset in the array. The array
/// begins at byte `lead_bytes` of the file.
OwnershipPtr owned_by_parts(std::int64_t lead_bytes, std::int64_t bytes, int ranks);

/// Ownership of a pass's input, if each rank stores its own panels as they are in memory,
/// `slot_bytes` apart. For a convolution the kernel's spectrum follows the array, from element
/// pass.elements() on.
OwnershipPtr owned_as_panels(const KPass& pass, std::int64_t element_bytes, std::int64_t slot_bytes,
                             int ranks);

}  // namespace weft::ooc
