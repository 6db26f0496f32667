#include "ooc/factor.hpp"

#include <algorithm>
#include <utility>

#include <weft/error.hpp>

#include "ooc/crossing.hpp"

namespace weft::ooc {
namespace {

/// Multiplies A from the right and keeps the product of the inverses of what was applied.
class ColumnWork {
 public:
  ColumnWork(const BitMatrix& a, const DiskModel& disks)
      : disks_(disks), a_(a), undo_(identity()) {}

  /// Left columns into right ones until delta, the lower right block, is nonsingular; then columns
  /// among the left ones until only rank phi of these are nonzero below.
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
    Subspace seen;
    std::vector<int> independent;
    for (int left = 0; left < disks_.m; ++left)
      if (seen.add(lower(left)))
        independent.push_back(left);
      else
        clear(left, independent);
  }

  /// Columns that are not zero below move to b..m-1, as many as fit. Swaps are their own inverses.
  void swap_up(SwapOrder order) {
    const bool lowest = order == SwapOrder::lowest_first;
    int left = 0;
    for (int k = disks_.b; k < disks_.m; ++k) {
      const int free = lowest ? k : disks_.m - 1 - (k - disks_.b);
      if (lower(free) != 0) continue;
      while (left < disks_.b && lower(left) == 0) ++left;
      if (left == disks_.b) return;
      a_.swap_columns(left, free);
      undo_.swap_rows(left, free);
    }
  }

  /// Erases phi in the columns b..m-1; the eraser is its own inverse.
  void erase() {
    const BitMatrix delta = a_.block(disks_.m, disks_.n, disks_.m, disks_.n);
    const BitMatrix e = inverse(delta) * a_.block(disks_.m, disks_.n, 0, disks_.m);
    BitMatrix eraser = identity();
    for (int row = 0; row < disks_.n - disks_.m; ++row)
      for (int column = disks_.b; column < disks_.m; ++column)
        eraser.set(disks_.m + row, column, e.at(row, column));
    a_ = a_ * eraser;
    undo_ = eraser * undo_;
  }

  /// What has been undone since the last call: the factor that is executed next.
  BitMatrix take_undone() { return std::exchange(undo_, identity()); }
  const BitMatrix& rest() const { return a_; }
  bool phi_is_zero() const { return rank_phi(a_, disks_) == 0; }

 private:
  BitMatrix identity() const { return BitMatrix::identity(disks_.n); }
  Bits lower(int column) const { return a_.column(column) >> disks_.m; }

  void add(int from, int to) {
    a_.add_column(from, to);
    undo_.add_row(to, from);
  }

  /// Adds those of the independent columns that sum up to this one below.
  void clear(int column, const std::vector<int>& independent) {
    if (lower(column) == 0) return;
    std::vector<Bits> columns;
    for (const int each : independent) columns.push_back(lower(each));
    columns.push_back(lower(column));
    const std::vector<Bits> sums = kernel(BitMatrix::from_columns(disks_.n - disks_.m, columns));
    for (std::size_t k = 0; k < independent.size(); ++k)
      if ((sums.at(0) >> k & 1) != 0) add(independent[k], column);
  }

  DiskModel disks_;
  BitMatrix a_;
  BitMatrix undo_;
};

/// MLD passes, then an MRC pass, without the complement.
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
  // With no MLD pass before it, what was undone is an MRC factor of its own: one pass together.
  matrices.push_back(work.rest() * work.take_undone());
  return matrices;
}

/// The passes of these matrices, the last of which also complements.
std::vector<Pass> passes_of(const std::vector<BitMatrix>& matrices, PassKind first, PassKind middle,
                            PassKind last, const Bmmc& permutation, const DiskModel& disks) {
  std::vector<Pass> passes;
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    const bool is_last = k + 1 == matrices.size();
    const PassKind kind = is_last ? last : k == 0 ? first : middle;
    passes.push_back(make_pass(kind, {matrices[k], is_last ? permutation.complement : 0}, disks));
  }
  if (composed(passes, disks.n) != permutation)
    throw Error(ErrorCode::internal, "the factors of a permutation do not compose to it");
  return passes;
}

