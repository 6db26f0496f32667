#include "bmmc/plan/superlevel.hpp"

#include <bit>

#include <weft/error.hpp>

#include "bmmc/plan/permutations.hpp"

namespace weft::bmmc {
namespace {

/// The parts of an index on the disks: the place in a processor's memory, the processor's number,
/// and the load's number.
enum class IndexPart { slot, processor, load };
/// A bit of an index on the disks, by its number in its part.
struct BitPlace {
  IndexPart part = IndexPart::slot;
  int bit = 0;
};

BitPlace place_of(int disk_bit, int lg_load, const DiskModel& disks) {
  const int first_processor_bit = disks.b + disks.d - disks.p;
  if (disk_bit >= lg_load) return {IndexPart::load, disk_bit - lg_load};
  if (disk_bit >= first_processor_bit + disks.p) return {IndexPart::slot, disk_bit - disks.p};
  if (disk_bit >= first_processor_bit)
    return {IndexPart::processor, disk_bit - first_processor_bit};
  return {IndexPart::slot, disk_bit};
}

/// Returns the frequency bit that a bit of the logical index has after this superlevel. Returns 0
/// if a later stage computes it. After each superlevel, a rotation moves the finished frequency
/// bits to the top of the index. This superlevel computes the next ones, in the lowest `depth`
/// bits.
Bits frequency_of(int bit, const Superlevel& level, int n) {
  if (bit >= n - level.stages_done) return Bits{1} << (bit - (n - level.stages_done));
  return bit < level.depth ? Bits{1} << (bit + level.stages_done) : 0;
}

bool continues_step(const ButterflyStep& step, const BitPlace& place) {
  return step.is_local && place.part == IndexPart::slot && step.stages < most_stages_of_a_sweep &&
         place.bit == step.first_slot + step.stages;
}

}  // namespace

BitMatrix placement(int lg_band, const DiskModel& disks) {
  const int first_processor_bit = disks.b + disks.d - disks.p;
  std::vector<int> target;
  for (int bit = 0; bit < disks.n; ++bit) {
    if (bit < first_processor_bit || bit >= lg_band)
      target.push_back(bit);
    else
      target.push_back(bit < lg_band - disks.p ? bit + disks.p
                                               : bit - (lg_band - disks.p) + first_processor_bit);
  }
  return bit_permutation(target);
}

Superlevel superlevel(int depth, int stages_done, int lg_load, const BitMatrix& place,
                      const DiskModel& disks) {
  Superlevel level{.depth = depth, .stages_done = stages_done, .lg_load = lg_load};
  level.slot_frequency.resize(static_cast<std::size_t>(lg_load - disks.p));
  level.processor_frequency.resize(static_cast<std::size_t>(disks.p));
  level.load_frequency.resize(static_cast<std::size_t>(disks.n - lg_load));
  for (int bit = 0; bit < disks.n; ++bit) {
    const BitPlace at = place_of(std::countr_zero(place.column(bit)), lg_load, disks);
    auto& frequencies = at.part == IndexPart::slot        ? level.slot_frequency
                        : at.part == IndexPart::processor ? level.processor_frequency
                                                          : level.load_frequency;
    frequencies[static_cast<std::size_t>(at.bit)] = frequency_of(bit, level, disks.n);
    if (bit >= depth) continue;
    if (at.part == IndexPart::load)
      throw Error(ErrorCode::internal, "a butterfly of a superlevel needs records of two loads");
    if (!level.steps.empty() && continues_step(level.steps.back(), at))
      ++level.steps.back().stages;
    else if (at.part == IndexPart::slot)
      level.steps.push_back({.first_stage = bit, .first_slot = at.bit});
    else
      level.steps.push_back({.first_stage = bit, .is_local = false, .processor_bit = at.bit});
  }
  return level;
}

}  // namespace weft::bmmc
