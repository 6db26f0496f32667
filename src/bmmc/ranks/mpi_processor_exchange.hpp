#pragma once

#include "bmmc/run/processor_exchange.hpp"
#include "comm/communicator.hpp"

namespace weft::bmmc {

/// Uses ranks as processors. Their number must be a power of two. Messages go pair by pair: in step
/// k a rank exchanges with rank xor k.
class MpiProcessorExchange final : public ProcessorExchange {
 public:
  explicit MpiProcessorExchange(const comm::Communicator& comm) : comm_(comm) {}

  int rank() const override { return comm_.rank(); }
  void exchange(std::span<const ProcessorMessage> sent,
                std::span<const ProcessorMessage> received) override;
  void together(const std::function<void()>& work) override;

 private:
  comm::Communicator comm_;
};

}  // namespace weft::bmmc
