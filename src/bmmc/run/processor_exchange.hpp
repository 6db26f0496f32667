#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace weft::bmmc {

/// How the processors of a transform by superlevels talk. One processor has none.
class ProcessorExchange {
 public:
  virtual ~ProcessorExchange() = default;
  virtual int rank() const = 0;

  /// One message to, or from, another processor.
  struct ProcessorMessage {
    int peer = 0;
    char* memory = nullptr;
    std::int64_t bytes = 0;
  };
  /// Sends and receives at most one message to and from each. Collective: all have agreed by
  /// together() that none has failed. An exchange that fails ends the program on all processors.
  virtual void exchange(std::span<const ProcessorMessage> sent,
                        std::span<const ProcessorMessage> received) = 0;

  /// Collective: does the work here; where it threw on any, all throw that error.
  virtual void together(const std::function<void()>& work) = 0;
};

/// What was sent by this processor.
struct MessageCount {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

}  // namespace weft::bmmc
