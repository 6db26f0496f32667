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

/// One plan of a transform on disks, with its predicted cost.
struct DiskAlternative {
  std::string method;  ///< "k-pass", or "bmmc:" and one of the four variants of paper 003
  std::string words;   ///< readable: passes, their lines, blocks
  ooc::OutputOrder order = ooc::OutputOrder::natural;
  std::int64_t passes = 0;
  std::int64_t block_bytes = 0;
  double seconds = 0;  ///< predicted
  // The following times are of one kind of work each, without overlap.
  double disk_s = 0;
  double compute_s = 0;
  double message_s = 0;
  /// The reason why the alternative cannot be chosen, though it may be faster: the user did not ask
  /// for it, or for its order of the result. Empty: it can be chosen.
  std::string ineligible_because = {};
  std::optional<ooc::KPassPlan> plan = {};  ///< for the k-pass method
  std::string loses_by = {};                ///< largest part of the difference to the chosen one
};

struct DiskAlternatives {
  DiskAlternative best;                 ///< the fastest one that can be chosen
  std::vector<DiskAlternative> others;  ///< the next best ones, one of each kind, fastest first
  std::int64_t considered = 0;
};

/// Predicts the cost of the alternatives for a transform and chooses the fastest eligible one.
/// Pure.
///
/// Alternatives are k-pass plans with different groups of axes and numbers of buffers, the
/// transposed order, and Cormen and Nicol's four variants for one process. If `blocks_are_free`,
/// blocks of 4 KiB to 4 MiB are compared, otherwise only the problem's block. Blocks are tried from
/// 1 MiB down to 4 KiB, then 2 MiB and 4 MiB. A later block must be more than 1 % faster.
///
/// Errors  those of plan_passes, if no alternative fits; those of check() for machine and storage.
/// Cost    milliseconds.
DiskAlternatives find_disk_alternatives(const ooc::KPassProblem& problem, bool blocks_are_free,
                                        const Machine& machine,
                                        const model::DiskAssignment& storage);

}  // namespace weft::ooc_choice
