#include "bmmc/ranks/mpi_processor_exchange.hpp"

#include <weft/error.hpp>

#include "comm/agreement.hpp"
#include "comm/end_all_ranks.hpp"

namespace weft::bmmc {
namespace {

ProcessorExchange::ProcessorMessage message_with(
    std::span<const ProcessorExchange::ProcessorMessage> messages, int peer) {
  for (const ProcessorExchange::ProcessorMessage& message : messages)
    if (message.peer == peer) return message;
  return {};
}

}  // namespace

void MpiProcessorExchange::exchange(std::span<const ProcessorMessage> sent,
                                    std::span<const ProcessorMessage> received) {
  try {
    for (int step = 1; step < comm_.size(); ++step) {
      const int peer = comm_.rank() ^ step;
      const ProcessorMessage out = message_with(sent, peer);
      const ProcessorMessage in = message_with(received, peer);
      if (out.bytes > 0 || in.bytes > 0)
        comm_.exchange_pair(peer, out.memory, out.bytes, in.memory, in.bytes, 1);
    }
  } catch (const Error& error) {
    if (error.code() == ErrorCode::mpi_failure) comm::end_all_ranks(comm_.rank(), error.what());
    throw;
  }
}

void MpiProcessorExchange::together(const std::function<void()>& work) {
  comm::together(comm_, work);
}

}  // namespace weft::bmmc
