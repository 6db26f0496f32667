// The bytes of the array before and after each stage of a plan: the expected values for records of
// traffic.
#pragma once

#include <algorithm>
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

/// Returns them for all stages, in the order of execution.
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

}  // namespace weft::test_support
