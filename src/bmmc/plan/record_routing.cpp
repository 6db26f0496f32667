#include "bmmc/plan/record_routing.hpp"

#include <algorithm>
#include <bit>

#include <weft/error.hpp>

namespace weft::bmmc {
namespace {

/// Returns the slot of an index difference in the span.
Bits slot_of(const Subspace& span, Bits difference) {
  Bits slot = 0;
  int position = 0;
  for (Bits rest = span.pivot_bits(); rest != 0; rest &= rest - 1)
    slot |= (difference >> std::countr_zero(rest) & 1) << position++;
  return slot;
}

/// Returns a basis of the same space. It begins with neighbours in the target, followed by
/// neighbours in the source: one bit more of each than a cache line has. So records are copied in
/// small squares for every permutation.
std::vector<Bits> in_squares(const std::vector<Bits>& basis, const BitMatrix& slots) {
  constexpr int lg_edge = 5;
  const Subspace whole = Subspace::spanned(basis);
  Subspace chosen;
  std::vector<Bits> ordered;
  const auto add = [&](Bits x) {
    x = chosen.reduced(x);
    if (chosen.add(x)) ordered.push_back(x);
  };
  const BitMatrix back = inverse(slots);
  for (int bit = 0; bit < std::min(lg_edge, slots.rows()); ++bit) {
    const Bits x = back.apply(Bits{1} << bit);
    if (whole.contains(x)) add(x);
  }
  for (int bit = 0; bit < std::min(lg_edge, slots.rows()); ++bit)
    if (whole.contains(Bits{1} << bit)) add(Bits{1} << bit);
  for (const Bits x : whole.basis()) add(x);
  return ordered;
}

}  // namespace

RecordRouting::RecordRouting(const PermutationPass& pass, const DiskModel& disks)
    : disks_(disks),
      permutation_(pass.permutation),
      source_(source_side(pass, disks)),
      target_(target_side(pass, disks)) {
  if (disks.p > 0 && (source_.lg_at_once != disks.d || target_.lg_at_once != disks.d))
    throw Error(ErrorCode::internal, "a pass of processors uses all disks alike");
  const Bits free = bit_range(0, disks.n) & ~source_.span.pivot_bits();
  for (int bit = 0; bit < disks.n; ++bit)
    if ((free >> bit & 1) != 0) group_firsts_.push_back(Bits{1} << bit);
  for (const Bits x : source_.span.basis())
    slot_columns_.push_back(slot_of(target_.span, permutation_.matrix.apply(x)));
  find_messages();
}

void RecordRouting::find_messages() {
  const int size = source_.span.dimension();
  const Bits processors = slot_of_processor((1 << disks_.p) - 1);
  // reaching_ has slots of processor 0 that go to other processors. Combinations of slots that go
  // to the same processor span the slots of a message.
  std::vector<Bits> stay;
  reaching_.assign(std::size_t{1} << disks_.p, std::nullopt);
  reaching_[0] = 0;
  for (int bit = 0; bit < size; ++bit) {
    Bits x = Bits{1} << bit;
    if ((x & processors) != 0) continue;
    const auto difference = static_cast<std::size_t>(processor_of(target_slot(x)));
    if (reaching_[difference]) {
      stay.push_back(x ^ *reaching_[difference]);
      continue;
    }
    for (std::size_t other = 0; other < reaching_.size(); ++other)
      if (reaching_[other] && !reaching_[other ^ difference])
        reaching_[other ^ difference] = *reaching_[other] ^ x;
  }
  const BitMatrix slots = BitMatrix::from_columns(size, slot_columns_);
  for (const Bits x : in_squares(stay, slots)) {
    from_columns_.push_back(local(x));
    to_columns_.push_back(local(target_slot(x)));
  }
}

RecordGroup RecordRouting::group(Bits number) const {
  RecordGroup group;
  group.source_first = combined(group_firsts_, number);
  const Bits goes_to = permutation_.target(group.source_first);
  // The first index of the group's targets. From there parallel I/Os go along the disks.
  group.target_first = target_.span.reduced(goes_to);
  group.shift = slot_of(target_.span, goes_to ^ group.target_first);
  return group;
}

std::vector<std::int64_t> RecordRouting::read_blocks(const RecordGroup& group, int processor,
                                                     Bits round) const {
  return blocks(source_, group.source_first, processor, round);
}

std::vector<std::int64_t> RecordRouting::written_blocks(const RecordGroup& group, int processor,
                                                        Bits round) const {
  return blocks(target_, group.target_first, processor, round);
}

std::vector<std::int64_t> RecordRouting::blocks(const GroupSide& side, Bits first, int processor,
                                                Bits round) const {
  const int lg_own = side.lg_at_once - disks_.p;
  const std::vector<Bits> basis = side.span.basis();
  std::vector<std::int64_t> result;
  for (Bits k = 0; k < Bits{1} << lg_own; ++k) {
    const Bits slot = (round << side.lg_at_once | k) << disks_.b | slot_of_processor(processor);
    const Bits index = first ^ combined(basis, slot);
    result.push_back(static_cast<std::int64_t>(index >> disks_.b));
  }
  return result;
}

std::optional<RecordRouting::MessagePlaces> RecordRouting::between(int from, int to,
                                                                   const RecordGroup& group) const {
  const Bits start = slot_of_processor(from);
  const int zero_goes_to = processor_of(target_slot(start) ^ group.shift);
  const std::optional<Bits>& reaching = reaching_[static_cast<std::size_t>(to ^ zero_goes_to)];
  if (!reaching) return std::nullopt;
  const Bits first = start ^ *reaching;
  return MessagePlaces{{local(first), from_columns_},
                       {local(target_slot(first) ^ group.shift), to_columns_}};
}

Bits RecordRouting::slot_of_processor(int processor) const {
  return static_cast<Bits>(processor) << (disks_.b + disks_.d - disks_.p);
}

int RecordRouting::processor_of(Bits slot) const {
  return static_cast<int>(slot >> (disks_.b + disks_.d - disks_.p) & bit_range(0, disks_.p));
}

Bits RecordRouting::local(Bits slot) const {
  const int first = disks_.b + disks_.d - disks_.p;
  const Bits above = first + disks_.p >= bits_max ? 0 : slot >> (first + disks_.p);
  return (slot & bit_range(0, first)) | above << first;
}

}  // namespace weft::bmmc
