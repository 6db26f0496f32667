#include "disk/striped_set.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <weft/error.hpp>

#include "base/checked.hpp"

namespace weft::disk {
namespace {

/// Neighbours are joined up to this size. Larger accesses are not faster on any disk. Fewer
/// accesses would leave some disks idle.
constexpr std::int64_t joined_bytes = 1 << 20;

void join(std::vector<FileSegment>& segments, const FileSegment& more) {
  FileSegment& last = segments.back();
  if (last.memory + last.bytes == more.memory)
    last.bytes += more.bytes;
  else
    segments.push_back(more);
}

int required_depth(const SetOptions& options) {
  if (options.depth >= 1) return options.depth;
  throw Error(ErrorCode::invalid_argument,
              "the queue of a disk must have a depth of at least 1; "
              "given " +
                  std::to_string(options.depth) + "; for example 32");
}

}  // namespace

StripedSet::StripedSet(std::vector<OpenFile> files, const Striping& striping, Mode mode,
                       const SetOptions& options, std::int64_t lead_bytes,
                       std::optional<BlockSums> sums)
    : files_(std::move(files)),
      striping_(striping),
      mode_(mode),
      verify_(options.verify),
      lead_bytes_(lead_bytes),
      sums_(std::move(sums)),
      choice_(choose_backend(options.backend)),
      backend_(make_backend(choice_.kind, striping.disks, required_depth(options))) {}

Volume::Ticket StripedSet::start_read(std::span<const Run> runs) {
  return start(runs, AccessDirection::read);
}

Volume::Ticket StripedSet::start_write(std::span<const Run> runs) {
  return start(runs, AccessDirection::write);
}

Volume::Ticket StripedSet::start(std::span<const Run> runs, AccessDirection direction) {
  require_runs(runs, direction);
  if (direction == AccessDirection::write && before_first_change_) {
    before_first_change_();
    before_first_change_ = nullptr;
  }
  auto started = std::make_unique<Started>();
  started->direction = direction;
  std::vector<std::vector<BlockPiece>> pieces(files_.size());
  for (const Run& run : runs) cut(run, *started, pieces);
  std::int64_t most_blocks = 0;
  for (std::size_t disk = 0; disk < files_.size(); ++disk) {
    std::vector<BlockPiece>& own = pieces[disk];
    std::stable_sort(own.begin(), own.end(),
                     [](const BlockPiece& a, const BlockPiece& b) { return a.offset < b.offset; });
    std::int64_t blocks = 0;
    std::int64_t last = -1;
    for (const BlockPiece& piece : own) {
      const std::int64_t row = piece.offset / striping_.block_bytes;
      if (row != last) ++blocks;
      last = row;
    }
    most_blocks = std::max(most_blocks, blocks);
    add_jobs(static_cast<int>(disk), own, *started);
  }
  (direction == AccessDirection::read ? parallel_reads_ : parallel_writes_) += most_blocks;
  started->batch.expect_all();
  Batch& batch = started->batch;
  started_.emplace(next_ticket_, std::move(started));
  backend_->start(batch);
  return next_ticket_++;
}

void StripedSet::require_runs(std::span<const Run> runs, AccessDirection direction) const {
  if (direction == AccessDirection::write && mode_ == Mode::read)
    throw Error(ErrorCode::invalid_argument, "a set must be opened for writing to be written; " +
                                                 files_.front().name() +
                                                 " was opened for reading; open it again");
  for (const Run& run : runs)
    if (run.offset < 0 || run.bytes < 0 || run.bytes > striping_.bytes ||
        run.offset > striping_.bytes - run.bytes)
      throw Error(ErrorCode::invalid_argument,
                  "a run must be within the " + std::to_string(striping_.bytes) +
                      " bytes of its volume; given " + std::to_string(run.bytes) + " bytes from " +
                      std::to_string(run.offset) + "; correct the run");
}

/// Cuts a run at the ends of blocks. Blocks are counted in the file, so bytes before the array
/// belong to the first block.
void StripedSet::cut(const Run& run, Started& started,
                     std::vector<std::vector<BlockPiece>>& pieces) {
  std::byte* memory = run.memory;
  std::int64_t at = run.offset + lead_bytes_;
  const std::int64_t end = at + run.bytes;
  while (at < end) {
    const std::int64_t block = at / striping_.block_bytes;
    const std::int64_t within = at % striping_.block_bytes;
    const std::int64_t bytes = std::min(end - at, striping_.block_bytes - within);
    const BlockPlace place = place_of(striping_, block);
    pieces[static_cast<std::size_t>(place.disk)].push_back(
        {place.row * striping_.block_bytes + within, {memory, bytes}});
    if (sums_) note_sum({block, within, memory, bytes}, started);
    memory += bytes;
    at += bytes;
  }
}

std::int64_t StripedSet::block_length(std::int64_t block) const {
  const std::int64_t end = lead_bytes_ + striping_.bytes;
  return std::min(striping_.block_bytes, end - block * striping_.block_bytes);
}

void StripedSet::note_sum(const TransferPart& part, Started& started) {
  if (started.direction == AccessDirection::read) {
    if (verify_) started.parts.push_back(part);
    return;
  }
  sums_->forget(part.block);
  read_.note_write(part.block, part.within, part.bytes);
  started.changed.push_back(part.block);
  const std::int64_t length = block_length(part.block);
  if (part.bytes == length) {
    written_.drop(part.block);
    read_.drop(part.block);
    sums_->set(part.block, part.memory, part.bytes);
  } else if (const auto whole =
                 written_.add(part.block, part.within, part.memory, part.bytes, length, 0)) {
    read_.drop(part.block);  // earlier reads saw the old contents
    sums_->set(part.block, whole->sum);
  }
}

/// Joins neighbours in the file to one access.
void StripedSet::add_jobs(int disk, const std::vector<BlockPiece>& pieces, Started& started) const {
  const std::int64_t most = std::max(joined_bytes, striping_.block_bytes);
  const OpenFile& file = files_[static_cast<std::size_t>(disk)];
  for (std::size_t first = 0; first < pieces.size();) {
    std::vector<FileSegment> segments = {pieces[first].segment};
    std::int64_t end = pieces[first].offset + pieces[first].segment.bytes;
    std::size_t next = first + 1;
    for (; next < pieces.size() && pieces[next].offset == end &&
           end + pieces[next].segment.bytes - pieces[first].offset <= most;
         ++next) {
      join(segments, pieces[next].segment);
      end += pieces[next].segment.bytes;
    }
    started.batch.jobs.push_back(
        {Access(file, started.direction, pieces[first].offset, std::move(segments)), disk,
         &started.batch});
    first = next;
  }
}

StripedSet::StartedByTicket::iterator StripedSet::found(Ticket ticket) {
  const auto found = started_.find(ticket);
  if (found == started_.end())
    throw Error(ErrorCode::invalid_argument,
                "a ticket must be one that was given and not yet waited for; given " +
                    std::to_string(ticket) + "; wait once for each");
  return found;
}

void StripedSet::wait(Ticket ticket) {
  const auto place = found(ticket);
  const std::unique_ptr<Started> started = std::move(place->second);
  started_.erase(place);
  try {
    started->batch.wait();
  } catch (...) {
    for (const std::int64_t block : started->changed) {
      sums_->forget(block);
      written_.drop(block);
    }
    throw;
  }
  for (const TransferPart& part : started->parts) compare(part);
}

void StripedSet::compare(const TransferPart& part) {
  const std::int64_t length = block_length(part.block);
  if (part.bytes == length) {
    if (!sums_->agrees(part.block, part.memory, part.bytes)) refuse(part.block);
    return;
  }
  const auto whole =
      read_.add(part.block, part.within, part.memory, part.bytes, length, sums_->known(part.block));
  if (whole && !BlockSums::agrees(whole->expected, whole->sum)) refuse(part.block);
}

void StripedSet::refuse(std::int64_t block) const {
  const BlockPlace place = place_of(striping_, block);
  throw Error(ErrorCode::io_failure,
              "data read must equal data written; the checksum of block " + std::to_string(block) +
                  " does not agree: " + files_[static_cast<std::size_t>(place.disk)].name() + ", " +
                  std::to_string(block_length(block)) + " bytes at offset " +
                  std::to_string(place.row * striping_.block_bytes) +
                  "; check the disk, then restore the block from a copy, or write the set again");
}

void StripedSet::flush() {
  if (mode_ == Mode::read) return;
  backend_->require_own_process();
  flush_disks();
  if (sums_) sums_->save();
}

void StripedSet::flush_disks() {
  for (const OpenFile& file : files_)
    if (file.is_open()) file.flush();
}

bool StripedSet::is_direct() const {
  return std::all_of(files_.begin(), files_.end(),
                     [](const OpenFile& file) { return file.is_direct() || !file.is_open(); });
}

SetCounters StripedSet::counters() const {
  return {backend_->counters(), parallel_reads_, parallel_writes_};
}

}  // namespace weft::disk
