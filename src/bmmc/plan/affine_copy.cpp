#include "bmmc/plan/affine_copy.hpp"

#include <bit>
#include <cstring>

namespace weft::bmmc {
namespace {

/// Returns the changes of a place from record j to j + 1. The index of a change is the number of
/// trailing ones of j, because all bits of j up to its lowest 0 change.
std::vector<Bits> steps_of(const std::vector<Bits>& columns, std::size_t skipped) {
  const Bits kept = ~bit_range(0, static_cast<int>(skipped));
  std::vector<Bits> steps;
  Bits sum = 0;
  for (std::size_t k = skipped; k < columns.size(); ++k) steps.push_back(sum ^= columns[k] & kept);
  steps.push_back(0);  // after the last record
  return steps;
}

/// Returns lg of the number of consecutive records that are neighbours, in the same order, in both
/// places.
std::size_t lg_run(const AffinePlaces& from, const AffinePlaces& to) {
  Bits different = from.first ^ to.first;
  for (std::size_t k = 0; k < from.columns.size(); ++k)
    different |= from.columns[k] ^ to.columns[k];
  std::size_t run = 0;
  const auto is_unit = [&](const AffinePlaces& places) {
    return places.columns[run] == Bits{1} << run;
  };
  while (run < from.columns.size() && is_unit(from) && is_unit(to) && (different >> run & 1) == 0)
    ++run;
  return run;
}

template <class Copy>
void for_each_run(const AffinePlaces& from, const AffinePlaces& to, std::size_t skipped,
                  Copy&& copy) {
  const std::vector<Bits> from_steps = steps_of(from.columns, skipped);
  const std::vector<Bits> to_steps = steps_of(to.columns, skipped);
  const Bits kept = ~bit_range(0, static_cast<int>(skipped));
  Bits here = from.first & kept;
  Bits there = to.first & kept;
  const Bits count = Bits{1} << (from.columns.size() - skipped);
  for (Bits j = 0; j < count; ++j) {
    copy(here, there);
    const auto changed = static_cast<std::size_t>(std::countr_one(j));
    here ^= from_steps[changed];
    there ^= to_steps[changed];
  }
}

struct Record16 {
  std::uint64_t parts[2];
};

template <class Record>
void copy_records(const char* source, const AffinePlaces& from, char* target,
                  const AffinePlaces& to) {
  for_each_run(from, to, 0, [&](Bits here, Bits there) {
    Record record;
    std::memcpy(&record, source + here * sizeof(Record), sizeof(Record));
    std::memcpy(target + there * sizeof(Record), &record, sizeof(Record));
  });
}

}  // namespace

Bits combined(const std::vector<Bits>& vectors, Bits combination) {
  Bits sum = 0;
  for (; combination != 0; combination &= combination - 1)
    sum ^= vectors[static_cast<std::size_t>(std::countr_zero(combination))];
  return sum;
}

void copy_affine(const char* source, const AffinePlaces& from, char* target, const AffinePlaces& to,
                 std::size_t record_bytes) {
  const std::size_t run = lg_run(from, to);
  if (run < 2 && record_bytes == 8) return copy_records<std::uint64_t>(source, from, target, to);
  if (run < 2 && record_bytes == 16) return copy_records<Record16>(source, from, target, to);
  const std::size_t bytes = record_bytes << run;
  for_each_run(from, to, run, [&](Bits here, Bits there) {
    std::memcpy(target + there * record_bytes, source + here * record_bytes, bytes);
  });
}

}  // namespace weft::bmmc
