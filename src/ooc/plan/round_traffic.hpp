#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ooc/plan/ownership.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

enum class SideRole { reading, writing };

/// One side of one pass on ranks: what its panels read, or what they write.
struct PassSide {
  const KPassPlan* plan = nullptr;
  std::size_t pass = 0;
  SideRole side = SideRole::reading;
  OwnershipPtr ownership;  ///< of what is read or written
  int ranks = 1;

  const KPass& k_pass() const { return plan->passes[pass]; }
};

/// Bytes that lie in a row on disks, in the panel that they belong to, and in the buffer by which
/// they go between the two.
struct RoundPiece {
  int panel_rank = 0;       ///< whose panel
  int disk_rank = 0;        ///< whose disks
  std::int64_t batch = 0;   ///< of this round
  std::int64_t at = 0;      ///< in the disk rank's buffer of the batch
  std::int64_t offset = 0;  ///< in the disk rank's volume
  std::int64_t memory = 0;  ///< in the panel
  std::int64_t bytes = 0;
};

/// What the panels of one round read or write, as any rank can tell without asking.
///
/// The disks of a rank may hold more of a round than its buffer does; then the round takes several
/// batches, each of which fills the buffer of the disk rank. In a buffer the pieces of the first panel
/// rank come first, those of one panel in the order in which they lie in it.
class ExchangeRound {
 public:
  ExchangeRound(const PassSide& side, std::int64_t number);

  /// Panel rank by panel rank; of each, pieces in the order of its panel.
  void for_each_piece(const std::function<void(const RoundPiece&)>& visit) const;

  /// Bytes of one batch as one rank sees them.
  struct RoundBatch {
    std::vector<std::int64_t> of_panel;  ///< of its panel, by the rank on whose disks they are
    std::vector<std::int64_t> on_disks;  ///< on its disks, by the rank whose panel they are of
    bool operator==(const RoundBatch&) const = default;
  };
  struct RoundBatches {
    std::vector<RoundBatch> batches;
    bool crosses = false;  ///< whether anything goes from any rank to another
  };
  RoundBatches batches(int rank) const;

 private:
  class Cutter;
  const PassSide& side_;
  std::int64_t number_;
};

/// What a batch's buffer holds, at most: a panel, and less than what one message can carry.
std::int64_t batch_bytes(const PassSide& side);

/// What the disks of ranks have of rounds.
struct RoundsOnDisks {
  std::int64_t most_bytes = 0;  ///< of one rank in one round
  /// Of all ranks and rounds: what a rank has of batches before its last one.
  std::int64_t earlier_bytes = 0;
};
/// Cost: O(runs of the pass).
RoundsOnDisks rounds_on_disks(const PassSide& side);

/// What a rank sends.
struct RankTraffic {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
  bool operator==(const RankTraffic&) const = default;
  RankTraffic& operator+=(const RankTraffic& more);
};
/// Exact counts, by rank. Cost: O(runs of the pass).
std::vector<RankTraffic> traffic_of(const PassSide& side);

}  // namespace weft::ooc
