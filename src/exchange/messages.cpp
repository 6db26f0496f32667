#include "exchange/methods.hpp"
#include "exchange/own_blocks.hpp"
#include "exchange/steps.hpp"

namespace weft::exchange {
namespace {

/// Point-to-point messages in the order of a schedule.
class MessageExecutor : public Executor {
 public:
  MessageExecutor(comm::Messages messages, OwnBlocks own)
      : messages_(std::move(messages)), own_(std::move(own)) {}

  void start(int chunk, void* send, void* recv) override {
    messages_.start(chunk, send, recv);
    if (!own_is_there_) own_.copy(chunk, send, recv);
    flight_.update(!messages_.is_idle());
  }
  void progress() override {
    messages_.progress();
    flight_.update(!messages_.is_idle());
  }
  void wait(int chunk) override {
    messages_.wait(chunk);
    flight_.update(!messages_.is_idle());
  }
  void finish() override {
    messages_.finish();
    flight_.update(false);
  }
  comm::MessageTraffic traffic() const override { return messages_.traffic(); }
  std::int64_t copied_bytes() const override { return own_is_there_ ? 0 : own_.bytes(); }

 private:
  comm::Messages messages_;
  OwnBlocks own_;
};

std::unique_ptr<Executor> make_messages(const Exchange& exchange, const ExchangeEndpoint& side,
                                        const Group& group, const ExchangeResources& resources,
                                        const WireBlocks& blocks) {
  return std::make_unique<MessageExecutor>(
      comm::Messages(
          group.comm,
          message_steps(exchange, blocks, side, group.index_of(side.rank), group.comm.size()),
          side.element_bytes, message_options(exchange, resources)),
      OwnBlocks(side, blocks));
}

}  // namespace

std::unique_ptr<Executor> make_messages_packed(const Exchange& exchange,
                                               const ExchangeEndpoint& side, const Group& group,
                                               const ExchangeResources& resources) {
  return make_messages(exchange, side, group, resources, packed_wire_blocks(side, group));
}

std::unique_ptr<Executor> make_messages_datatype(const Exchange& exchange,
                                                 const ExchangeEndpoint& side, const Group& group,
                                                 const ExchangeResources& resources) {
  ExchangeEndpoint copied = side;  // copies own blocks, because the later stage reads one buffer
  copied.keep_own_block = false;
  return make_messages(exchange, copied, group, resources, plain_wire_blocks(side, group));
}

}  // namespace weft::exchange
