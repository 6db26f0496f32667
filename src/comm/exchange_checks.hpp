#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"

namespace weft::comm {

/// Throws Error(internal) when an element has no bytes.
void require_element(std::int64_t element_bytes);

/// Throws Error(internal) unless 0 <= peer < ranks and offset and count are not negative, and
/// Error(invalid_argument) when the end of the block in bytes does not fit in 64 bits.
void require_block(int peer, std::int64_t offset, std::int64_t count, int ranks,
                   std::int64_t element_bytes);

/// Throws Error(internal) when `seen[peer]` is set already, and sets it.
void require_single(std::vector<bool>& seen, int peer);

/// Throws Error(internal) on all ranks unless each rank sends each other rank the number of
/// elements that it expects. One number for each rank. Collective.
void require_matching(const Communicator& comm, const std::vector<std::int64_t>& sent,
                      const std::vector<std::int64_t>& expected);

/// Returns the lowest count limit of all ranks. Collective.
std::int64_t agreed_count_limit(const Communicator& comm);

}  // namespace weft::comm
