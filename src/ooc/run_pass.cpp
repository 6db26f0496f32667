#include "ooc/run_pass.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include <weft/error.hpp>

namespace weft::ooc {
namespace {

// A slot is a place in memory, in records. Its bits are coordinates in the basis of a side's span,
// whose pivots ascend: the offsets in a block (all of them, since blocks are whole), then bits of
// the disk, then others. Vectors with higher pivots have no disk bits, so that blocks whose slots
// differ in the disk's coordinates alone are those of one parallel I/O.
/// The slot of an index difference that lies in the span.
Bits slot_of(const Subspace& span, Bits difference) {
  Bits slot = 0;
  int position = 0;
  for (const int pivot : span.pivots()) slot |= (difference >> pivot & 1) << position++;
  return slot;
}

/// The sum of those vectors that `combination` names.
Bits combined(const std::vector<Bits>& vectors, Bits combination) {
  Bits sum = 0;
  for (; combination != 0; combination &= combination - 1)
    sum ^= vectors[static_cast<std::size_t>(std::countr_zero(combination))];
  return sum;
}

}  // namespace

PassRunner::PassRunner(const Pass& pass, const DiskModel& disks, std::size_t record_bytes)
    : disks_(disks),
      permutation_(pass.permutation),
      source_(source_side(pass, disks)),
      target_(target_side(pass, disks)),
      record_bytes_(record_bytes),
      memory_bytes_(record_bytes << disks.m),
      moved_(std::size_t{1} << pass.group.dimension()) {
  if (record_bytes == 0)
    throw Error(ErrorCode::invalid_argument,
                "a record has at least 1 byte; given 0; give the bytes of a record");
  const Bits free = bit_range(0, disks.n) & ~source_.span.pivot_bits();
  for (int bit = 0; bit < disks.n; ++bit)
    if ((free >> bit & 1) != 0) group_firsts_.push_back(Bits{1} << bit);
  for (const Bits x : source_.span.basis())
    slot_columns_.push_back(slot_of(target_.span, permutation_.matrix.apply(x)));
}

std::vector<BlockPlace> PassRunner::places(const GroupSide& side, Bits first, Bits round) const {
  std::vector<BlockPlace> result;
  for (Bits k = 0; k < Bits{1} << side.lg_at_once; ++k) {
    const Bits slot = (round << side.lg_at_once | k) << disks_.b;
    const Bits block = (first ^ combined(side.span.basis(), slot)) >> disks_.b;
    result.push_back({static_cast<std::int64_t>(block & bit_range(0, disks_.d)),
                      static_cast<std::int64_t>(block >> disks_.d)});
  }
  return result;
}

void PassRunner::run(BlockStore& source, BlockStore& target, std::span<std::byte> memory) {
  if (memory.size() < memory_bytes_)
    throw Error(ErrorCode::invalid_argument,
                "a pass needs M records of memory: " + std::to_string(memory_bytes_) +
                    " bytes; given " + std::to_string(memory.size()) +
                    "; give more, or plan with a smaller M");
  const std::size_t block_bytes = record_bytes_ << disks_.b;
  for (Bits group = 0; group < Bits{1} << group_firsts_.size(); ++group) {
    const Bits first = combined(group_firsts_, group);
    const Bits goes_to = permutation_.target(first);
    const auto part = [&](const GroupSide& side, Bits round) {
      const std::size_t bytes = block_bytes << side.lg_at_once;
      return memory.subspan(static_cast<std::size_t>(round) * bytes, bytes);
    };
    for (Bits round = 0; round < Bits{1} << source_.lg_rounds; ++round)
      source.read(places(source_, first, round), part(source_, round));
    // The first index of the group's targets: rounds then go along the disks.
    const Bits target_first = target_.span.reduced(goes_to);
    permute(memory, slot_of(target_.span, goes_to ^ target_first));
    for (Bits round = 0; round < Bits{1} << target_.lg_rounds; ++round)
      target.write(places(target_, target_first, round), part(target_, round));
  }
}

void PassRunner::permute(std::span<std::byte> memory, Bits shift) {
  std::fill(moved_.begin(), moved_.end(), false);
  std::vector<std::byte> held(record_bytes_), next(record_bytes_);
  for (std::size_t start = 0; start < moved_.size(); ++start) {
    if (moved_[start]) continue;
    // Along the cycle, each record takes the place of the next one.
    std::memcpy(held.data(), memory.data() + start * record_bytes_, record_bytes_);
    std::size_t slot = start;
    do {
      slot = combined(slot_columns_, slot) ^ shift;
      std::byte* place = memory.data() + slot * record_bytes_;
      std::memcpy(next.data(), place, record_bytes_);
      std::memcpy(place, held.data(), record_bytes_);
      held.swap(next);
      moved_[slot] = true;
    } while (slot != start);
  }
}

void run_passes(const std::vector<Pass>& passes, const DiskModel& disks, std::size_t record_bytes,
                BlockStore& one, BlockStore& other, std::span<std::byte> memory) {
  BlockStore* from = &one;
  BlockStore* to = &other;
  for (const Pass& pass : passes) {
    PassRunner(pass, disks, record_bytes).run(*from, *to, memory);
    std::swap(from, to);
  }
}

}  // namespace weft::ooc
