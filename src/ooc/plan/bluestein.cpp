#include "ooc/plan/bluestein.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/smooth.hpp"
#include "ooc/plan/digit_pass.hpp"
#include "ooc/plan/radices.hpp"

namespace weft::ooc {
namespace {

/// Sets the part of the array that the pass before the convolution reads.
void set_source(KPass& pass, const KPassProblem& problem) {
  const std::int64_t n = problem.shape[0];
  pass.chirp = Chirp::first;
  pass.chirp_length = n;
  pass.source_slab = problem.real_output ? n / 2 + 1 : n;
  pass.spectrum_of = problem.real_output ? n : 0;
  pass.reads_reals = problem.real_input;
}

void set_target(KPass& pass, const KPassProblem& problem, std::int64_t points) {
  const std::int64_t n = problem.shape[0];
  pass.chirp = Chirp::last;
  pass.chirp_length = n;
  pass.target_slab = problem.real_input ? n / 2 + 1 : n;
  pass.writes_reals = problem.real_output;
  pass.scale = (problem.real_output ? 2 : 1) / static_cast<long double>(points);
}

std::vector<KPass> passes_of(const std::vector<std::int64_t>& radices, const KPassProblem& problem,
                             std::int64_t points) {
  std::vector<KPass> forward;
  for (std::size_t i = 0; i < radices.size(); ++i) forward.push_back(digit_pass(radices, i));
  std::vector<KPass> all = forward;
  all[0].chirp = Chirp::kernel;
  all[0].chirp_length = problem.shape[0];
  all[0].source = model::VolumeRole::nothing;
  std::vector<KPass> there = forward;
  set_source(there.front(), problem);
  there.back().convolves = true;
  all.insert(all.end(), there.begin(), there.end());
  for (std::size_t i = radices.size() - 1; i-- > 0;) {
    all.push_back(forward[i]);
    all.back().other_sign = true;
  }
  set_target(all.back(), problem, points);
  return all;
}

/// Returns the longest row that fits in memory next to a row of the kernel. Rows are the last
/// radix, which needs no blocks of columns. The longer the rows are, the shorter are the radices of
/// the other passes.
std::int64_t longest_row(std::int64_t points, const PanelSizer& fit) {
  std::int64_t longest = 1;
  for (const std::int64_t row : divisors(points)) {
    KPass pass = digit_pass({points / row, row}, 1);
    pass.convolves = true;
    if (row < points && fit.fitted(pass)) longest = row;
  }
  return longest;
}

std::optional<std::vector<KPass>> all_fitted(const std::vector<KPass>& passes,
                                             const PanelSizer& fit) {
  std::vector<KPass> result;
  for (const KPass& pass : passes) {
    const auto found = fit.fitted(pass);
    if (!found) return std::nullopt;
    result.push_back(*found);
  }
  return result;
}

}  // namespace

std::optional<BluesteinPasses> bluestein_passes(const KPassProblem& problem,
                                                const PanelSizer& fit) {
  const std::int64_t points = smooth_length(2 * problem.shape[0] - 1);
  checked_mul(points, 4 * complex_bytes(problem.precision), "bytes of a convolution");
  const std::int64_t row = longest_row(points, fit);
  const std::int64_t columns = points / row;
  const auto primes = static_cast<int>(prime_factors(columns).size());
  for (int count = 1; count <= primes; ++count) {
    std::vector<std::int64_t> radices = balanced_factors(columns, count);
    radices.push_back(row);
    const auto passes = all_fitted(passes_of(radices, problem, points), fit);
    if (passes) return BluesteinPasses{points, *passes, radices.size()};
  }
  return std::nullopt;
}

}  // namespace weft::ooc
