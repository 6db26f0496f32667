#include "ooc/ranks/shared_sets.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "comm/agreement.hpp"
#include "comm/pending.hpp"
#include "disk/set_index.hpp"

namespace weft::ooc {
namespace {

/// Gives all ranks the checksum of each block. The owner of a block knows its checksum.
void share_sums(disk::StripedSet& set, const FileOwnership& ownership,
                const comm::Communicator& comm) {
  constexpr std::int64_t not_mine = std::numeric_limits<std::int64_t>::max();
  std::vector<std::uint32_t>& sums = set.sums()->all();
  std::array<std::int64_t, 4096> part{};
  for (std::size_t first = 0; first < sums.size(); first += part.size()) {
    const std::size_t count = std::min(part.size(), sums.size() - first);
    for (std::size_t k = 0; k < count; ++k) {
      const auto block = static_cast<std::int64_t>(first + k);
      const bool mine =
          ownership.part_at(block * set.striping().block_bytes, 1).rank == comm.rank();
      part.at(k) = mine ? sums[first + k] : not_mine;
    }
    comm::PendingCall pending;
    comm.start_min(std::span(part).first(count), pending);
    pending.wait();
    for (std::size_t k = 0; k < count; ++k)
      sums[first + k] = static_cast<std::uint32_t>(part.at(k));
  }
}

}  // namespace

OpenSet open_own_disks(const StoredArray& array, const comm::Communicator& comm, disk::Mode mode,
                       const disk::SetOptions& options) {
  if (!array.is_set)
    return disk::plain_set(disk::open_data_file(array.path, mode), array.offset, array.bytes, mode,
                           options);
  const int disks = disk::read_index(array.path).striping.disks;
  const Share own = disks_of_rank(disks, comm.size(), comm.rank());
  return disk::open_disks_of_set(array.path, mode, static_cast<int>(own.first),
                                 static_cast<int>(own.end), options);
}

void flush_shared(disk::StripedSet& output, const FileOwnership& ownership,
                  const comm::Communicator& comm) {
  comm::together(comm, [&] { output.flush_disks(); });
  if (output.sums() == nullptr) return;
  share_sums(output, ownership, comm);
  comm::together(comm, [&] {
    if (comm.rank() == 0) output.sums()->save();
  });
}

}  // namespace weft::ooc
