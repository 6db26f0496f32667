#include "ooc/ranks/trip_exchange.hpp"

#include <weft/error.hpp>

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

void TripExchange::execute(const std::vector<std::int64_t>& send,
                           const std::vector<std::int64_t>& recv, const char* from, char* to) {
  try {
    prepare(send, recv);
    prepared_->execute(from, to);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::mpi_failure) comm::end_all_ranks(comm_.rank(), error.what());
    throw;
  }
  const comm::Traffic traffic = prepared_->traffic();
  sent_ += {traffic.messages, traffic.bytes};
}

/// To prepare is collective, so all ranks do where one has to.
void TripExchange::prepare(const std::vector<std::int64_t>& send,
                           const std::vector<std::int64_t>& recv) {
  const bool is_known = prepared_ && send == send_ && recv == recv_;
  if (comm_.max(std::int64_t{is_known ? 0 : 1}) == 0) return;
  prepared_.emplace(comm_, in_rank_order(send), in_rank_order(recv), 1);
  send_ = send;
  recv_ = recv;
}

}  // namespace weft::ooc
