#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <weft/error.hpp>

#include "comm/communicator.hpp"
#include "comm/exchanges.hpp"
#include "ooc/plan/round_traffic.hpp"

namespace weft::ooc {

/// Exchanges of blocks that lie in rank order in both buffers. What has been prepared for one batch
/// serves the next ones as well, as long as they exchange as many bytes.
class BatchExchange {
 public:
  explicit BatchExchange(const comm::Communicator& comm) : comm_(comm) {}

  /// Collective: first agrees whether a rank has failed by now. Bytes for each rank and from each,
  /// this one included.
  ///
  /// Errors  as agree_or_throw. An MPI call that fails ends the program on all ranks: the others wait
  ///         in theirs.
  void execute(const std::optional<Error>& failed, const std::vector<std::int64_t>& send,
               const std::vector<std::int64_t>& recv, const char* from, char* to);

  /// What this rank has sent.
  RankTraffic sent() const { return sent_; }

 private:
  comm::Communicator comm_;
  std::vector<std::int64_t> send_;
  std::vector<std::int64_t> recv_;
  std::optional<comm::PackedAllToAll> prepared_;
  RankTraffic sent_;
};

}  // namespace weft::ooc
