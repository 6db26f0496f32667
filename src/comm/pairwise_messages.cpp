#include <optional>
#include <string>

#include <weft/error.hpp>

#include "comm/agreement.hpp"
#include "comm/exchange_checks.hpp"
#include "comm/exchanges.hpp"
#include "comm/split_messages.hpp"

namespace weft::comm {
namespace {

void require_round(const PairwiseMessages::Round& round, const Communicator& comm,
                   std::int64_t element_bytes) {
  require_block(round.peer, round.send_offset, round.send_count, comm.size(), element_bytes);
  require_block(round.peer, round.recv_offset, round.recv_count, comm.size(), element_bytes);
  if (round.peer == comm.rank()) {
    throw Error(ErrorCode::internal, "an exchange is planned wrongly: rank " +
                                         std::to_string(round.peer) + " sends messages to itself");
  }
}

}  // namespace

struct PairwiseMessages::Body {
  std::optional<SplitMessages> messages;
};

PairwiseMessages::PairwiseMessages(const Communicator& comm, std::span<const Round> rounds,
                                   std::int64_t element_bytes) {
  std::vector<Transfer> transfers;
  std::vector<std::int64_t> sent(static_cast<std::size_t>(comm.size()), 0);
  std::vector<std::int64_t> expected(static_cast<std::size_t>(comm.size()), 0);
  together(comm, [&] {
    require_element(element_bytes);
    for (const Round& round : rounds) {
      require_round(round, comm, element_bytes);
      sent[static_cast<std::size_t>(round.peer)] += round.send_count;
      expected[static_cast<std::size_t>(round.peer)] += round.recv_count;
      transfers.push_back({.send_peer = round.peer,
                           .send_offset = round.send_offset,
                           .send_count = round.send_count,
                           .recv_peer = round.peer,
                           .recv_offset = round.recv_offset,
                           .recv_count = round.recv_count});
    }
  });
  require_matching(comm, sent, expected);
  const std::int64_t limit = agreed_count_limit(comm);
  auto body = std::make_shared<Body>();
  body->messages.emplace(comm, std::move(transfers), element_bytes, limit);
  body_ = std::move(body);
}

void PairwiseMessages::execute(const void* send, void* recv) const {
  body_->messages->execute(send, recv);
}

Traffic PairwiseMessages::traffic() const { return body_->messages->traffic(); }

}  // namespace weft::comm
