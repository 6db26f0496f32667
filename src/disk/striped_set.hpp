#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "disk/backend.hpp"
#include "disk/block_pieces.hpp"
#include "disk/block_sums.hpp"
#include "disk/open_file.hpp"
#include "disk/set_index.hpp"
#include "disk/volume.hpp"
#include "layout/striping.hpp"

namespace weft::disk {

struct SetOptions {
  BackendKind backend = BackendKind::automatic;
  int depth = 32;  ///< largest number of accesses of a disk at the same time
  /// If true, compares each block that is read as a whole, by one run or several, with its
  /// checksum.
  bool verify = false;
  /// Remedy for a set that is changed in place. The first write stores it in the index, and so
  /// marks the set as incomplete. If a remedy is given, an incomplete set can be opened too.
  std::string incomplete_remedy = {};
};

struct SetCounters {
  std::vector<DiskCounters> disks;
  /// Counts of the Parallel Disk Model. Each start adds its number of blocks on the disk with the
  /// most blocks.
  std::int64_t parallel_reads = 0;
  std::int64_t parallel_writes = 0;
};

/// An array of bytes in blocks over the files of several disks, or in one plain file.
///
/// Runs that cross blocks are split. Neighbouring blocks of a disk are joined to accesses of up to
/// 1 MiB, or of one longer block. If the set has checksums, a block gets a checksum when it has
/// been written as a whole, by one run or by several runs that do not overlap. A partly written
/// block has no checksum.
///
/// Only one thread at a time may use a set. Only one process at a time may write a disk of it.
/// Errors  as Volume. Also invalid_argument for a depth below 1, a ticket that was already waited
///         for, and writes to a set that was opened for reading. io_failure names file, block and
///         offset of a wrong checksum.
class StripedSet final : public Volume {
 public:
  /// `files` has one file for each disk. In a plain file, `lead_bytes` bytes precede the array.
  StripedSet(std::vector<OpenFile> files, const Striping& striping, Mode mode,
             const SetOptions& options, std::int64_t lead_bytes = 0,
             std::optional<BlockSums> sums = {});

  std::int64_t bytes() const override { return striping_.bytes; }
  Ticket start_read(std::span<const Run> runs) override;
  Ticket start_write(std::span<const Run> runs) override;
  void wait(Ticket ticket) override;
  bool has_ended(Ticket ticket) override { return found(ticket)->second->batch.has_ended(); }
  /// Also saves the checksums. Without flush() the checksums are lost, and blocks cannot be checked
  /// when the set is opened again.
  void flush() override;
  /// Flushes the files but does not save the checksums, for one of several processes that write a
  /// set.
  void flush_disks();
  /// Sets a function that is called once, before the first change of the set.
  void before_first_change(std::function<void()> tell) { before_first_change_ = std::move(tell); }
  /// Returns the checksums; nullptr if the set has none.
  BlockSums* sums() { return sums_ ? &*sums_ : nullptr; }

  const Striping& striping() const { return striping_; }
  /// Returns whether whole blocks of all disks bypass the page cache.
  bool is_direct() const;
  const BackendChoice& backend() const { return choice_; }
  SetCounters counters() const;

 private:
  /// Bytes of a block, in memory.
  struct TransferPart {
    std::int64_t block = 0;
    std::int64_t within = 0;  ///< from the block's first byte
    const std::byte* memory = nullptr;
    std::int64_t bytes = 0;
  };
  /// A transfer of bytes of one block.
  struct BlockPiece {
    std::int64_t offset = 0;  ///< in the disk's file
    FileSegment segment;
  };
  struct Started {
    Batch batch;
    AccessDirection direction = AccessDirection::read;
    std::vector<TransferPart> parts;    ///< parts of blocks with checksums to compare
    std::vector<std::int64_t> changed;  ///< blocks that are written
  };

  using StartedByTicket = std::map<Ticket, std::unique_ptr<Started>>;

  Ticket start(std::span<const Run> runs, AccessDirection direction);
  StartedByTicket::iterator found(Ticket ticket);
  void require_runs(std::span<const Run> runs, AccessDirection direction) const;
  void cut(const Run& run, Started& started, std::vector<std::vector<BlockPiece>>& pieces);
  void note_sum(const TransferPart& part, Started& started);
  std::int64_t block_length(std::int64_t block) const;
  void add_jobs(int disk, const std::vector<BlockPiece>& pieces, Started& started) const;
  void compare(const TransferPart& part);
  [[noreturn]] void refuse(std::int64_t block) const;

  std::vector<OpenFile> files_;
  Striping striping_;
  Mode mode_;
  bool verify_;
  std::int64_t lead_bytes_;
  std::optional<BlockSums> sums_;
  std::function<void()> before_first_change_;  ///< empty if not set or already called
  BlockPieces read_;
  BlockPieces written_;
  std::int64_t parallel_reads_ = 0;
  std::int64_t parallel_writes_ = 0;
  Ticket next_ticket_ = 0;
  StartedByTicket started_;
  BackendChoice choice_;
  std::unique_ptr<Backend> backend_;  ///< last member, so that all transfers end before the rest is
                                      ///< destroyed
};

/// Creates a set: an index, and a file NAME.N for disk N, next to the index or in other
/// directories. NAME is the index's name without its endings. The index lists the files;
/// `index.files` is ignored.
///
/// Errors  io_failure if the index or a file exists, or if a disk has no room; invalid_argument for
///         an invalid index. No new file is left then.
std::unique_ptr<StripedSet> create_set(const std::string& index_path,
                                       const std::vector<std::string>& directories, SetIndex index,
                                       const SetOptions& options = {});

/// Opens an existing set. Errors as read_index; io_failure if a disk's file is missing, or its
/// length differs from the index.
std::unique_ptr<StripedSet> open_set(const std::string& index_path, Mode mode,
                                     const SetOptions& options = {});

/// Opens disks first, ..., end - 1 of an existing set, for one of several processes that share it.
/// The files of the other disks are not opened, and a run on them fails.
std::unique_ptr<StripedSet> open_disks_of_set(const std::string& index_path, Mode mode, int first,
                                              int end, const SetOptions& options = {});

/// Creates a set of files without names. They disappear when the set is destroyed. striping.disks
/// must be the number of directories.
std::unique_ptr<StripedSet> scratch_set(const std::vector<std::string>& directories,
                                        Striping striping, const SetOptions& options = {});

/// The file with the checksums of a plain file, and the bytes of one checksum.
struct PlainSums {
  std::string path;
  std::int64_t block_bytes = 0;
};

/// Makes a set of one disk from a file. The array is the `bytes` bytes from `offset` on.
///
/// Errors  io_failure for a shorter file.
std::unique_ptr<StripedSet> plain_set(OpenFile file, std::int64_t offset, std::int64_t bytes,
                                      Mode mode, const SetOptions& options = {},
                                      const std::optional<PlainSums>& sums = {});

}  // namespace weft::disk
