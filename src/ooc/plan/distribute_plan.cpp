#include "ooc/plan/distribute_plan.hpp"

#include <algorithm>
#include <string>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "base/direct_io.hpp"
#include "base/rounding.hpp"

namespace weft::ooc {
namespace {

/// One panel is read, one is received, one is transformed, and one is written.
constexpr int buffers_on_ranks = 4;

std::int64_t slot_bytes(const KPassPlan& plan, const KPass& pass) {
  return memory_of(plan, pass).panel_bytes;
}

bool makes_kernel(const KPassPlan& plan, std::size_t pass) {
  return pass + 1 == plan.kernel_passes;
}

/// Returns the pass that reads the scratch output of `pass`.
std::size_t reader_of(const KPassPlan& plan, std::size_t pass) {
  if (!makes_kernel(plan, pass)) return pass + 1;
  const auto found = std::find_if(plan.passes.begin(), plan.passes.end(),
                                  [](const KPass& each) { return each.convolves; });
  return static_cast<std::size_t>(found - plan.passes.begin());
}

OwnershipPtr ownership_between(const KPassPlan& plan, std::size_t pass) {
  const KPass& reader = plan.passes[pass];
  return owned_as_panels(reader, plan.element_bytes, slot_bytes(plan, reader), plan.ranks);
}

std::int64_t panels_of_rank(const KPass& pass, int ranks, int rank) {
  const PanelSchedule schedule(pass, ranks);
  std::int64_t count = schedule.rounds();
  while (count > 0 && !schedule.panel(count - 1, rank)) --count;
  return count;
}

/// Changes the width of panels so that ranks get similar numbers of rows in the same number of
/// rounds.
void make_even(KPass& pass, int ranks) {
  const std::int64_t at_once = pass.outer_width * ranks;
  const std::int64_t rounds = divided_up(pass.outer, at_once);
  pass.outer_width = (pass.outer + rounds * ranks - 1) / (rounds * ranks);
}

/// Places the kernel behind the array with which it is multiplied: see owned_as_panels().
void place_kernel(KPassPlan& plan) {
  plan.passes.front().source = model::VolumeRole::nothing;
  const std::size_t last = plan.kernel_passes - 1;
  KPass& reader = plan.passes[reader_of(plan, last)];
  plan.passes[last].target_first = reader.kernel_first = reader.elements();
}

/// Passes on ranks use scratch space in any case. So no pass needs to overwrite the array that it
/// reads.
void place_in_scratch(KPassPlan& plan) {
  plan.problem.preserve_inputs = true;
  for (KPass& pass : plan.passes) pass.source = pass.target = model::VolumeRole::scratch;
  plan.passes[plan.kernel_passes].source =
      plan.problem.in_place ? model::VolumeRole::output : model::VolumeRole::input;
  plan.passes.back().target = model::VolumeRole::output;
  if (plan.kernel_passes > 0) place_kernel(plan);
}

void place_in_array(KPassPlan& plan, const OwnershipPtr& array) {
  for (std::size_t i = 0; i < plan.passes.size(); ++i) {
    KPass& pass = plan.passes[i];
    pass.source = pass.target = model::VolumeRole::output;
    pass.journaled = plan.problem.preserve_inputs;
    if (!pass.journaled) continue;
    const RoundsOnDisks rounds = rounds_on_disks(writing_side(plan, i, array));
    plan.journal_slot_bytes = std::max(plan.journal_slot_bytes, rounds.most_bytes);
    pass.journal_read_bytes = rounds.earlier_bytes;
  }
  plan.journal_slot_bytes = direct_io_rounded(plan.journal_slot_bytes);
}

bool stays_in_place(const KPassPlan& plan) {
  return plan.problem.in_place && plan.kernel_passes == 0 &&
         std::all_of(plan.passes.begin(), plan.passes.end(),
                     [](const KPass& pass) { return pass.keeps_order(); });
}

}  // namespace

KPassPlan distribute_plan(KPassPlan plan, int ranks, const OwnershipPtr& array) {
  if (ranks < 1)
    throw Error(ErrorCode::invalid_argument, "passes are distributed to 1 or more ranks; given " +
                                                 std::to_string(ranks) + "; give 1 or more");
  if (plan.problem.buffers != buffers_on_ranks)
    throw Error(ErrorCode::invalid_argument,
                "passes on ranks take 4 buffers: one is read, one received, one transformed, one "
                "written; given " +
                    std::to_string(plan.problem.buffers) + "; give 4");
  if (plan.problem.in_place && !array)
    throw Error(
        ErrorCode::invalid_argument,
        "passes in place need the ownership of the array by ranks; given none; give the ownership");
  plan.ranks = ranks;
  plan.scratch_bytes = plan.journal_first_byte = plan.journal_slot_bytes = 0;
  for (KPass& pass : plan.passes) {
    make_even(pass, ranks);
    pass.source_first = pass.target_first = 0;
    pass.journaled = false;
  }
  if (stays_in_place(plan))
    place_in_array(plan, array);
  else
    place_in_scratch(plan);
  for (int rank = 0; rank < ranks; ++rank)
    for (int which = 0; which < scratch_volumes; ++which)
      plan.scratch_bytes = checked_add(plan.scratch_bytes, scratch_bytes(plan, rank, which),
                                       "the scratch space of all ranks");
  return plan;
}

int scratch_written_by(const KPassPlan& plan, std::size_t pass) {
  const bool is_convolved = makes_kernel(plan, pass) ||
                            (pass + 1 < plan.passes.size() && plan.passes[pass + 1].convolves);
  return is_convolved ? scratch_volumes - 1 : static_cast<int>(pass % 2);
}

std::int64_t scratch_bytes(const KPassPlan& plan, int rank, int volume) {
  // Journaled passes use no other scratch space.
  std::int64_t most = volume == 0 ? 2 * plan.journal_slot_bytes : 0;
  if (stays_in_place(plan)) return most;
  for (std::size_t i = 0; i + 1 < plan.passes.size(); ++i) {
    const KPass& reader = plan.passes[reader_of(plan, i)];
    if (scratch_written_by(plan, i) == volume)
      most = std::max(most, checked_mul(panels_of_rank(reader, plan.ranks, rank),
                                        slot_bytes(plan, reader), "the scratch space of a rank"));
  }
  return most;
}

PassSide reading_side(const KPassPlan& plan, std::size_t pass, const OwnershipPtr& input) {
  const bool is_scratch = plan.passes[pass].source == model::VolumeRole::scratch;
  return {&plan, pass, SideRole::reading, is_scratch ? ownership_between(plan, pass) : input,
          plan.ranks};
}

PassSide writing_side(const KPassPlan& plan, std::size_t pass, const OwnershipPtr& output) {
  const bool is_scratch = plan.passes[pass].target == model::VolumeRole::scratch;
  return {&plan, pass, SideRole::writing,
          is_scratch ? ownership_between(plan, reader_of(plan, pass)) : output, plan.ranks};
}

std::vector<RankTraffic> traffic_of(const KPassPlan& plan, const OwnershipPtr& input,
                                    const OwnershipPtr& output) {
  std::vector<RankTraffic> sent(static_cast<std::size_t>(plan.ranks));
  for (std::size_t pass = 0; pass < plan.passes.size(); ++pass)
    for (const PassSide& side :
         {reading_side(plan, pass, input), writing_side(plan, pass, output)}) {
      const std::vector<RankTraffic> more = traffic_of(side);
      for (std::size_t rank = 0; rank < sent.size(); ++rank) sent[rank] += more[rank];
    }
  return sent;
}

}  // namespace weft::ooc
