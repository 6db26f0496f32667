#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ooc/plan/ownership.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

enum class SideRole { reading, writing };

/// One side of one pass on ranks: the input of its panels, or their output.
struct PassSide {
  const KPassPlan* plan = nullptr;
  std::size_t pass = 0;
  SideRole side = SideRole::reading;
  OwnershipPtr ownership;  ///< ownership of the array that is read or written
  int ranks = 1;

  const KPass& k_pass() const { return plan->passes[pass]; }
};

/// Bytes that are adjacent on disks, in their panel, and in the buffer between the two.
struct RoundPiece {
  int panel_rank = 0;              ///< the rank that has the panel
  int disk_rank = 0;               ///< the rank that has the disks
  std::int64_t batch = 0;          ///< number of the batch in this round
  std::int64_t buffer_offset = 0;  ///< in the disk rank's buffer of the batch
  std::int64_t volume_offset = 0;  ///< in the disk rank's volume
  std::int64_t panel_offset = 0;   ///< in the panel's memory
  std::int64_t bytes = 0;
};

/// The input or output of the panels of one round. Any rank can compute it without messages.
///
/// A round may have more bytes on the disks of a rank than fit in its buffer. Then the round has
/// several batches. Each batch fills the buffer of the disk rank. In a buffer the pieces are
/// ordered by panel rank, then by their place in the panel.
class ExchangeRound {
 public:
  ExchangeRound(const PassSide& side, std::int64_t number);

  /// Visits the pieces by panel rank, and within a panel in the order of its memory.
  void for_each_piece(const std::function<void(const RoundPiece&)>& visit) const;

  /// Bytes of one batch as one rank sees them.
  struct RoundBatch {
    std::vector<std::int64_t> of_panel;  ///< bytes of this rank's panel, by disk rank
    std::vector<std::int64_t> on_disks;  ///< bytes on this rank's disks, by panel rank
    bool operator==(const RoundBatch&) const = default;
  };
  struct RoundBatches {
    std::vector<RoundBatch> batches;
    bool crosses = false;  ///< whether any rank sends to another
  };
  RoundBatches batches(int rank) const;

 private:
  class Cutter;
  const PassSide& side_;
  std::int64_t number_;
};

/// Returns the capacity of a batch's buffer: a panel, limited to the length of one message.
std::int64_t batch_bytes(const PassSide& side);

/// Bytes of rounds on the disks of ranks.
struct RoundsOnDisks {
  std::int64_t most_bytes = 0;  ///< largest number of bytes of one rank in one round
  /// Bytes in all batches of a round except the rank's last batch, summed over ranks and rounds.
  std::int64_t earlier_bytes = 0;
};
/// Cost: O(runs of the pass).
RoundsOnDisks rounds_on_disks(const PassSide& side);

/// Traffic that a rank sends.
struct RankTraffic {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
  bool operator==(const RankTraffic&) const = default;
  RankTraffic& operator+=(const RankTraffic& more);
};
/// Returns exact counts by rank. Cost: O(runs of the pass).
std::vector<RankTraffic> traffic_of(const PassSide& side);

}  // namespace weft::ooc
