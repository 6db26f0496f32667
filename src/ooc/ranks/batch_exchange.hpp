#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <weft/error.hpp>

#include "comm/communicator.hpp"
#include "comm/exchanges.hpp"
#include "ooc/plan/round_traffic.hpp"

namespace weft::ooc {

/// Exchanges blocks that are stored in rank order in both buffers. The preparations for one batch
/// are reused as long as the next batches exchange the same numbers of bytes.
class BatchExchange {
 public:
  explicit BatchExchange(const comm::Communicator& comm) : comm_(comm) {}

  /// Executes a batch. First agrees whether any rank has failed. `send` has the bytes for each
  /// rank, and `recv` the bytes from each rank, this one included. Collective.
  ///
  /// Errors  as agree_or_throw. If an MPI call fails, the program ends on all ranks, because the
  ///         others wait in their calls.
  void execute(const std::optional<Error>& failed, const std::vector<std::int64_t>& send,
               const std::vector<std::int64_t>& recv, const char* from, char* to);

  /// Returns the traffic that this rank has sent.
  RankTraffic sent() const { return sent_; }

 private:
  comm::Communicator comm_;
  std::vector<std::int64_t> send_;
  std::vector<std::int64_t> recv_;
  std::optional<comm::PackedAllToAll> prepared_;
  RankTraffic sent_;
};

}  // namespace weft::ooc
