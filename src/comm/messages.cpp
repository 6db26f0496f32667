#include <optional>
#include <string>

#include <weft/error.hpp>

#include "comm/agreement.hpp"
#include "comm/exchange_checks.hpp"
#include "comm/exchanges.hpp"
#include "comm/message_queue.hpp"

namespace weft::comm {
namespace {

void require_side(const StridedBlock& block, const Communicator& comm, std::int64_t element_bytes) {
  require_block(block.peer, block.offset, volume_of(block), comm.size(), element_bytes);
  if (block.peer == comm.rank() && volume_of(block) > 0)
    throw Error(ErrorCode::internal, "an exchange is planned wrongly: rank " +
                                         std::to_string(block.peer) + " sends messages to itself");
}

void require_order(std::span<const MessageStep> steps) {
  int chunk = 0;
  for (const MessageStep& step : steps) {
    if (step.chunk < chunk)
      throw Error(ErrorCode::internal,
                  "an exchange is planned wrongly: its steps are not in the order of its chunks");
    chunk = step.chunk;
  }
}

}  // namespace

struct Messages::Body {
  std::optional<MessageQueue> queue;
};

Messages::Messages(const Communicator& comm, std::span<const MessageStep> steps,
                   std::int64_t element_bytes, const MessageOptions& options)
    : body_(std::make_shared<Body>()) {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(comm.size()), 0);
  std::vector<std::int64_t> expected(static_cast<std::size_t>(comm.size()), 0);
  together(comm, [&] {
    require_element(element_bytes);
    require_order(steps);
    for (const MessageStep& step : steps) {
      require_side(step.send, comm, element_bytes);
      require_side(step.recv, comm, element_bytes);
      sent[static_cast<std::size_t>(step.send.peer)] += volume_of(step.send);
      expected[static_cast<std::size_t>(step.recv.peer)] += volume_of(step.recv);
    }
  });
  require_matching(comm, sent, expected);
  const std::int64_t limit = agreed_count_limit(comm);
  together(comm, [&] {
    body_->queue.emplace(comm, std::vector<MessageStep>(steps.begin(), steps.end()), element_bytes,
                         limit, options);
  });
}

void Messages::start(int chunk, const void* send, void* recv) const {
  body_->queue->start(chunk, send, recv);
}
void Messages::progress() const { body_->queue->progress(); }
void Messages::wait(int chunk) const { body_->queue->wait(chunk); }
void Messages::finish() const { body_->queue->finish(); }
bool Messages::is_idle() const { return body_->queue->is_idle(); }
MessageTraffic Messages::traffic() const { return body_->queue->traffic(); }

}  // namespace weft::comm
