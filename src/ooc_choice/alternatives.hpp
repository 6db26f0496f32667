#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weft/machine.hpp>

#include "model/disk_assignment.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc_choice {

/// One way to do a transform on disks, priced.
struct DiskAlternative {
  std::string method;  ///< "k-pass", or "bmmc:" and one of the four variants of paper 003
  std::string words;   ///< for people: passes, their lines, blocks
  ooc::OutputOrder order = ooc::OutputOrder::natural;
  std::int64_t passes = 0;
  std::int64_t block_bytes = 0;
  double seconds = 0;  ///< predicted
  // Each as if it went on alone.
  double disk_s = 0;
  double compute_s = 0;
  double message_s = 0;
  /// Why it is not done, though it may be faster: it was not asked for, or another result was asked
  /// for. Empty: it could be.
  std::string ineligible_because = {};
  std::optional<ooc::KPassPlan> plan = {};  ///< of the k-pass method
  std::string loses_by = {};                ///< where most of the difference to the chosen one lies
};

struct DiskAlternatives {
  DiskAlternative best;                 ///< of those that can be done
  std::vector<DiskAlternative> others;  ///< the next best, one of each kind, fastest first
  std::int64_t considered = 0;
};

/// Prices the ways to do a transform: passes in blocks of 4 KiB to 4 MiB, or only of the problem's
/// where `blocks_are_free` is not set; with more axes together or apart; in transposed order; and
/// Cormen and Nicol's four variants on one process. Takes the fastest that can be done; of blocks
/// with which it takes as long within 1 %, the one next to 1 MiB. Pure.
///
/// Errors  those of plan_passes, where no way fits; of check() for machine and storage.
/// Cost    milliseconds.
DiskAlternatives find_disk_alternatives(const ooc::KPassProblem& problem, bool blocks_are_free,
                                        const Machine& machine,
                                        const model::DiskAssignment& storage);

}  // namespace weft::ooc_choice
