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

/// Threads that stand for processors and send each other parcels.
class ThreadMail final : public bmmc::Mail {
 public:
  struct Office {
    explicit Office(int processors)
        : meeting(processors), failures(static_cast<std::size_t>(processors)) {}
    std::barrier<> meeting;
    std::vector<std::exception_ptr> failures;
    std::map<std::pair<int, int>, Parcel> parcels;  ///< from, to
    std::mutex busy;
  };

  ThreadMail(Office& office, int rank) : office_(office), rank_(rank) {}

  int rank() const override { return rank_; }

  void exchange(std::span<const Parcel> sent, std::span<const Parcel> received) override {
    {
      const std::lock_guard lock(office_.busy);
      for (const Parcel& parcel : sent)
        if (!office_.parcels.emplace(std::pair(rank_, parcel.peer), parcel).second)
          throw Error(ErrorCode::internal, "two parcels from one processor to another");
    }
    office_.meeting.arrive_and_wait();
    for (const Parcel& parcel : received) {
      const Parcel given = taken(parcel.peer);
      if (given.bytes != parcel.bytes) throw Error(ErrorCode::internal, "bytes that differ");
      std::memcpy(parcel.memory, given.memory, static_cast<std::size_t>(parcel.bytes));
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
  Parcel taken(int from) {
    const std::lock_guard lock(office_.busy);
    const Parcel parcel = office_.parcels.at({from, rank_});
    office_.parcels.erase({from, rank_});
    return parcel;
  }

  Office& office_;
  int rank_;
};

/// Does the work as each of so many processors at a time; throws what the first of them threw. What is
/// thrown outside of together() would leave the others waiting: it ends the program.
inline void on_processors(int processors,
                          const std::function<void(int processor, bmmc::Mail& mail)>& work) {
  ThreadMail::Office office(processors);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(processors));
  {
    std::vector<std::jthread> threads;
    for (int processor = 0; processor < processors; ++processor)
      threads.emplace_back([&, processor] {
        ThreadMail mail(office, processor);
        try {
          work(processor, mail);
        } catch (...) {
          failures[static_cast<std::size_t>(processor)] = std::current_exception();
        }
      });
  }
  if (!office.parcels.empty()) throw Error(ErrorCode::internal, "a parcel that nobody received");
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace weft::test_support
