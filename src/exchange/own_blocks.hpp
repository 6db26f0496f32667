#pragma once

#include <vector>

#include "exchange/blocks.hpp"
#include "kernel/sweep.hpp"

namespace weft::exchange {

/// Copies a rank's own block of each chunk, which the rank sends to itself, from the send buffer to
/// the receive buffer. If side.keep_own_block is set, copies nothing: the later stage reads the
/// block from the send buffer.
class OwnBlocks {
 public:
  OwnBlocks() = default;
  OwnBlocks(const ExchangeEndpoint& side, const WireBlocks& blocks);
  void copy(int chunk, void* send, void* recv) const;
  std::int64_t bytes() const { return bytes_; }

 private:
  std::vector<kernel::Sweep> copies_;  ///< by chunk
  std::int64_t bytes_ = 0;
};

}  // namespace weft::exchange
