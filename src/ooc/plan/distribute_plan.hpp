#pragma once

#include <cstdint>
#include <vector>

#include "ooc/plan/ownership.hpp"
#include "ooc/plan/pass_plan.hpp"
#include "ooc/plan/round_traffic.hpp"

namespace weft::ooc {

// The k-pass FFT on several ranks. Each rank reads and writes only its own disks. A pass is done in
// rounds of one panel per rank. The ranks with the disks send the input of a round to the ranks
// with the panels, and get the output back. Between passes each rank stores, in its own scratch
// space, the panels that it will transform next. So only the output of a pass is sent, and k passes
// make k - 1 exchanges. The input and the output of the transform need one more exchange each,
// unless each rank stores the panels of this array that it transforms.

/// Returns the plan for `ranks` ranks, each with the problem's memory. Unless all passes are in
/// place, all passes but the last write to scratch space. For two passes the scratch space has room
/// for one array, for more passes it has room for two. A convolution needs two arrays for its
/// input, and one or two for the passes before and after.
///
/// In place  `array` is the ownership of the user's array. If a pass moves elements, or there is a
///           convolution, the first pass reads this array and the last one writes it. Otherwise all
///           passes overwrite their input in this array. With preserve_inputs each rank then has a
///           journal of two rounds in its first scratch volume.
/// Errors    Error(invalid_argument) for less than one rank, for a number of buffers other than 4,
///           and in place without `array`.
/// Cost      O(1), with a journal O(runs of all passes).
KPassPlan distribute_plan(KPassPlan plan, int ranks, const OwnershipPtr& array = nullptr);

/// The scratch volumes of a rank. Passes write the first two in turn. The third contains the input
/// of a convolution: panels of the array, each with its part of the kernel's spectrum.
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
