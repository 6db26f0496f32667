#pragma once

#include <cstdint>
#include <vector>

#include "ooc/plan/ownership.hpp"
#include "ooc/plan/pass_plan.hpp"
#include "ooc/plan/round_traffic.hpp"

namespace weft::ooc {

// The k-pass FFT on several ranks, each of which reads and writes its own disks only. A pass is done
// in rounds of one panel a rank. What a round reads goes from the ranks of the disks to those of the
// panels, what it writes goes back. Between passes each rank stores the panels that it will have
// itself, in its own scratch space, so that only the writing side sends: k passes make k - 1
// exchanges, and one more on each end where input or output is not stored so.

/// The plan for so many ranks, each with the problem's memory: all passes but the last one write
/// scratch space, of which there is that of one array for two passes and of two for more; of a
/// convolution, that of two for what it reads and of one or two for the passes before and behind.
///
/// In place  all passes write where they read, if none moves digits: in the user's array, of which
///           `array` says who has what. With keep_sources each rank has a journal, of two rounds, in its
///           first scratch volume. Else the first pass reads the array and the last one writes it.
/// Errors    Error(invalid_argument) for less than one rank, and for a plan of other than 4 buffers.
/// Cost      O(1), with a journal O(runs of all passes).
KPassPlan distribute_plan(KPassPlan plan, int ranks, const OwnershipPtr& array = nullptr);

/// The scratch volumes of a rank: two, which passes write in turn, and what a convolution reads,
/// panels of the array each with its part of the kernel's spectrum.
constexpr int scratch_volumes = 3;
int scratch_written_by(const KPassPlan& plan, std::size_t pass);
/// Bytes of one of them.
std::int64_t scratch_bytes(const KPassPlan& plan, int rank, int volume);

/// Who holds what a pass reads, or writes.
PassSide reading_side(const KPassPlan& plan, std::size_t pass, const OwnershipPtr& input);
PassSide writing_side(const KPassPlan& plan, std::size_t pass, const OwnershipPtr& output);

/// What each rank sends in all passes, exactly. Cost: O(runs of all passes).
std::vector<RankTraffic> traffic_of(const KPassPlan& plan, const OwnershipPtr& input,
                                    const OwnershipPtr& output);

}  // namespace weft::ooc
