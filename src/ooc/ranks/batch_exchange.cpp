#include "ooc/ranks/batch_exchange.hpp"

#include "comm/agreement.hpp"
#include "comm/end_all_ranks.hpp"

namespace weft::ooc {
namespace {

std::vector<comm::Block> in_rank_order(const std::vector<std::int64_t>& bytes) {
  std::vector<comm::Block> blocks;
  std::int64_t offset = 0;
  for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
    blocks.push_back({static_cast<int>(rank), offset, bytes[rank]});
    offset += bytes[rank];
  }
  return blocks;
}

}  // namespace

void BatchExchange::execute(const std::optional<Error>& failed,
                            const std::vector<std::int64_t>& send,
                            const std::vector<std::int64_t>& recv, const char* from, char* to) {
  const bool is_known = prepared_ && send == send_ && recv == recv_;
  // Preparation is collective. So all ranks prepare if one rank has to.
  const bool prepares = comm::agree_or_throw(comm_, failed, !is_known);
  try {
    if (prepares) prepared_.emplace(comm_, in_rank_order(send), in_rank_order(recv), 1);
    prepared_->execute(from, to);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::mpi_failure) comm::end_all_ranks(comm_.rank(), error.what());
    throw;
  }
  send_ = send;
  recv_ = recv;
  const comm::MessageTraffic traffic = prepared_->traffic();
  sent_ += {traffic.messages, traffic.bytes};
}

}  // namespace weft::ooc
