#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace weft::bmmc {

/// Communication between the processors of a transform by superlevels. A single processor needs no
/// such object.
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
  /// Sends at most one message to each processor and receives at most one from each. Collective.
  /// May be called only after together() has shown that no processor failed. A failing exchange
  /// ends the program on all processors.
  virtual void exchange(std::span<const ProcessorMessage> sent,
                        std::span<const ProcessorMessage> received) = 0;

  /// Does the local work. If it throws on any processor, the error is thrown on all. Collective.
  virtual void together(const std::function<void()>& work) = 0;
};

/// Messages that a processor sent, and their bytes.
struct MessageCount {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

}  // namespace weft::bmmc
