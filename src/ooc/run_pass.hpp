#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ooc/block_store.hpp"
#include "ooc/pass.hpp"

namespace weft::ooc {

/// Executes one pass: reads each record once from one store and writes it once to another.
///
/// Group by group: read its blocks, permute them in memory, write whole target blocks. A group's
/// permutation in memory is linear as well and the same for all groups but for a complement, so the
/// constructor makes it once and no index is multiplied by a matrix while records move.
class PassRunner {
 public:
  /// Errors: Error(invalid_argument) unless record_bytes is at least 1.
  PassRunner(const Pass& pass, const DiskModel& disks, std::size_t record_bytes);

  /// Memory that run() needs: M records. The runner itself holds one bit for each of them.
  std::size_t memory_bytes() const { return memory_bytes_; }

  /// Takes parallel_ios(pass, disks) I/Os, and executes nothing else.
  ///
  /// Memory  source and target are different stores; `memory` is scratch.
  /// Errors  Error(invalid_argument) if memory has fewer than memory_bytes(); those of the stores.
  void run(BlockStore& source, BlockStore& target, std::span<std::byte> memory);

 private:
  std::vector<BlockPlace> places(const GroupSide& side, Bits first, Bits round) const;
  void permute(std::span<std::byte> memory, Bits shift);

  DiskModel disks_;
  Bmmc permutation_;
  GroupSide source_;
  GroupSide target_;
  std::vector<Bits> group_firsts_;  ///< basis of what distinguishes groups
  std::vector<Bits> slot_columns_;  ///< memory slot of the target, for each bit of a source slot
  std::size_t record_bytes_;
  std::size_t memory_bytes_;
  std::vector<bool> moved_;
};

/// Executes all passes, from one store to another and back; the result lies in `one` after an even
/// number of passes, else in `other`.
///
/// Errors: those of PassRunner.
void run_passes(const std::vector<Pass>& passes, const DiskModel& disks, std::size_t record_bytes,
                BlockStore& one, BlockStore& other, std::span<std::byte> memory);

}  // namespace weft::ooc
