#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <weft/error.hpp>

#include "comm/communicator.hpp"
#include "comm/exchanges.hpp"
#include "ooc/plan/round_traffic.hpp"

namespace weft::ooc {

/// Exchanges blocks that are stored in rank order in both buffers. Preparations for one batch are
/// reused by the next ones as long as they exchange as many bytes.
class BatchExchange {
 public:
  explicit BatchExchange(const comm::Communicator& comm) : comm_(comm) {}

  /// Collective: first agrees whether any rank has failed. `send` and `recv` are bytes for each
  /// rank and from each, this one included.
  ///
  /// Errors  as agree_or_throw. An MPI call that fails ends the program on all ranks, because the
  ///         others wait in theirs.
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
