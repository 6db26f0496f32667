#include "comm/message_queue.hpp"

#include <algorithm>
#include <utility>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "comm/communicator_state.hpp"
#include "comm/environment.hpp"
#include "comm/mpi_check.hpp"

namespace weft::comm {
namespace {

/// Limit of one message. MPI libraries pass a message to the system in one call, and Linux moves at
/// most 2 GiB per call.
constexpr std::int64_t message_bytes_max = std::int64_t{1} << 30;

bool is_contiguous(const StridedBlock& block) {
  const std::vector<StridedAxis> axes = simplified(block.extents, block.strides);
  return axes.empty() || (axes.size() == 1 && axes[0].stride == 1);
}

}  // namespace

MessageQueue::MessageQueue(Communicator comm, const std::vector<MessageStep>& steps,
                           std::int64_t element_bytes, std::int64_t limit,
                           const MessageOptions& options)
    : comm_(std::move(comm)), element_bytes_(element_bytes), options_(options) {
  for (const MessageStep& step : steps) {
    const auto chunk = static_cast<std::size_t>(step.chunk);
    const std::size_t first = messages_.size();
    arriving_.resize(std::max(arriving_.size(), chunk + 1), 0);
    add_block(step.recv, false, limit);  // the receive is posted before the send
    add_block(step.send, true, limit);
    if (messages_.size() > first) steps_.push_back({step.chunk, first, messages_.size(), 0});
    steps_until_.resize(arriving_.size(), 0);
    steps_until_[chunk] = steps_.size();
  }
  // A chunk without steps ends where the previous chunk ends.
  for (std::size_t i = 1; i < steps_until_.size(); ++i)
    steps_until_[i] = std::max(steps_until_[i], steps_until_[i - 1]);
  requests_.resize(messages_.size(), MPI_REQUEST_NULL);
  indices_.resize(messages_.size());
  statuses_.resize(messages_.size());
}

MessageQueue::~MessageQueue() {
  if (is_running()) free_persistent();
}

void MessageQueue::add_block(const StridedBlock& block, bool is_send, std::int64_t limit) {
  const std::int64_t volume = volume_of(block);
  if (volume == 0) return;
  if (element_.get() == MPI_DATATYPE_NULL) element_ = element_type(element_bytes_);
  Message message{steps_.size(), block.peer, is_send, block.offset * element_bytes_, 1,
                  element_.get()};
  const std::size_t before = messages_.size();
  const std::int64_t most_elements =
      std::clamp<std::int64_t>(message_bytes_max / element_bytes_, 1, limit);
  if (options_.in_pieces && !is_contiguous(block))
    throw Error(ErrorCode::internal,
                "an exchange is planned wrongly: a strided box would be cut into pieces");
  if (options_.in_pieces || (is_contiguous(block) && volume <= most_elements)) {
    for (std::int64_t done = 0; done < volume; done += most_elements) {
      message.offset_bytes = (block.offset + done) * element_bytes_;
      message.count = checked_cast<int>(std::min(most_elements, volume - done));
      messages_.push_back(message);
    }
  } else {
    types_.push_back(
        strided_type(block.offset, block.extents, block.strides, element_bytes_, limit));
    message.offset_bytes = 0;  // the datatype contains the start of the box
    message.type = types_.back().get();
    messages_.push_back(message);
  }
  if (!is_send) return;
  traffic_.bytes += volume * element_bytes_;
  traffic_.messages += static_cast<std::int64_t>(messages_.size() - before);
}

void MessageQueue::free_persistent() {
  if (!has_persistent_) return;
  for (MPI_Request& request : requests_)
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  has_persistent_ = false;
}

/// Prepares a new execution of all steps.
void MessageQueue::prepare(const void* send, void* recv) {
  const bool has_new_buffers = send != send_ || recv != recv_;
  send_ = static_cast<const char*>(send);
  recv_ = static_cast<char*>(recv);
  next_step_ = started_steps_ = low_ = high_ = 0;
  std::fill(arriving_.begin(), arriving_.end(), 0);
  for (QueueStep& step : steps_) step.incomplete = step.last - step.first;
  for (const Message& message : messages_)
    if (!message.is_send) ++arriving_[static_cast<std::size_t>(steps_[message.step].chunk)];
  if (!options_.persistent || (has_persistent_ && !has_new_buffers)) return;
  free_persistent();
  has_persistent_ = true;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const Message& m = messages_[i];
    if (m.is_send)
      check_mpi(MPI_Send_init(send_ + m.offset_bytes, m.count, m.type, m.peer, options_.tag,
                              usable(comm_.state()), &requests_[i]),
                "MPI_Send_init", m.peer);
    else
      check_mpi(MPI_Recv_init(recv_ + m.offset_bytes, m.count, m.type, m.peer, options_.tag,
                              usable(comm_.state()), &requests_[i]),
                "MPI_Recv_init", m.peer);
  }
}

