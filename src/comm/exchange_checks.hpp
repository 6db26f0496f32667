#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/exchanges.hpp"

namespace weft::comm {

/// Throws Error(internal) if an element has no bytes.
void require_element(std::int64_t element_bytes);

/// Throws Error(internal) if the peer is not in 0..ranks-1, or if offset or count is negative.
/// Throws Error(invalid_argument) if the end of the block in bytes does not fit in 64 bits.
void require_block(int peer, std::int64_t offset, std::int64_t count, int ranks,
                   std::int64_t element_bytes);

/// Sets `seen[peer]`. Throws Error(internal) if `seen[peer]` was set already.
void require_single(std::vector<bool>& seen, int peer);

/// Returns the number of elements of each block.
std::vector<std::int64_t> counts_of(const std::vector<Block>& blocks);

/// Throws Error(internal) on all ranks if some rank sends another number of elements than the
/// receiver expects. `sent` and `expected` have one number for each rank. Collective.
void require_matching(const Communicator& comm, const std::vector<std::int64_t>& sent,
                      const std::vector<std::int64_t>& expected);

/// Returns the lowest count limit of all ranks. Collective.
std::int64_t agreed_count_limit(const Communicator& comm);

}  // namespace weft::comm
