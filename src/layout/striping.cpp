#include "layout/striping.hpp"

#include <string>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "base/direct_io.hpp"

namespace weft {
namespace {

constexpr int most_disks = 1024;

[[noreturn]] void refuse(const std::string& rule, std::int64_t given, const std::string& remedy) {
  throw Error(ErrorCode::invalid_argument,
              rule + "; given " + std::to_string(given) + "; " + remedy);
}

std::int64_t stripe_bytes(const Striping& striping) {
  return checked_mul(striping.block_bytes, striping.disks, "the bytes of a stripe");
}

/// Returns the number of units that `number` needs; the last one may be incomplete. Uses no
/// product, which could exceed 64 bits.
std::int64_t units_of(std::int64_t number, std::int64_t unit) {
  return number / unit + (number % unit != 0 ? 1 : 0);
}

std::int64_t digit_sum(std::int64_t number, std::int64_t base) {
  std::int64_t sum = 0;
  for (; number > 0; number /= base) sum += number % base;
  return sum;
}

std::int64_t band_blocks(const Striping& striping) {
  return striping.band_bytes == 0 ? striping.disks : striping.band_bytes / striping.block_bytes;
}

}  // namespace

void check(const Striping& striping) {
  if (striping.bytes < 0) refuse("an array has at least 0 bytes", striping.bytes, "give its bytes");
  if (striping.disks < 1 || striping.disks > most_disks)
    refuse("a set has 1 to " + std::to_string(most_disks) + " disks", striping.disks,
           "name other directories");
  if (striping.block_bytes < direct_io_alignment_bytes ||
      striping.block_bytes % direct_io_alignment_bytes != 0)
    refuse("a block must be a multiple of " + std::to_string(direct_io_alignment_bytes) + " bytes",
           striping.block_bytes, "for example 65536");
  if (striping.processors < 1 || striping.disks % striping.processors != 0)
    refuse("processors must be a divisor of the number of disks, which is " +
               std::to_string(striping.disks),
           striping.processors, "give each as many disks");
  if (striping.band_bytes < 0 || striping.band_bytes % stripe_bytes(striping) != 0)
    refuse("a band must be a multiple of a block on each disk, " +
               std::to_string(stripe_bytes(striping)) + " bytes",
           striping.band_bytes, "give such a multiple, or 0 for the smallest");
  if (striping.skew_rows < 0)
    refuse("the rows between shifts of disks must be at least 0", striping.skew_rows,
           "give 1, or 0 for no skew");
  // The size of the files must also fit in 64 bits.
  checked_mul(checked_mul(row_count(striping), striping.block_bytes, "the bytes of a disk"),
              striping.disks, "the bytes of all disks");
}

std::int64_t block_count(const Striping& striping) {
  return units_of(striping.bytes, striping.block_bytes);
}

std::int64_t row_count(const Striping& striping) {
  const std::int64_t band = band_blocks(striping);
  const std::int64_t bands = units_of(block_count(striping), band);
  return checked_mul(bands, band / striping.disks, "the blocks of a disk");
}

BlockPlace place_of(const Striping& striping, std::int64_t block) {
  const std::int64_t own_disks = striping.disks / striping.processors;
  const std::int64_t band = band_blocks(striping);
  const std::int64_t part = band / striping.processors;
  const std::int64_t within = block % band;
  const std::int64_t processor = within / part;
  const std::int64_t of_part = within % part;
  const std::int64_t row = block / band * (part / own_disks) + of_part / own_disks;
  const bool shifts = striping.skew_rows > 0 && own_disks > 1;
  const std::int64_t shift = shifts ? digit_sum(row / striping.skew_rows, own_disks) : 0;
  const std::int64_t own = (of_part + shift) % own_disks;
  return {static_cast<int>(processor * own_disks + own), row};
}

std::int64_t default_skew_rows(std::int64_t bytes, std::int64_t block_bytes, int disks) {
  if (disks < 2) return 0;
  const std::int64_t stripe = checked_mul(block_bytes, disks, "the bytes of a stripe");
  if (bytes == 0 || bytes % stripe != 0) return 1;
  std::int64_t rows = bytes / stripe;
  while (rows % 2 == 0) rows /= 2;
  return rows;
}

std::int64_t whole_band_bytes(const Striping& striping) {
  const std::int64_t stripe = stripe_bytes(striping);
  return checked_mul(units_of(striping.bytes > 0 ? striping.bytes : 1, stripe), stripe,
                     "the bytes of a band");
}

}  // namespace weft
