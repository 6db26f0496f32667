#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/datatype.hpp"
#include "comm/exchanges.hpp"

namespace weft::comm {

/// Executes a list of steps, at most `options.at_once` at a time. If `options.in_pieces` is true,
/// each block becomes messages of at most `limit` elements and 1 GiB. Otherwise each block becomes
/// one message; a long block, or one that is not contiguous, then needs a derived datatype.
/// Construction is local. Executing allocates nothing.
class MessageQueue {
 public:
  /// `steps` are in the order of chunks.
  MessageQueue(Communicator comm, const std::vector<MessageStep>& steps, std::int64_t element_bytes,
               std::int64_t limit, const MessageOptions& options);
  MessageQueue(const MessageQueue&) = delete;
  MessageQueue& operator=(const MessageQueue&) = delete;
  ~MessageQueue();

  void start(int chunk, const void* send, void* recv);
  void progress();
  void wait(int chunk);
  void finish();
  /// Returns whether all started messages are complete.
  bool is_idle() const { return steps_under_way_ == 0 && next_step_ == started_steps_; }
  MessageTraffic traffic() const { return traffic_; }

 private:
  struct Message {
    std::size_t step = 0;
    int peer = 0;
    bool is_send = false;
    std::int64_t offset_bytes = 0;
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
  };
  struct QueueStep {
    int chunk = 0;
    std::size_t first = 0;  ///< number of its first message
    std::size_t last = 0;
    std::size_t incomplete = 0;  ///< number of incomplete messages
  };

  void add_block(const StridedBlock& block, bool is_send, std::int64_t limit);
  void prepare(const void* send, void* recv);
  void free_persistent();
  void post();
  void post_message(std::size_t number);
  void complete(int count);
  void wait_for_some();
  void check(int code, int count, const char* call) const;
  MPI_Request* posted_requests() { return requests_.data() + low_; }
  int posted_count() const;
  /// Returns the peer of the oldest message under way, for errors.
  int oldest_peer() const;

  Communicator comm_;
  std::int64_t element_bytes_;
  MessageOptions options_;
  Datatype element_;
  std::vector<Datatype> types_;  ///< of blocks that are not contiguous
  std::vector<Message> messages_;
  std::vector<QueueStep> steps_;
  std::vector<std::size_t> steps_until_;  ///< for each chunk: number of steps up to its end
  std::vector<std::size_t> arriving_;     ///< for each chunk: messages that this rank still expects
  std::vector<MPI_Request> requests_;     ///< by message
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  MessageTraffic traffic_;

  const char* send_ = nullptr;
  char* recv_ = nullptr;
  bool has_persistent_ = false;
  std::size_t next_step_ = 0;      ///< the first step that is not posted yet
  std::size_t started_steps_ = 0;  ///< number of steps that may be posted
  std::size_t steps_under_way_ = 0;
  std::size_t low_ = 0;   ///< all messages before this one are complete
  std::size_t high_ = 0;  ///< neither this message nor any later one has been posted
};

}  // namespace weft::comm
