#include "model/measured_exchanges.hpp"

#include <weft/error.hpp>

#include "model/between.hpp"
#include "plan/methods/methods.hpp"

namespace weft::model {
namespace {

double Blocking::*factor_of(const Exchange& exchange) {
  if (is_one_call(exchange)) return &Blocking::collective;
  const bool is_undecided = sends_messages(exchange) && exchange.schedule == Schedule::automatic;
  if (!has_method(exchange) || reads_peers(exchange) || is_undecided)
    throw Error(ErrorCode::internal,
                "no blocking was measured of the exchange " + describe(exchange));
  switch (exchange.schedule) {
    case Schedule::pairwise:
      return &Blocking::pairwise;
    case Schedule::cyclic:
      return &Blocking::cyclic;
    case Schedule::scattered:
    case Schedule::automatic:  // MPI gets all transfers at once
      break;
  }
  return &Blocking::scattered;
}

/// Returns, for each measured number of ranks, the fit that holds for `bytes` bytes.
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
