#include "disk/block_pieces.hpp"

#include <iterator>

namespace weft::disk {
namespace {

using ByteRanges = std::map<std::int64_t, std::int64_t>;

bool meets(const ByteRanges& parts, std::int64_t first, std::int64_t end) {
  const auto behind = parts.lower_bound(first);
  if (behind != parts.end() && behind->first < end) return true;
  return behind != parts.begin() && std::prev(behind)->second > first;
}

bool contains(const ByteRanges& parts, std::int64_t first, std::int64_t end) {
  const auto behind = parts.upper_bound(first);
  return behind != parts.begin() && std::prev(behind)->second >= end;
}

/// Adds a range of bytes, and merges it with adjacent ranges.
void join(ByteRanges& parts, std::int64_t first, std::int64_t end) {
  auto behind = parts.lower_bound(first);
  if (behind != parts.end() && behind->first == end) {
    end = behind->second;
    behind = parts.erase(behind);
  }
  if (behind != parts.begin() && std::prev(behind)->second == first)
    std::prev(behind)->second = end;
  else
    parts.emplace(first, end);
}

}  // namespace

std::optional<BlockPieces::Complete> BlockPieces::add(std::int64_t block, std::int64_t within,
                                                      const std::byte* memory, std::int64_t bytes,
                                                      std::int64_t length, std::uint32_t expected) {
  auto found = blocks_.find(block);
  if (found != blocks_.end() && meets(found->second.parts, within, within + bytes)) {
    blocks_.erase(found);
    found = blocks_.end();
  }
  if (found == blocks_.end()) {
    if (blocks_.size() >= most_blocks) return {};
    found = blocks_.emplace(block, Seen{expected, {}, {}}).first;
  }
  Seen& seen = found->second;
  seen.sum.add(memory, bytes, length - within - bytes);
  join(seen.parts, within, within + bytes);
  if (seen.parts.size() > 1 || seen.parts.begin()->first > 0 || seen.parts.begin()->second < length)
    return {};
  const Complete complete = {seen.expected, seen.sum.sum(length)};
  blocks_.erase(found);
  return complete;
}

void BlockPieces::note_write(std::int64_t block, std::int64_t within, std::int64_t bytes) {
  const auto found = blocks_.find(block);
  if (found != blocks_.end() && !contains(found->second.parts, within, within + bytes))
    blocks_.erase(found);
}

}  // namespace weft::disk
