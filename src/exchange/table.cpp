#include <weft/error.hpp>

#include "exchange/exchange.hpp"
#include "exchange/packed.hpp"
#include "exchange/shared.hpp"
#include "plan/methods/methods.hpp"

namespace weft::exchange {
namespace {

/// One line for each method; the descriptors stand in plan/methods.
struct Entry {
  Exchange knobs;
  Ends (*ends)(const Side&);
  std::unique_ptr<Executor> (*make)(const Side&, const Group&, const Means&);
};

constexpr Entry table[] = {
    {{Method::shared, WireForm::automatic, Schedule::automatic}, shared_ends, make_shared},
    {{Method::collective, WireForm::packed, Schedule::automatic},
     packed_ends,
     make_collective_packed},
    {{Method::messages, WireForm::packed, Schedule::pairwise}, packed_ends, make_messages_packed},
    {{Method::collective, WireForm::datatype, Schedule::automatic},
     plain_ends,
     make_collective_datatype},
};

const Entry& find(const Exchange& exchange) {
  for (const Entry& entry : table)
    if (entry.knobs == exchange) return entry;
  throw Error(ErrorCode::internal,
              std::string("no executor for the exchange method ") + find_method(exchange).name);
}

}  // namespace

Ends ends(const Exchange& exchange, const Side& side) { return find(exchange).ends(side); }

std::unique_ptr<Executor> make_executor(const Exchange& exchange, const Side& side,
                                        const Means& means) {
  const bool is_shared = exchange.method == Method::shared;  // meets all ranks, needs no group
  return find(exchange).make(side, is_shared ? Group{} : make_group(side.from, side.to, means.comm),
                             means);
}

}  // namespace weft::exchange
