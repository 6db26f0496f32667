#include "bmmc/plan/mld_factorisation.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <weft/error.hpp>

#include "bmmc/plan/processor_traffic.hpp"

namespace weft::bmmc {
namespace {

/// Multiplies A from the right and keeps the product of the inverses of the multipliers.
class ColumnWork {
 public:
  ColumnWork(const BitMatrix& a, const DiskModel& disks)
      : disks_(disks), columns_(transposed(a)), undo_(identity()) {}

  /// Adds left columns to right ones until delta, the lower right block, is nonsingular. Then adds
  /// left columns to each other until only rank phi of them are not zero in the lower block.
  void trail_and_reduce() {
    for (int right = disks_.m; right < disks_.n; ++right) {
      Subspace others;
      for (int column = disks_.m; column < disks_.n; ++column)
        if (column != right) others.add(lower(column));
      if (!others.contains(lower(right))) continue;
      int left = 0;
      while (left < disks_.m && others.contains(lower(left))) ++left;
      if (left < disks_.m) add(left, right);
    }
    for (const Bits sum : kernel(phi())) {
      const int dependent = bits_max - 1 - std::countl_zero(sum);
      for (Bits rest = sum ^ Bits{1} << dependent; rest != 0; rest &= rest - 1)
        add(std::countr_zero(rest), dependent);
    }
  }

  /// Swaps columns that are not zero in the lower block with columns b..m-1, as many as fit. Swaps
  /// are their own inverses.
  void swap_up(SwapOrder order) {
    const bool lowest = order == SwapOrder::lowest_first;
    int left = 0;
    for (int k = disks_.b; k < disks_.m; ++k) {
      const int free = lowest ? k : disks_.m - 1 - (k - disks_.b);
      if (lower(free) != 0) continue;
      while (left < disks_.b && lower(left) == 0) ++left;
      if (left == disks_.b) return;
      columns_.swap_rows(left, free);
      undo_.swap_rows(left, free);
    }
  }

  /// Sets phi to zero in the columns b..m-1. This step is its own inverse.
  void erase() {
    const BitMatrix delta = transposed(columns_.block(disks_.m, disks_.n, disks_.m, disks_.n));
    const BitMatrix eraser = inverse(delta) * phi();
    for (int row = 0; row < disks_.n - disks_.m; ++row)
      for (int column = disks_.b; column < disks_.m; ++column)
        if (eraser.at(row, column)) add(disks_.m + row, column);
  }

  /// Returns the inverse of all steps since the last call. It is the next factor to be executed.
  BitMatrix take_undone() { return std::exchange(undo_, identity()); }
  BitMatrix rest() const { return transposed(columns_); }
  bool phi_is_zero() const { return phi().is_zero(); }

 private:
  BitMatrix identity() const { return BitMatrix::identity(disks_.n); }
  Bits lower(int column) const { return columns_.row(column) >> disks_.m; }
  /// Returns the lower left block.
  BitMatrix phi() const { return transposed(columns_.block(0, disks_.m, disks_.m, disks_.n)); }

  void add(int from, int to) {
    columns_.add_row(from, to);
    undo_.add_row(to, from);
  }

  DiskModel disks_;
  BitMatrix columns_;  ///< the current A, transposed: a column is one word
  BitMatrix undo_;
};

/// Returns MLD passes, then an MRC pass, without the complement.
std::vector<BitMatrix> dispersal_matrices(const BitMatrix& a, const DiskModel& disks,
                                          SwapOrder order) {
  ColumnWork work(a, disks);
  std::vector<BitMatrix> matrices;
  work.trail_and_reduce();
  while (!work.phi_is_zero()) {
    work.swap_up(order);
    work.erase();
    matrices.push_back(work.take_undone());
  }
  // If there is no MLD pass, this part is an MRC factor too, so there is one pass in total.
  matrices.push_back(work.rest() * work.take_undone());
  return matrices;
}

/// Returns the factors of the inverse, inverted and in the opposite order: MRC first, then MLD^-1.
std::vector<PermutationPass> gathering_factors(const Bmmc& permutation, const DiskModel& disks,
                                               SwapOrder order) {
  std::vector<BitMatrix> matrices;
  for (const BitMatrix& each : dispersal_matrices(inverse(permutation.matrix), disks, order))
    matrices.insert(matrices.begin(), inverse(each));
  const PassKind last = matrices.size() == 1 ? PassKind::mrc : PassKind::mld_inverse;
  return make_passes(matrices, {PassKind::mrc, PassKind::mld_inverse, last}, permutation, disks);
}

}  // namespace

std::vector<PermutationPass> dispersal_factors(const Bmmc& permutation, const DiskModel& disks,
                                               SwapOrder order) {
  check(disks);
  check(permutation, disks);
  return make_passes(dispersal_matrices(permutation.matrix, disks, order),
                     {PassKind::mld, PassKind::mld, PassKind::mrc}, permutation, disks);
}

std::vector<PermutationPass> factored(const Bmmc& permutation, const DiskModel& disks) {
  check(disks);
  check(permutation, disks);
  const BitMatrix& a = permutation.matrix;
  if (is_mrc(a, disks)) return {make_pass(PassKind::mrc, permutation, disks)};
  if (is_mld(a, disks)) return {make_pass(PassKind::mld, permutation, disks)};
  if (is_mld_inverse(a, disks)) return {make_pass(PassKind::mld_inverse, permutation, disks)};
  const std::int64_t possible = least_crossing(permutation, disks);
  std::vector<PermutationPass> best;
  std::int64_t least = 0;
  for (const SwapOrder order : {SwapOrder::highest_first, SwapOrder::lowest_first})
    for (const bool backward : {false, true}) {
      if (!best.empty() && least == possible) return best;
      std::vector<PermutationPass> passes = backward ? gathering_factors(permutation, disks, order)
                                                     : dispersal_factors(permutation, disks, order);
      const std::int64_t crossed = processor_traffic(passes, disks);
      if (!best.empty() && crossed >= least) continue;
      best = std::move(passes);
      least = crossed;
    }
  return best;
}

}  // namespace weft::bmmc
