#include <weft/error.hpp>

#include "exchange/exchange.hpp"
#include "exchange/methods.hpp"
#include "plan/methods/methods.hpp"

namespace weft::exchange {
namespace {

/// One entry for each method in each wire form; the descriptors are in plan/methods.
struct Entry {
  Method method;
  WireForm wire_form;
  BufferNeeds (*needs)(const ExchangeEndpoint&);
  std::unique_ptr<Executor> (*make)(const Exchange&, const ExchangeEndpoint&, const Group&,
                                    const ExchangeResources&);
};

constexpr Entry table[] = {
    {Method::shared, WireForm::automatic, shared_needs, make_shared},
    {Method::collective, WireForm::packed, packed_needs, make_collective_packed},
    {Method::messages, WireForm::packed, packed_needs, make_messages_packed},
    {Method::collective, WireForm::datatype, plain_needs, make_collective_datatype},
    {Method::messages, WireForm::datatype, plain_needs, make_messages_datatype},
    {Method::rma, WireForm::packed, packed_needs, make_rma},
};

const Entry& find(const Exchange& exchange) {
  for (const Entry& entry : table)
    if (entry.method == exchange.method && entry.wire_form == exchange.wire_form) return entry;
  throw Error(ErrorCode::internal, "no executor for the exchange " + describe(exchange));
}

}  // namespace

BufferNeeds buffer_needs(const Exchange& exchange, const ExchangeEndpoint& side) {
  return is_node_aware(exchange) ? node_aware_needs(exchange, side) : find(exchange).needs(side);
}

std::unique_ptr<Executor> make_executor(const Exchange& exchange, const ExchangeEndpoint& side,
                                        const ExchangeResources& resources) {
  if (is_node_aware(exchange)) return make_node_aware(exchange, side, resources);
  // Memory that ranks access directly is made by all ranks together, so the group is then all
  // ranks.
  const bool is_of_all = reads_peers(exchange) || puts_blocks(exchange);
  return find(exchange).make(
      exchange, side,
      is_of_all ? Group{resources.comm, {}} : make_group(side.from, side.to, resources.comm),
      resources);
}

}  // namespace weft::exchange
