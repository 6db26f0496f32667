#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/exchanges.hpp"

namespace weft::comm {

/// Throws Error(internal) when an element has no bytes.
void require_element(std::int64_t element_bytes);

/// Throws Error(internal) when the peer is not in 0..ranks-1, or offset or count is negative. Throws
/// Error(invalid_argument) when the end of the block in bytes does not fit in 64 bits.
void require_block(int peer, std::int64_t offset, std::int64_t count, int ranks,
                   std::int64_t element_bytes);

/// Sets `seen[peer]`. Throws Error(internal) when it is set already.
void require_single(std::vector<bool>& seen, int peer);

/// Returns the number of elements of each block.
std::vector<std::int64_t> counts_of(const std::vector<Block>& blocks);

/// Throws Error(internal) on all ranks when a rank sends a number of elements that the receiver does
/// not expect. `sent` and `expected` have one number for each rank. Collective.
void require_matching(const Communicator& comm, const std::vector<std::int64_t>& sent,
                      const std::vector<std::int64_t>& expected);

/// Returns the lowest count limit of all ranks. Collective.
std::int64_t agreed_count_limit(const Communicator& comm);

}  // namespace weft::comm
