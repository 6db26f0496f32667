#include "ooc/on_ranks.hpp"

#include <algorithm>
#include <string>

#include <weft/error.hpp>

#include "base/checked.hpp"

namespace weft::ooc {
namespace {

/// Read, received, transformed, written.
constexpr int buffers_on_ranks = 4;

std::int64_t slot_bytes(const FftPasses& plan, const FftPass& pass) {
  return memory_of(plan, pass).panel_bytes;
}

SharedHolding held_for(const FftPasses& plan, std::size_t pass) {
  const FftPass& reader = plan.passes[pass];
  return held_as_panels(reader, plan.element_bytes, slot_bytes(plan, reader), plan.ranks);
}

std::int64_t panels_of_rank(const FftPass& pass, int ranks, int rank) {
  const Deal deal(pass, ranks);
  std::int64_t count = deal.rounds();
  while (count > 0 && !deal.panel(count - 1, rank)) --count;
  return count;
}

/// Rows in as many rounds as before, but of as many for each rank as can be.
void make_even(FftPass& pass, int ranks) {
  const std::int64_t at_once = pass.outer_width * ranks;
  const std::int64_t rounds = (pass.outer + at_once - 1) / at_once;
  pass.outer_width = (pass.outer + rounds * ranks - 1) / (rounds * ranks);
}

}  // namespace

FftPasses dealt_to_ranks(FftPasses plan, int ranks) {
  if (ranks < 1)
    throw Error(ErrorCode::invalid_argument, "passes are dealt to 1 or more ranks; given " +
                                                 std::to_string(ranks) + "; give 1 or more");
  if (plan.problem.buffers != buffers_on_ranks)
    throw Error(ErrorCode::invalid_argument,
                "passes on ranks take 4 buffers: one is read, one received, one transformed, one "
                "written; given " +
                    std::to_string(plan.problem.buffers) + "; give 4");
  if (plan.convolution_points > 0)
    throw Error(ErrorCode::invalid_argument,
                "a length with a prime factor of which memory cannot hold a block of points is "
                "transformed by a convolution, which one process does; given " +
                    std::to_string(ranks) + " ranks; give 1, or more memory");
  plan.ranks = ranks;
  plan.scratch_bytes = 0;
  plan.problem.keep_sources = true;  // by what follows, in the space that passes on ranks take anyway
  for (std::size_t i = 0; i < plan.passes.size(); ++i) {
    make_even(plan.passes[i], ranks);
    plan.passes[i].source = i == 0 ? Where::input : Where::scratch;
    plan.passes[i].target = i + 1 == plan.passes.size() ? Where::output : Where::scratch;
    plan.passes[i].source_first = plan.passes[i].target_first = 0;
  }
  for (int rank = 0; rank < ranks; ++rank)
    for (int which = 0; which < scratch_volumes; ++which)
      plan.scratch_bytes = checked_add(plan.scratch_bytes, scratch_bytes(plan, rank, which),
                                       "the scratch space of all ranks");
  return plan;
}

std::int64_t scratch_bytes(const FftPasses& plan, int rank, int volume) {
  std::int64_t most = 0;
  for (std::size_t i = 1; i < plan.passes.size(); ++i) {
    const FftPass& reader = plan.passes[i];
    if (scratch_written_by(i - 1) == volume)
      most = std::max(most, checked_mul(panels_of_rank(reader, plan.ranks, rank),
                                        slot_bytes(plan, reader), "the scratch space of a rank"));
  }
  return most;
}

PassSide reading_side(const FftPasses& plan, std::size_t pass, const SharedHolding& input) {
  return {&plan, pass, Side::reading, pass == 0 ? input : held_for(plan, pass), plan.ranks};
}

PassSide writing_side(const FftPasses& plan, std::size_t pass, const SharedHolding& output) {
  const bool is_last = pass + 1 == plan.passes.size();
  return {&plan, pass, Side::writing, is_last ? output : held_for(plan, pass + 1), plan.ranks};
}

std::vector<RankTraffic> traffic_of(const FftPasses& plan, const SharedHolding& input,
                                    const SharedHolding& output) {
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
