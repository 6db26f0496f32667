#pragma once

#include <vector>

#include "exchange/blocks.hpp"
#include "kernel/sweep.hpp"

namespace weft::exchange {

/// Copies a rank's own blocks from the send to the receive buffer, chunk by chunk. Copies nothing
/// if the later stage reads them in the send buffer.
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