void MessageQueue::post_message(std::size_t number) {
  const Message& m = messages_[number];
  MPI_Request* request = &requests_[number];
  if (options_.persistent)
    check_mpi(MPI_Start(request), "MPI_Start", m.peer);
  else if (m.is_send)
    check_mpi(MPI_Isend(send_ + m.offset_bytes, m.count, m.type, m.peer, options_.tag,
                        usable(comm_.state()), request),
              "MPI_Isend", m.peer);
  else
    check_mpi(MPI_Irecv(recv_ + m.offset_bytes, m.count, m.type, m.peer, options_.tag,
                        usable(comm_.state()), request),
              "MPI_Irecv", m.peer);
}

void MessageQueue::post() {
  while (next_step_ < started_steps_ &&
         (options_.at_once == 0 || steps_under_way_ < static_cast<std::size_t>(options_.at_once))) {
    const QueueStep& step = steps_[next_step_];
    for (std::size_t i = step.first; i < step.last; ++i) post_message(i);
    high_ = step.last;
    ++steps_under_way_;
    ++next_step_;
  }
}

int MessageQueue::posted_count() const { return static_cast<int>(high_ - low_); }

int MessageQueue::oldest_peer() const {
  for (std::size_t i = low_; i < high_; ++i)
    if (requests_[i] != MPI_REQUEST_NULL) return messages_[i].peer;
  return -1;
}

/// Marks messages as complete. MPI has reported them in the first `count` elements of indices_.
void MessageQueue::complete(int count) {
  if (count == MPI_UNDEFINED) return;
  for (int i = 0; i < count; ++i) {
    const Message& message = messages_[low_ + static_cast<std::size_t>(indices_[i])];
    QueueStep& step = steps_[message.step];
    if (!message.is_send) --arriving_[static_cast<std::size_t>(step.chunk)];
    if (--step.incomplete == 0) --steps_under_way_;
  }
  while (low_ < high_ && steps_[messages_[low_].step].incomplete == 0)
    low_ = steps_[messages_[low_].step].last;
  post();
}

void MessageQueue::start(int chunk, const void* send, void* recv) {
  if (messages_.empty()) return;
  if (chunk == 0) prepare(send, recv);
  if (static_cast<std::size_t>(chunk) < steps_until_.size())
    started_steps_ = steps_until_[static_cast<std::size_t>(chunk)];
  post();
}

/// Throws for a failed call. The error names the peer of the failed message if MPI reports it,
/// otherwise the oldest peer.
void MessageQueue::check(int code, int count, const char* call) const {
  if (code == MPI_SUCCESS) return;
  if (code == MPI_ERR_IN_STATUS && count != MPI_UNDEFINED)
    for (int i = 0; i < count; ++i) {
      const int error = statuses_[static_cast<std::size_t>(i)].MPI_ERROR;
      if (error == MPI_SUCCESS || error == MPI_ERR_PENDING) continue;
      const auto offset = static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
      check_mpi(error, call, messages_[low_ + offset].peer);
    }
  check_mpi(code, call, oldest_peer());
}

void MessageQueue::progress() {
  if (posted_count() == 0) return;
  int count = 0;
  const int code =
      MPI_Testsome(posted_count(), posted_requests(), &count, indices_.data(), statuses_.data());
  check(code, count, "MPI_Testsome");
  complete(count);
}

void MessageQueue::wait_for_some() {
  int count = 0;
  const int code =
      MPI_Waitsome(posted_count(), posted_requests(), &count, indices_.data(), statuses_.data());
  check(code, count, "MPI_Waitsome");
  complete(count);
}

void MessageQueue::wait(int chunk) {
  if (static_cast<std::size_t>(chunk) >= arriving_.size()) return;
  while (arriving_[static_cast<std::size_t>(chunk)] > 0) wait_for_some();
}

void MessageQueue::finish() {
  while (!is_idle()) wait_for_some();
}

}  // namespace weft::comm
