#include "comm/exchange_checks.hpp"

#include <optional>
#include <string>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "comm/agreement.hpp"
#include "comm/environment.hpp"
#include "comm/exchanges.hpp"

namespace weft::comm {
namespace {

Error internal(const std::string& message) {
  return Error(ErrorCode::internal, "an exchange is planned wrongly: " + message);
}

}  // namespace

std::int64_t volume_of(const StridedBlock& block) {
  std::int64_t volume = 1;
  for (const std::int64_t extent : block.extents)
    volume = checked_mul(volume, extent, "a strided box");
  return volume;
}

void require_element(std::int64_t element_bytes) {
  if (element_bytes < 1)
    throw internal("an element of " + std::to_string(element_bytes) + " bytes");
}

void require_block(int peer, std::int64_t offset, std::int64_t count, int ranks,
                   std::int64_t element_bytes) {
  if (peer < 0 || peer >= ranks) {
    throw internal("a block for rank " + std::to_string(peer) + " of " + std::to_string(ranks));
  }
  if (offset < 0 || count < 0) {
    throw internal("a block of " + std::to_string(count) + " elements at " +
                   std::to_string(offset) + " for rank " + std::to_string(peer));
  }
  checked_mul(checked_add(offset, count, "the end of a block"), element_bytes,
              "the end of a block in bytes");
}

void require_single(std::vector<bool>& seen, int peer) {
  if (seen[static_cast<std::size_t>(peer)])
    throw internal("two blocks for rank " + std::to_string(peer));
  seen[static_cast<std::size_t>(peer)] = true;
}

std::vector<std::int64_t> counts_of(const std::vector<Block>& blocks) {
  std::vector<std::int64_t> counts;
  for (const Block& block : blocks) counts.push_back(block.count);
  return counts;
}

void require_matching(const Communicator& comm, const std::vector<std::int64_t>& sent,
                      const std::vector<std::int64_t>& expected) {
  const std::vector<std::int64_t> received = comm.all_to_all(sent);
  std::optional<Error> failed;
  for (std::size_t peer = 0; peer < expected.size() && !failed; ++peer) {
    if (received[peer] == expected[peer]) continue;
    failed = internal("rank " + std::to_string(peer) + " sends " + std::to_string(received[peer]) +
                      " elements to rank " + std::to_string(comm.rank()) + ", which expects " +
                      std::to_string(expected[peer]));
  }
  agree_or_throw(comm, failed);
}

std::int64_t agreed_count_limit(const Communicator& comm) {
  return comm.min(together(comm, [] { return count_limit(); }));
}

}  // namespace weft::comm
