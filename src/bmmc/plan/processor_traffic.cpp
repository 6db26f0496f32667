#include "bmmc/plan/processor_traffic.hpp"

#include <algorithm>

#include <weft/error.hpp>

namespace weft::bmmc {
namespace {

/// The processor rows of a matrix: p x n.
BitMatrix processor_rows(const BitMatrix& a, const DiskModel& disks) {
  const int first = disks.b + disks.d - disks.p;
  return a.block(first, first + disks.p, 0, disks.n);
}

/// Returns the processor rows of I + A. These map an index to the change of its processor, without
/// the complement.
BitMatrix processor_change(const Bmmc& permutation, const DiskModel& disks) {
  return processor_rows(BitMatrix::identity(disks.n), disks) +
         processor_rows(permutation.matrix, disks);
}

Bits shift_of(const Bmmc& permutation, const DiskModel& disks) {
  return permutation.complement >> (disks.b + disks.d - disks.p) & bit_range(0, disks.p);
}

/// Returns the number of records that leave a processor. A record stays if its change is 0. If 0 is
/// a possible change, 2^-dimension of the records stay. Otherwise none stay.
std::int64_t records_that_leave(const Subspace& changes, Bits shift, const DiskModel& disks) {
  const std::int64_t records = std::int64_t{1} << (disks.n - disks.p);
  return records - (changes.contains(shift) ? records >> changes.dimension() : 0);
}

}  // namespace

ProcessorTraffic processor_traffic(const PermutationPass& pass, const DiskModel& disks) {
  const BitMatrix owner = processor_rows(BitMatrix::identity(disks.n), disks);
  const BitMatrix moved = processor_change(pass.permutation, disks);
  const Bits shift = shift_of(pass.permutation, disks);

  const Subspace own = Subspace::spanned(kernel(owner));  // indices of processor 0
  const Subspace own_in_load = intersection(own, pass.group);
  if (pass.group.dimension() - own_in_load.dimension() != disks.p)
    throw Error(ErrorCode::internal, "a load of memory is not spread evenly over the processors");
  const Subspace to_in_load = own_in_load.image(moved);
  const Subspace to = own.image(moved);
  const Subspace all = Subspace::of_bits(0, disks.n).image(moved);

  // The changes of processor in one load of processor q form a coset of to_in_load. If the coset
  // contains 0, one part stays on q. All loads of q together cover shift + moved(q) + to evenly.
  ProcessorTraffic result;
  result.rank = all.dimension();
  result.alike = all.dimension() == to.dimension();
  const std::int64_t loads = std::int64_t{1} << (disks.n - pass.group.dimension());
  const std::int64_t parts = std::int64_t{1} << to_in_load.dimension();
  const std::int64_t loads_kept = loads >> (to.dimension() - to_in_load.dimension());
  const bool all_keep = result.alike && to.contains(shift);
  result.messages = loads * parts - (all_keep ? loads_kept : 0);
  result.records = records_that_leave(all, shift, disks);
  return result;
}

std::int64_t least_crossing(const Bmmc& permutation, const DiskModel& disks) {
  const Subspace changes =
      Subspace::of_bits(0, disks.n).image(processor_change(permutation, disks));
  return records_that_leave(changes, shift_of(permutation, disks), disks);
}

std::int64_t processor_traffic(const std::vector<PermutationPass>& passes, const DiskModel& disks) {
  std::int64_t records = 0;
  for (const PermutationPass& pass : passes) records += processor_traffic(pass, disks).records;
  return records;
}

}  // namespace weft::bmmc
