#include "disk/access.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>
#include <utility>

#include <weft/error.hpp>

namespace weft::disk {
namespace {

/// Most parts of one step. The system accepts at least 1024, but more than 256 are not faster.
constexpr std::size_t most_parts = 256;
/// One call moves less than 2 GiB, even if more is requested.
constexpr std::int64_t most_step_bytes = std::int64_t{1} << 30;

}  // namespace

Access::Access(const OpenFile& file, AccessDirection direction, std::int64_t offset,
               std::vector<FileSegment> segments)
    : file_(&file), direction_(direction), offset_(offset), segments_(std::move(segments)) {
  for (const FileSegment& segment : segments_) bytes_ += segment.bytes;
  left_ = bytes_;
  move_on(0);
}

Access::AccessStep Access::next() {
  parts_.clear();
  asked_direct_ = false;
  if (file_->is_direct() && !refused_direct_ && offset_ % file_->granule_bytes() == 0)
    add_direct_parts();
  asked_direct_ = !parts_.empty();
  if (!asked_direct_) add_buffered_parts(edge_bytes());
  return {asked_direct_ ? file_->direct() : file_->buffered(), offset_, parts_.data(),
          static_cast<int>(parts_.size())};
}

/// Adds whole granules to the step, as long as memory is aligned and segments end with a granule.
void Access::add_direct_parts() {
  const std::int64_t granule = file_->granule_bytes();
  std::int64_t step_bytes = 0;
  std::int64_t skipped = skipped_;
  for (std::size_t k = segment_; k < segments_.size() && parts_.size() < most_parts; ++k) {
    if (!is_aligned(k, skipped)) return;
    const std::int64_t rest = std::min(segments_[k].bytes - skipped, most_step_bytes - step_bytes);
    const std::int64_t whole = rest - rest % granule;
    if (whole > 0)
      parts_.push_back({segments_[k].memory + skipped, static_cast<std::size_t>(whole)});
    step_bytes += whole;
    if (whole < segments_[k].bytes - skipped || step_bytes == most_step_bytes) return;
    skipped = 0;
  }
}

bool Access::is_aligned(std::size_t segment, std::int64_t skipped) const {
  const auto address = reinterpret_cast<std::uintptr_t>(segments_[segment].memory + skipped);
  return address % static_cast<std::uintptr_t>(file_->alignment_bytes()) == 0;
}

/// Returns the bytes to move through the page cache before the next direct transfer.
std::int64_t Access::edge_bytes() const {
  if (!file_->is_direct() || refused_direct_) return left_;
  const std::int64_t granule = file_->granule_bytes();
  const std::int64_t to_granule = granule - offset_ % granule;
  if (to_granule < granule) return std::min(left_, to_granule);
  // The position is at a granule, but the transfer cannot be direct. This step takes all of an
  // unaligned segment, a granule that several segments share, or the last granule.
  const std::int64_t rest = segments_[segment_].bytes - skipped_;
  return std::min(left_, std::max(rest, granule));
}

void Access::add_buffered_parts(std::int64_t bytes) {
  bytes = std::min(bytes, most_step_bytes);
  std::int64_t skipped = skipped_;
  for (std::size_t k = segment_; bytes > 0 && parts_.size() < most_parts; ++k) {
    const std::int64_t part = std::min(bytes, segments_[k].bytes - skipped);
    if (part > 0) parts_.push_back({segments_[k].memory + skipped, static_cast<std::size_t>(part)});
    bytes -= part;
    skipped = 0;
  }
}

void Access::take(std::int64_t answer) {
  if (answer > 0) {
    move_on(answer);
  } else if (answer == -EINTR) {
    return;
  } else if (answer == -EAGAIN) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } else if (answer == -EINVAL && asked_direct_) {
    refused_direct_ = true;
  } else if (answer == 0 && direction_ == AccessDirection::read) {
    throw Error(ErrorCode::io_failure,
                file_->name() + " ends before byte " + std::to_string(offset_ + left_) +
                    ", which was to be read; it ends at " + std::to_string(file_->bytes()) +
                    "; it was truncated or never fully written: write it again");
  } else {
    fail(answer == 0 ? EIO : static_cast<int>(-answer));
  }
}

void Access::move_on(std::int64_t bytes) {
  offset_ += bytes;
  left_ -= bytes;
  skipped_ += bytes;
  while (segment_ < segments_.size() && skipped_ >= segments_[segment_].bytes)
    skipped_ -= segments_[segment_++].bytes;
}

void Access::fail(int reason) const {
  const char* what = direction_ == AccessDirection::read ? "read" : "written";
  file_->fail(
      std::to_string(left_) + " bytes at offset " + std::to_string(offset_) + " cannot be " + what,
      reason);
}

std::int64_t perform(const Access::AccessStep& step, AccessDirection direction) {
  const ssize_t moved_bytes = direction == AccessDirection::read
                                  ? preadv(step.descriptor, step.parts, step.count, step.offset)
                                  : pwritev(step.descriptor, step.parts, step.count, step.offset);
  return moved_bytes < 0 ? std::int64_t{-errno} : std::int64_t{moved_bytes};
}

}  // namespace weft::disk
