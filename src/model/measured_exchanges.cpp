#include "model/measured_exchanges.hpp"

#include <weft/error.hpp>

#include "model/between.hpp"

namespace weft::model {
namespace {

double Blocking::*factor_of(const Exchange& exchange) {
  switch (exchange.method) {
    case Method::collective:
      return &Blocking::collective;
    case Method::messages:
      switch (exchange.schedule) {
        case Schedule::pairwise:
          return &Blocking::pairwise;
        case Schedule::cyclic:
          return &Blocking::cyclic;
        case Schedule::scattered:
          return &Blocking::scattered;
        case Schedule::automatic:
          break;
      }
      break;
    case Method::shared:
    case Method::automatic:
      break;
  }
  throw Error(ErrorCode::internal,
              "no blocking was measured of the exchange " + describe(exchange));
}

/// Returns the fit for `bytes` bytes of each number of ranks.
std::vector<AllToAll> fits_at(const std::vector<AllToAll>& all, double bytes) {
  std::vector<AllToAll> found;
  for (const AllToAll& each : all) {
    if (found.empty() || found.back().ranks != each.ranks)
      found.push_back(each);
    else if (static_cast<double>(each.from_bytes) <= bytes)
      found.back() = each;
  }
  return found;
}

}  // namespace

double blocking_of(const Machine& machine, const Exchange& exchange, double message_bytes) {
  if (machine.blocking.empty()) return 1;
  const auto factor = factor_of(exchange);
  return between(machine.blocking, message_bytes,
                 [](const Blocking& at) { return at.message_bytes; })
      .mean([&](const Blocking& at) { return at.*factor; });
}

FittedCall fitted_call(const Machine& machine, double ranks, double bytes) {
  const std::vector<AllToAll> fits = fits_at(machine.all_to_all, bytes);
  const auto mixed = between(fits, ranks, [](const AllToAll& fit) { return fit.ranks; });
  return {mixed.mean([](const AllToAll& fit) { return fit.start_s; }),
          mixed.mean([](const AllToAll& fit) { return fit.s_per_byte; })};
}

}  // namespace weft::model
