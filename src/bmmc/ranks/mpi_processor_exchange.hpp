#pragma once

#include "bmmc/run/processor_exchange.hpp"
#include "comm/communicator.hpp"

namespace weft::bmmc {

/// Each MPI rank is a processor of the transform. The number of ranks must be a power of two. In
/// step k, rank r exchanges messages with rank r xor k.
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
