#include "bmmc/plan/min_pass_factorisation.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <weft/error.hpp>

#include "bmmc/plan/mld_factorisation.hpp"

namespace weft::bmmc {
namespace {

/// The exchange from V, the offsets of source blocks, to A^-1 V, the offsets of target blocks.
struct Path {
  Subspace common;
  std::vector<Bits> leaving;   ///< together with `common` a basis of V. The vectors leave in this
                               ///< order
  std::vector<Bits> arriving;  ///< together with `common` a basis of A^-1 V. The vectors arrive in
                               ///< this order
};

std::vector<Bits> beyond(const Subspace& common, const Subspace& space) {
  Subspace reached = common;
  std::vector<Bits> vectors;
  for (const Bits x : space.basis())
    if (reached.add(x)) vectors.push_back(x);
  return vectors;
}

/// Returns the vectors x in another order: first those for which the disk bits of A x reach further
/// disks.
std::vector<Bits> reaching_first(const std::vector<Bits>& vectors, const BitMatrix& a,
                                 const DiskModel& disks) {
  const BitMatrix rows = a.block(disks.b, disks.b + disks.d, 0, disks.n);
  Subspace reached;
  std::vector<Bits> ordered = vectors;
  std::stable_partition(ordered.begin(), ordered.end(),
                        [&](Bits x) { return reached.add(rows.apply(x)); });
  return ordered;
}

/// Returns the path. The first vectors of `arriving` let the first pass reach as many disks of the
/// source as possible. The last vectors of `leaving` do the same for the last pass and the target.
Path path_of(const BitMatrix& a, const DiskModel& disks) {
  const Subspace from = Subspace::of_bits(0, disks.b);
  const Subspace to = from.image(inverse(a));
  Path path;
  path.common = intersection(from, to);
  path.arriving = reaching_first(beyond(path.common, to), BitMatrix::identity(disks.n), disks);
  path.leaving = reaching_first(beyond(path.common, from), a, disks);
  std::reverse(path.leaving.begin(), path.leaving.end());
  return path;
}

/// Returns the layout in which the first `now` vectors have been exchanged. It is the inverse of a
/// basis: its first b vectors become the offsets, the next d the disks. The previous pass held in
/// memory the vectors that have left since `before`. The next pass holds the vectors that arrive
/// until `after`. Each disk bit is 1 on one vector of both kinds, so both passes use all disks
/// equally.
BitMatrix layout_on(const Path& path, std::size_t before, std::size_t now, std::size_t after,
                    const DiskModel& disks) {
  std::vector<Bits> basis = path.common.basis();
  for (std::size_t k = 0; k < path.leaving.size(); ++k)
    basis.push_back(k < now ? path.arriving[k] : path.leaving[k]);
  const std::size_t pairs =
      std::min({static_cast<std::size_t>(disks.d), now - before, after - now});
  for (std::size_t k = 0; k < pairs; ++k) basis.push_back(path.leaving[before + k]);
  Subspace all = Subspace::spanned(basis);
  const auto complete = [&](Bits x) {
    if (all.add(x)) basis.push_back(x);
  };
  const std::size_t others = static_cast<std::size_t>(disks.d) - pairs;
  const std::size_t sums_first = basis.size() + others;
  for (int bit = disks.n - 1; bit >= 0 && basis.size() < sums_first; --bit)
    complete(Bits{1} << bit);
  for (std::size_t k = 0; k < pairs; ++k)
    complete(path.leaving[before + k] ^ path.arriving[now + k]);
  for (int bit = 0; bit < disks.n; ++bit) complete(Bits{1} << bit);
  return inverse(BitMatrix::from_columns(disks.n, basis));
}

}  // namespace

int fewest_passes(const Bmmc& permutation, const DiskModel& disks) {
  check(disks);
  check(permutation, disks);
  const int at_once = disks.m - disks.b;
  return std::max(1, (rank_gamma(permutation.matrix, disks) + at_once - 1) / at_once);
}

std::vector<PermutationPass> grouped_factors(const Bmmc& permutation, const DiskModel& disks,
                                             int passes) {
  const int fewest = fewest_passes(permutation, disks);
  if (passes == 0) passes = fewest;
  if (passes < fewest)
    throw Error(ErrorCode::invalid_argument,
                "a permutation with independent I/O takes at least ceil(rank gamma / lg(M/B)) = " +
                    std::to_string(fewest) + " passes; given " + std::to_string(passes) +
                    "; give that many, or 0 for the fewest");
  const Path path = path_of(permutation.matrix, disks);
  const auto exchanged = [&](int step) {
    return path.leaving.size() * static_cast<std::size_t>(step) / static_cast<std::size_t>(passes);
  };
  std::vector<BitMatrix> matrices;
  BitMatrix before = BitMatrix::identity(disks.n);
  for (int step = 1; step < passes; ++step) {
    const BitMatrix layout =
        layout_on(path, exchanged(step - 1), exchanged(step), exchanged(step + 1), disks);
    matrices.push_back(layout * inverse(before));
    before = layout;
  }
  matrices.push_back(permutation.matrix * inverse(before));
  return make_passes(matrices, {PassKind::grouped, PassKind::grouped, PassKind::grouped},
                     permutation, disks);
}

std::vector<PermutationPass> best_factors(const Bmmc& permutation, const DiskModel& disks) {
  std::vector<PermutationPass> best = factored(permutation, disks);
  const auto limit = static_cast<int>(best.size());
  for (int passes = limit - 1; passes >= fewest_passes(permutation, disks); --passes) {
    std::vector<PermutationPass> grouped = grouped_factors(permutation, disks, passes);
    if (parallel_ios(grouped, disks) <= parallel_ios(best, disks)) best = std::move(grouped);
  }
  return best;
}

}  // namespace weft::bmmc
