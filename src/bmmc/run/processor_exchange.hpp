#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace weft::bmmc {

/// How the processors of a transform by superlevels talk. One processor has none.
class Mail {
 public:
  virtual ~Mail() = default;
  virtual int rank() const = 0;

  /// One message to, or from, another processor.
  struct Parcel {
    int peer = 0;
    char* memory = nullptr;
    std::int64_t bytes = 0;
  };
  /// Sends and receives at most one parcel to and from each. Collective: all have agreed by
  /// together() that none has failed. An exchange that fails ends the program on all processors.
  virtual void exchange(std::span<const Parcel> sent, std::span<const Parcel> received) = 0;

  /// Collective: does the work here; where it threw on any, all throw that error.
  virtual void together(const std::function<void()>& work) = 0;
};

/// What was sent by this processor.
struct MailCount {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

}  // namespace weft::bmmc