/// The factors of the inverse, inverted and in the opposite order: MRC first, then MLD^-1.
std::vector<Pass> gathering_factors(const Bmmc& permutation, const DiskModel& disks,
                                    SwapOrder order) {
  std::vector<BitMatrix> matrices;
  for (const BitMatrix& each : dispersal_matrices(inverse(permutation.matrix), disks, order))
    matrices.insert(matrices.begin(), inverse(each));
  const PassKind last = matrices.size() == 1 ? PassKind::mrc : PassKind::mld_inverse;
  return passes_of(matrices, PassKind::mrc, PassKind::mld_inverse, last, permutation, disks);
}

/// Layouts between V, the offsets, and its pre-image under A: each is a map to indices under which
/// a subspace on the path becomes the offsets. Neighbours differ in at most lg(M/B) dimensions.
std::vector<BitMatrix> layouts_between(const BitMatrix& a, int passes, const DiskModel& disks) {
  const Subspace from = Subspace::of_bits(0, disks.b);
  const Subspace to = from.image(inverse(a));
  const Subspace common = intersection(from, to);
  Subspace reached = common;
  std::vector<Bits> leaving, arriving;
  for (const Bits x : from.basis())
    if (reached.add(x)) leaving.push_back(x);
  reached = common;
  for (const Bits x : to.basis())
    if (reached.add(x)) arriving.push_back(x);
  std::vector<BitMatrix> layouts;
  for (int step = 1; step < passes; ++step) {
    std::vector<Bits> basis = common.basis();
    const int exchanged = step * (disks.m - disks.b);
    for (std::size_t k = 0; k < leaving.size(); ++k)
      basis.push_back(std::cmp_less(k, exchanged) ? arriving[k] : leaving[k]);
    Subspace all = Subspace::spanned(basis);
    for (int bit = 0; bit < disks.n; ++bit)
      if (all.add(Bits{1} << bit)) basis.push_back(Bits{1} << bit);
    layouts.push_back(inverse(BitMatrix::from_columns(disks.n, basis)));
  }
  layouts.push_back(a);
  return layouts;
}

}  // namespace

std::vector<Pass> dispersal_factors(const Bmmc& permutation, const DiskModel& disks,
                                    SwapOrder order) {
  check(disks);
  check(permutation, disks);
  return passes_of(dispersal_matrices(permutation.matrix, disks, order), PassKind::mld,
                   PassKind::mld, PassKind::mrc, permutation, disks);
}

std::vector<Pass> factored(const Bmmc& permutation, const DiskModel& disks) {
  check(disks);
  check(permutation, disks);
  const BitMatrix& a = permutation.matrix;
  if (is_mrc(a, disks)) return {make_pass(PassKind::mrc, permutation, disks)};
  if (is_mld(a, disks)) return {make_pass(PassKind::mld, permutation, disks)};
  if (is_mld_inverse(a, disks)) return {make_pass(PassKind::mld_inverse, permutation, disks)};
  std::vector<Pass> best;
  std::int64_t least = 0;
  for (const SwapOrder order : {SwapOrder::highest_first, SwapOrder::lowest_first})
    for (const bool backward : {false, true}) {
      std::vector<Pass> passes = backward ? gathering_factors(permutation, disks, order)
                                          : dispersal_factors(permutation, disks, order);
      const std::int64_t crossed = crossing(passes, disks);
      if (!best.empty() && crossed >= least) continue;
      best = std::move(passes);
      least = crossed;
    }
  return best;
}

std::vector<Pass> grouped_factors(const Bmmc& permutation, const DiskModel& disks) {
  check(disks);
  check(permutation, disks);
  const int apart = rank_gamma(permutation.matrix, disks);
  const int at_once = disks.m - disks.b;
  const int passes = std::max(1, (apart + at_once - 1) / at_once);
  std::vector<BitMatrix> matrices;
  BitMatrix before = BitMatrix::identity(disks.n);
  for (const BitMatrix& layout : layouts_between(permutation.matrix, passes, disks)) {
    matrices.push_back(layout * inverse(before));
    before = layout;
  }
  return passes_of(matrices, PassKind::grouped, PassKind::grouped, PassKind::grouped, permutation,
                   disks);
}

}  // namespace weft::ooc
