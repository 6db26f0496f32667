#include "bmmc/run/detect.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "base/memory.hpp"

namespace weft::bmmc {
namespace {

/// Reads targets by parallel I/Os and counts them.
class TargetReader {
 public:
  TargetReader(disk::Volume& volume, const DiskModel& disks) : volume_(volume), disks_(disks) {
    for (AlignedBuffer& buffer : buffers_)
      buffer = AlignedBuffer(std::int64_t{sizeof(std::uint64_t)} << (disks.b + disks.d));
  }
  TargetReader(const TargetReader&) = delete;
  TargetReader& operator=(const TargetReader&) = delete;
  ~TargetReader() {
    try {
      if (reading_.blocks > 0) volume_.wait(reading_.ticket);
    } catch (...) {  // report the error that came first
    }
  }

  /// Starts one parallel I/O; only one is in progress at a time.
  void start(const std::vector<std::int64_t>& blocks) {
    const std::int64_t bytes = std::int64_t{sizeof(std::uint64_t)} << disks_.b;
    std::vector<disk::Run> runs;
    std::byte* memory = buffers_.at(turn_).as<std::byte>();
    for (const std::int64_t block : blocks) {
      runs.push_back({block * bytes, bytes, memory});
      memory += bytes;
    }
    reading_ = {volume_.start_read(runs), blocks.size()};
    ++reads_;
  }

  /// Returns the targets of the indices in the started blocks, block after block. They are valid
  /// until start() has been called twice more.
  std::span<const std::uint64_t> wait() {
    const StartedRead read = std::exchange(reading_, {});
    volume_.wait(read.ticket);
    const auto* targets = buffers_.at(turn_).as<const std::uint64_t>();
    turn_ = 1 - turn_;
    return {targets, read.blocks << disks_.b};
  }

  std::int64_t reads() const { return reads_; }

 private:
  struct StartedRead {
    disk::Volume::Ticket ticket = 0;
    std::size_t blocks = 0;
  };

  disk::Volume& volume_;
  DiskModel disks_;
  std::array<AlignedBuffer, 2> buffers_;
  std::size_t turn_ = 0;
  StartedRead reading_;
  std::int64_t reads_ = 0;
};

/// Returns for each disk the blocks to read for the candidate: the block of index 0, and the blocks
/// whose disk number has a single bit. Each bit of the stripe adds one block, on the disk with the
/// fewest blocks so far.
std::vector<std::vector<std::int64_t>> blocks_of_candidate(const DiskModel& disks) {
  std::vector<std::vector<std::int64_t>> of_disk(std::size_t{1} << disks.d);
  of_disk[0].push_back(0);
  for (int k = 0; k < disks.d; ++k) of_disk[std::size_t{1} << k].push_back(std::int64_t{1} << k);
  const auto shorter = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  for (int k = 0; k < disks.n - disks.b - disks.d; ++k) {
    const auto least = std::min_element(of_disk.begin(), of_disk.end(), shorter);
    least->push_back((least - of_disk.begin()) | std::int64_t{1} << (k + disks.d));
  }
  return of_disk;
}

/// Indices and targets that determine the candidate: index 0 first, then n independent ones.
struct Samples {
  std::vector<Bits> indices;
  std::vector<Bits> targets;
};

Samples read_samples(TargetReader& reader, const DiskModel& disks) {
  const std::vector<std::vector<std::int64_t>> of_disk = blocks_of_candidate(disks);
  Samples samples;
  for (std::size_t round = 0;; ++round) {
    std::vector<std::int64_t> read;
    for (const auto& blocks : of_disk)
      if (round < blocks.size()) read.push_back(blocks[round]);
    if (read.empty()) return samples;
    reader.start(read);
    const std::span<const std::uint64_t> targets = reader.wait();
    for (std::size_t k = 0; k < read.size(); ++k) {
      const auto block = static_cast<Bits>(read[k]);
      samples.indices.push_back(block << disks.b);
      samples.targets.push_back(targets[k << disks.b]);
      for (int bit = 0; block == 0 && bit < disks.b; ++bit) {
        samples.indices.push_back(Bits{1} << bit);
        samples.targets.push_back(targets[(k << disks.b) + (std::size_t{1} << bit)]);
      }
    }
  }
}

/// Returns the only map x -> A x xor c that gives the samples their targets.
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

std::vector<std::int64_t> blocks_of_stripe(std::int64_t stripe, const DiskModel& disks) {
  std::vector<std::int64_t> blocks;
  for (std::int64_t disk = 0; disk < std::int64_t{1} << disks.d; ++disk)
    blocks.push_back(stripe << disks.d | disk);
  return blocks;
}

bool all_agree(TargetReader& reader, const Bmmc& candidate, const DiskModel& disks) {
  // From x to x + 1 the bits up to the lowest 0 of x change: one word operation per record.
  std::vector<Bits> change;
  for (int bit = 0; bit < disks.n; ++bit)
    change.push_back(candidate.matrix.column(bit) ^ (bit > 0 ? change.back() : 0));
  change.push_back(0);  // after the last record
  Bits expected = candidate.complement;
  Bits x = 0;
  reader.start(blocks_of_stripe(0, disks));
  for (std::int64_t stripe = 0; stripe < disks.stripes(); ++stripe) {
    const std::span<const std::uint64_t> targets = reader.wait();
    if (stripe + 1 < disks.stripes()) reader.start(blocks_of_stripe(stripe + 1, disks));
    for (const std::uint64_t target : targets) {
      if (target != expected) return false;
      expected ^= change[static_cast<std::size_t>(std::countr_zero(++x))];
    }
  }
  return true;
}

}  // namespace

Detection detect(disk::Volume& targets, const DiskModel& disks) {
  check(disks);
  TargetReader reader(targets, disks);
  Detection found;
  const std::optional<Bmmc> candidate = candidate_of(read_samples(reader, disks), disks);
  found.candidate_reads = reader.reads();
  if (candidate && all_agree(reader, *candidate, disks)) found.permutation = candidate;
  found.parallel_reads = reader.reads();
  return found;
}

}  // namespace weft::bmmc
