// The bytes of the array before and after each stage of a plan, and the bytes that its exchanges
// move. Tests compare records of traffic with them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

namespace weft::test_support {

/// Bytes of this rank's array before and after a stage.
struct StageBytes {
  std::int64_t in = 0;
  std::int64_t out = 0;
};

inline std::int64_t element_bytes(const Problem& problem, bool real) {
  return real ? real_bytes(problem.precision) : complex_bytes(problem.precision);
}

/// Returns these bytes for all stages, in the order of execution.
inline std::vector<StageBytes> stage_bytes(const Plan& plan, int rank, bool forward) {
  std::vector<StageBytes> all;
  bool real = plan.problem.has_halved_axis();
  for (const Stage& stage : plan.stages) {
    const std::int64_t in = stage.source.local_volume(rank) * element_bytes(plan.problem, real);
    real = real && stage.axes.empty();
    all.push_back({in, stage.target.local_volume(rank) * element_bytes(plan.problem, real)});
  }
  if (forward) return all;
  std::reverse(all.begin(), all.end());
  for (StageBytes& s : all) std::swap(s.in, s.out);
  return all;
}

/// Bytes of one field that a rank sends to others and receives from others.
struct MovedBytes {
  std::int64_t sent = 0;
  std::int64_t received = 0;
};

/// Returns these bytes for an exchange. Computes them from the boxes of the layouts before and
/// after it.
inline MovedBytes moved_bytes(const Plan& plan, std::size_t exchange, int rank, bool forward) {
  const Stage& stage = plan.stages[exchange];
  const Layout& from = forward ? stage.target : plan.stages[exchange + 1].source;
  const Layout& to = forward ? plan.stages[exchange + 1].source : stage.target;
  const std::int64_t element = weft::element_bytes(stage.target_element, plan.problem.precision) /
                               (plan.exchanges[exchange].wire == WirePrecision::f32 ? 2 : 1);
  const std::int64_t kept = intersect(from.box(rank), to.box(rank)).volume();
  return {(from.local_volume(rank) - kept) * element, (to.local_volume(rank) - kept) * element};
}

/// Returns whether ranks of one node read the blocks of this exchange from each other's memory.
inline bool is_by_memory(const Exchange& exchange) {
  return exchange.method == Method::shared || exchange.nodes == NodeUse::separate ||
         exchange.nodes == NodeUse::combined;
}

}  // namespace weft::test_support
