#pragma once

#include <cstdint>
#include <vector>

#include "ooc/plan/ownership.hpp"
#include "ooc/plan/pass_plan.hpp"
#include "ooc/plan/round_traffic.hpp"

namespace weft::ooc {

// The k-pass FFT on several ranks, each of which reads and writes its own disks only. A pass is
// done in rounds of one panel per rank. The input of a round is sent from the ranks of the disks to
// those of the panels, the output is sent back. Between passes each rank stores the panels that it
// will transform next in its own scratch space, so that only the writing side sends. So k passes
// make k - 1 exchanges, and one more at each end where the input or output is not stored so.

/// Returns the plan for `ranks` ranks, each with the problem's memory. All passes but the last
/// write scratch space: that of one array for two passes, of two arrays for more. For a
/// convolution: of two arrays for its input, and of one or two for the passes before and after.
///
/// In place  all passes overwrite their input in the user's array, if none moves digits; `array` is
///           the ownership of that array. With preserve_inputs each rank has a journal of two rounds
///           in its first scratch volume. Otherwise the first pass reads the array and the last one
///           writes it.
/// Errors    Error(invalid_argument) for less than one rank, and for a plan without exactly 4
///           buffers.
/// Cost      O(1), with a journal O(runs of all passes).
KPassPlan distribute_plan(KPassPlan plan, int ranks, const OwnershipPtr& array = nullptr);

/// The scratch volumes of a rank. Passes write the first two in turn. The third has the input of a
/// convolution: panels of the array, each with its part of the kernel's spectrum.
constexpr int scratch_volumes = 3;
int scratch_written_by(const KPassPlan& plan, std::size_t pass);
/// Returns the bytes of one scratch volume.
std::int64_t scratch_bytes(const KPassPlan& plan, int rank, int volume);

/// One side of a pass with the ownership of its array.
PassSide reading_side(const KPassPlan& plan, std::size_t pass, const OwnershipPtr& input);
PassSide writing_side(const KPassPlan& plan, std::size_t pass, const OwnershipPtr& output);

/// Returns the exact traffic of each rank in all passes. Cost: O(runs of all passes).
std::vector<RankTraffic> traffic_of(const KPassPlan& plan, const OwnershipPtr& input,
                                    const OwnershipPtr& output);

}  // namespace weft::ooc
