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
  int depth = 32;  ///< accesses of a disk that are under way at a time, at most
  /// Compare blocks that are read as a whole, by one run or by several, with their checksums.
  bool verify = false;
  /// Of a set that is going to be changed where it lies, by its index: from the first write on that
  /// says that the set is half done, with this remedy; one that says so already is opened, too.
  std::string half_done = {};
};

struct SetCounters {
  std::vector<DiskCounters> disks;
  /// Most blocks of one disk that each start touched, summed over all starts: what the Parallel
  /// Disk Model counts.
  std::int64_t parallel_reads = 0;
  std::int64_t parallel_writes = 0;
};

/// An array of bytes in blocks over the files of several disks, or in one plain file.
///
/// Runs that cross blocks are split, blocks of a disk that are neighbours are joined to accesses of
/// up to 1 MiB or one block. A block that is written as a whole gets a checksum, where the set has
/// them: by one run, or by several that do not overlap. One written in part loses it until then.
///
/// Calls come from one thread at a time; one process at a time writes a set.
/// Errors  as Volume; also invalid_argument for a depth below 1, for a ticket that was waited for
///         already, and for writing to a set that was opened for reading; io_failure that names
///         file, block and offset where a checksum does not agree.
class StripedSet final : public Volume {
 public:
  /// One file for each disk. `lead_bytes` of a plain file are before the array.
  StripedSet(std::vector<OpenFile> files, const Striping& striping, Mode mode,
             const SetOptions& options, std::int64_t lead_bytes = 0,
             std::optional<BlockSums> sums = {});

  std::int64_t bytes() const override { return striping_.bytes; }
  Ticket start_read(std::span<const Run> runs) override;
  Ticket start_write(std::span<const Run> runs) override;
  void wait(Ticket ticket) override;
  bool has_ended(Ticket ticket) override { return found(ticket)->second->batch.has_ended(); }
  /// Also saves the checksums; without it they are lost, and blocks go unchecked.
  void flush() override;
  /// flush() without the checksums, for one of several processes that write a set.
  void flush_disks();
  /// `tell` is called once, before anything of the set changes.
  void before_first_change(std::function<void()> tell) { before_first_change_ = std::move(tell); }
  /// nullptr where the set has none.
  BlockSums* sums() { return sums_ ? &*sums_ : nullptr; }

  const Striping& striping() const { return striping_; }
  /// Whether whole blocks of all disks pass the system's memory by.
  bool is_direct() const;
  const BackendChoice& backend() const { return choice_; }
  SetCounters counters() const;

 private:
  /// Bytes of a block, in memory.
  struct TransferPart {
    std::int64_t block = 0;
    std::int64_t within = 0;  ///< from the block's first byte on
    const std::byte* memory = nullptr;
    std::int64_t bytes = 0;
  };
  /// Bytes of one block on their way.
  struct BlockPiece {
    std::int64_t offset = 0;  ///< in the disk's file
    FileSegment segment;
  };
  struct Started {
    Batch batch;
    AccessDirection direction = AccessDirection::read;
    std::vector<TransferPart> parts;    ///< of blocks whose checksums are to be compared
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
  std::function<void()> before_first_change_;  ///< empty: nobody is to be told, or was
  BlockPieces read_;
  BlockPieces written_;
  std::int64_t parallel_reads_ = 0;
  std::int64_t parallel_writes_ = 0;
  Ticket next_ticket_ = 0;
  StartedByTicket started_;
  BackendChoice choice_;
  std::unique_ptr<Backend> backend_;  ///< last: it ends what is under way before the rest is gone
};

/// A new set: an index, and beside it or in other directories a file NAME.N for disk N, where NAME
/// is that of the index without its endings. The index names the files; `index.files` is ignored.
///
/// Errors  io_failure where the index or a file is there already or a disk has no room, and
///         invalid_argument for an index that cannot be; nothing is left behind.
std::unique_ptr<StripedSet> create_set(const std::string& index_path,
                                       const std::vector<std::string>& directories, SetIndex index,
                                       const SetOptions& options = {});

/// A set that is there. Errors  as read_index; io_failure where a disk's file is missing or has
/// another length than the index says.
std::unique_ptr<StripedSet> open_set(const std::string& index_path, Mode mode,
                                     const SetOptions& options = {});

/// Disks first, ..., end - 1 of a set that is there, for one of several processes that share it; of
/// the other ones no file is opened, and a run on them fails.
std::unique_ptr<StripedSet> open_disks_of_set(const std::string& index_path, Mode mode, int first,
                                              int end, const SetOptions& options = {});

/// A set of files without names, gone when it is dropped; striping.disks is that of directories.
std::unique_ptr<StripedSet> scratch_set(const std::vector<std::string>& directories,
                                        Striping striping, const SetOptions& options = {});

/// Checksums of a plain file: where they lie, and of how many bytes each is.
struct PlainSums {
  std::string path;
  std::int64_t block_bytes = 0;
};

/// A file as a set of one disk: the array is `bytes` bytes from `offset` on.
///
/// Errors  io_failure for a file that is shorter.
std::unique_ptr<StripedSet> plain_set(OpenFile file, std::int64_t offset, std::int64_t bytes,
                                      Mode mode, const SetOptions& options = {},
                                      const std::optional<PlainSums>& sums = {});

}  // namespace weft::disk
