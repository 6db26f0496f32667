#include "bmmc/plan/permutation_pass.hpp"

#include <bit>
#include <string>

#include <weft/error.hpp>

namespace weft::bmmc {
namespace {

Bits disk_bits(const DiskModel& disks) { return bit_range(disks.b, disks.b + disks.d); }

int disk_rank(const Subspace& group, const BitMatrix& a, const DiskModel& disks) {
  return rank_on(group, a, disks.b, disks.b + disks.d);
}

/// Returns a unit vector that, added to the group, raises the rank of the disk bits of A on the
/// group.
Bits reaching(const Subspace& group, const BitMatrix& a, const DiskModel& disks) {
  const int now = disk_rank(group, a, disks);
  for (int bit = 0; bit < disks.n; ++bit) {
    Subspace larger = group;
    if (larger.add(Bits{1} << bit) && disk_rank(larger, a, disks) > now) return Bits{1} << bit;
  }
  throw Error(ErrorCode::internal, "a nonsingular matrix reaches all disks");
}

/// Returns a vector that reaches further disks on both sides. It is one of three vectors: one for
/// each side, and their sum. One of these suffices, because a vector space is not the union of two
/// smaller spaces.
Bits reaching_both(const Subspace& group, const BitMatrix& a, const BitMatrix& identity,
                   const DiskModel& disks) {
  const Bits one = reaching(group, identity, disks);
  const Bits other = reaching(group, a, disks);
  for (const Bits x : {one, other, one ^ other}) {
    Subspace larger = group;
    larger.add(x);
    if (disk_rank(larger, identity, disks) > disk_rank(group, identity, disks) &&
        disk_rank(larger, a, disks) > disk_rank(group, a, disks))
      return x;
  }
  throw Error(ErrorCode::internal, "two proper subspaces do not cover all vectors");
}

Subspace balanced_group(const BitMatrix& a, const DiskModel& disks) {
  const BitMatrix identity = BitMatrix::identity(disks.n);
  const Subspace offsets = Subspace::of_bits(0, disks.b);
  Subspace group = offsets;
  group.add(offsets.image(inverse(a)));
  while (group.dimension() < disks.m) {
    const bool source_short = disk_rank(group, identity, disks) < disks.d;
    const bool target_short = disk_rank(group, a, disks) < disks.d;
    if (source_short && target_short)
      group.add(reaching_both(group, a, identity, disks));
    else if (source_short || target_short)
      group.add(reaching(group, source_short ? identity : a, disks));
    else
      break;
  }
  return group;
}

bool is_of_kind(PassKind kind, const BitMatrix& a, const DiskModel& disks) {
  switch (kind) {
    case PassKind::mrc:
      return is_mrc(a, disks);
    case PassKind::mld:
      return is_mld(a, disks);
    case PassKind::mld_inverse:
      return is_mld_inverse(a, disks);
    case PassKind::grouped:
      return rank_gamma(a, disks) <= disks.m - disks.b;
  }
  return false;
}

Subspace group_of(PassKind kind, const BitMatrix& a, const DiskModel& disks) {
  const Subspace memoryload = Subspace::of_bits(0, disks.m);
  if (kind == PassKind::grouped) return balanced_group(a, disks);
  return kind == PassKind::mld_inverse ? memoryload.image(inverse(a)) : memoryload;
}

GroupSide side_of(const Subspace& span, const DiskModel& disks) {
  GroupSide side;
  side.span = span;
  side.lg_at_once = std::popcount(disk_bits(disks) & span.pivot_bits());
  side.lg_rounds = span.dimension() - disks.b - side.lg_at_once;
  return side;
}

}  // namespace

const char* word_of(PassKind kind) {
  switch (kind) {
    case PassKind::mrc:
      return "MRC";
    case PassKind::mld:
      return "MLD";
    case PassKind::mld_inverse:
      return "MLD^-1";
    case PassKind::grouped:
      return "grouped";
  }
  return "unknown";
}

PermutationPass make_pass(PassKind kind, const Bmmc& permutation, const DiskModel& disks) {
  if (!is_of_kind(kind, permutation.matrix, disks))
    throw Error(ErrorCode::internal, std::string("a factor is not of its class, ") + word_of(kind));
  return {kind, permutation, group_of(kind, permutation.matrix, disks)};
}

std::vector<PermutationPass> make_passes(const std::vector<BitMatrix>& matrices,
                                         const PassKinds& kinds, const Bmmc& permutation,
                                         const DiskModel& disks) {
  std::vector<PermutationPass> passes;
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    const bool is_last = k + 1 == matrices.size();
    const PassKind kind = is_last ? kinds.last : k == 0 ? kinds.first : kinds.middle;
    passes.push_back(make_pass(kind, {matrices[k], is_last ? permutation.complement : 0}, disks));
  }
  if (composed(passes, disks.n) != permutation)
    throw Error(ErrorCode::internal, "the factors of a permutation do not compose to it");
  return passes;
}

GroupSide source_side(const PermutationPass& pass, const DiskModel& disks) {
  return side_of(pass.group, disks);
}

GroupSide target_side(const PermutationPass& pass, const DiskModel& disks) {
  return side_of(pass.group.image(pass.permutation.matrix), disks);
}

std::int64_t parallel_ios(const PermutationPass& pass, const DiskModel& disks) {
  const int lg_groups = disks.n - pass.group.dimension();
  return (std::int64_t{1} << (lg_groups + source_side(pass, disks).lg_rounds)) +
         (std::int64_t{1} << (lg_groups + target_side(pass, disks).lg_rounds));
}

std::int64_t parallel_ios(const std::vector<PermutationPass>& passes, const DiskModel& disks) {
  std::int64_t total = 0;
  for (const PermutationPass& pass : passes) total += parallel_ios(pass, disks);
  return total;
}

Bmmc composed(const std::vector<PermutationPass>& passes, int n) {
  Bmmc all{BitMatrix::identity(n)};
  for (const PermutationPass& pass : passes) all = composed(all, pass.permutation);
  return all;
}

}  // namespace weft::bmmc
