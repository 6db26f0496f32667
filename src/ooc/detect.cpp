#include "ooc/detect.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

namespace weft::ooc {
namespace {

/// Reads targets by parallel I/Os and counts these.
class TargetReader {
 public:
  TargetReader(BlockStore& store, const DiskModel& disks) : store_(store), disks_(disks) {}

  /// Targets of the indices in these blocks, block after block.
  std::span<const std::uint64_t> read(const std::vector<BlockPlace>& places) {
    targets_.resize(places.size() << disks_.b);
    store_.read(places, std::as_writable_bytes(std::span(targets_)));
    ++reads_;
    return targets_;
  }
  std::int64_t reads() const { return reads_; }

 private:
  BlockStore& store_;
  DiskModel disks_;
  std::vector<std::uint64_t> targets_;
  std::int64_t reads_ = 0;
};

/// For each disk the blocks that are read to know the candidate: that of index 0, those whose only
/// bit is one of the disk's, and for each bit of the stripe one on the disk that has the fewest.
std::vector<std::vector<BlockPlace>> telling_blocks(const DiskModel& disks) {
  std::vector<std::vector<BlockPlace>> of_disk(std::size_t{1} << disks.d);
  of_disk[0].push_back({0, 0});
  for (int k = 0; k < disks.d; ++k)
    of_disk[std::size_t{1} << k].push_back({std::int64_t{1} << k, 0});
  const auto shorter = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  for (int k = 0; k < disks.n - disks.b - disks.d; ++k) {
    const auto least = std::min_element(of_disk.begin(), of_disk.end(), shorter);
    least->push_back({least - of_disk.begin(), std::int64_t{1} << k});
  }
  return of_disk;
}

/// Indices and targets that tell the candidate: index 0 first, then n independent ones.
struct Samples {
  std::vector<Bits> indices;
  std::vector<Bits> targets;
};

Samples read_samples(TargetReader& reader, const DiskModel& disks) {
  const std::vector<std::vector<BlockPlace>> of_disk = telling_blocks(disks);
  Samples samples;
  for (std::size_t round = 0;; ++round) {
    std::vector<BlockPlace> places;
    for (const auto& blocks : of_disk)
      if (round < blocks.size()) places.push_back(blocks[round]);
    if (places.empty()) return samples;
    const std::span<const std::uint64_t> targets = reader.read(places);
    for (std::size_t k = 0; k < places.size(); ++k) {
      const Bits block = static_cast<Bits>(places[k].stripe << disks.d | places[k].disk);
      samples.indices.push_back(block << disks.b);
      samples.targets.push_back(targets[k << disks.b]);
      for (int bit = 0; block == 0 && bit < disks.b; ++bit) {
        samples.indices.push_back(Bits{1} << bit);
        samples.targets.push_back(targets[(k << disks.b) + (std::size_t{1} << bit)]);
      }
    }
  }
}

/// The one map x -> A x xor c that gives the samples their targets.
std::optional<Bmmc> candidate_of(const Samples& samples, const DiskModel& disks) {
  for (const Bits target : samples.targets)
    if ((target & ~bit_range(0, disks.n)) != 0) return std::nullopt;
  const Bits complement = samples.targets.front();
  std::vector<Bits> linear;
  for (const Bits target : samples.targets) linear.push_back(target ^ complement);
  const std::vector<Bits> indices(samples.indices.begin() + 1, samples.indices.end());
  const std::vector<Bits> images(linear.begin() + 1, linear.end());
  const BitMatrix a =
      BitMatrix::from_columns(disks.n, images) * inverse(BitMatrix::from_columns(disks.n, indices));
  if (!is_nonsingular(a)) return std::nullopt;
  return Bmmc{a, complement};
}

bool all_agree(TargetReader& reader, const Bmmc& candidate, const DiskModel& disks) {
  // From x to x + 1 the bits up to the lowest 0 of x change: one word operation a record.
  std::vector<Bits> change;
  for (int bit = 0; bit < disks.n; ++bit)
    change.push_back(candidate.matrix.column(bit) ^ (bit > 0 ? change.back() : 0));
  change.push_back(0);  // after the last record
  Bits expected = candidate.complement;
  Bits x = 0;
  for (std::int64_t stripe = 0; stripe < disks.stripes(); ++stripe) {
    std::vector<BlockPlace> places;
    for (std::int64_t disk = 0; disk < std::int64_t{1} << disks.d; ++disk)
      places.push_back({disk, stripe});
    for (const std::uint64_t target : reader.read(places)) {
      if (target != expected) return false;
      expected ^= change[static_cast<std::size_t>(std::countr_zero(++x))];
    }
  }
  return true;
}

}  // namespace

Detection detect(BlockStore& targets, const DiskModel& disks) {
  check(disks);
  TargetReader reader(targets, disks);
  Detection found;
  const std::optional<Bmmc> candidate = candidate_of(read_samples(reader, disks), disks);
  found.candidate_reads = reader.reads();
  if (candidate && all_agree(reader, *candidate, disks)) found.permutation = candidate;
  found.parallel_reads = reader.reads();
  return found;
}

}  // namespace weft::ooc
