#pragma once

#include <barrier>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "bmmc/run/processor_exchange.hpp"

namespace weft::test_support {

/// Threads that act as processors and send each other messages.
class ThreadProcessorExchange final : public bmmc::ProcessorExchange {
 public:
  struct Office {
    explicit Office(int processors)
        : meeting(processors), failures(static_cast<std::size_t>(processors)) {}
    std::barrier<> meeting;
    std::vector<std::exception_ptr> failures;
    std::map<std::pair<int, int>, ProcessorMessage> messages;  ///< from, to
    std::mutex busy;
  };

  ThreadProcessorExchange(Office& office, int rank) : office_(office), rank_(rank) {}

  int rank() const override { return rank_; }

  void exchange(std::span<const ProcessorMessage> sent,
                std::span<const ProcessorMessage> received) override {
    {
      const std::lock_guard lock(office_.busy);
      for (const ProcessorMessage& message : sent)
        if (!office_.messages.emplace(std::pair(rank_, message.peer), message).second)
          throw Error(ErrorCode::internal, "two messages from one processor to another");
    }
    office_.meeting.arrive_and_wait();
    for (const ProcessorMessage& message : received) {
      const ProcessorMessage given = taken(message.peer);
      if (given.bytes != message.bytes)
        throw Error(ErrorCode::internal, "the receiver expects other bytes");
      std::memcpy(message.memory, given.memory, static_cast<std::size_t>(message.bytes));
    }
    office_.meeting.arrive_and_wait();
  }

  void together(const std::function<void()>& work) override {
    std::exception_ptr& mine = office_.failures[static_cast<std::size_t>(rank_)];
    mine = nullptr;
    try {
      work();
    } catch (...) {
      mine = std::current_exception();
    }
    office_.meeting.arrive_and_wait();
    std::exception_ptr first;
    for (const std::exception_ptr& each : office_.failures)
      if (each && !first) first = each;
    office_.meeting.arrive_and_wait();
    if (first) std::rethrow_exception(first);
  }

 private:
  ProcessorMessage taken(int from) {
    const std::lock_guard lock(office_.busy);
    const ProcessorMessage message = office_.messages.at({from, rank_});
    office_.messages.erase({from, rank_});
    return message;
  }

  Office& office_;
  int rank_;
};

/// Does the work of all processors at the same time. Throws the error of the lowest processor that
/// failed. If one processor fails outside of together(), the others wait for ever.
inline void on_processors(
    int processors,
    const std::function<void(int processor, bmmc::ProcessorExchange& peers)>& work) {
  ThreadProcessorExchange::Office office(processors);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(processors));
  {
    std::vector<std::jthread> threads;
    for (int processor = 0; processor < processors; ++processor)
      threads.emplace_back([&, processor] {
        ThreadProcessorExchange peers(office, processor);
        try {
          work(processor, peers);
        } catch (...) {
          failures[static_cast<std::size_t>(processor)] = std::current_exception();
        }
      });
  }
  if (!office.messages.empty()) throw Error(ErrorCode::internal, "a message was not received");
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace weft::test_support
