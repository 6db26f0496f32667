#include "plan/methods/methods.hpp"

#include <array>

#include <weft/error.hpp>

namespace weft {
namespace {

std::string always_fits(const Problem&) { return {}; }

std::string needs_one_node(const Problem& problem) {
  if (problem.ranks_per_node >= problem.ranks) return {};
  return "shared exchanges need all ranks on one node with memory that they can share; " +
         std::to_string(problem.ranks_per_node) + " of " + std::to_string(problem.ranks) +
         " can (see node memory in `weft info`); use another method, or leave it out to let weft "
         "choose";
}

const std::array methods = {
    MethodDescriptor{"shared",
                     {Method::shared, WireForm::automatic, Schedule::automatic},
                     "no message: ranks read and write each other's node memory",
                     needs_one_node},
    MethodDescriptor{"collective packed",
                     {Method::collective, WireForm::packed, Schedule::automatic},
                     "one MPI_Alltoallv of blocks that the stages write and read themselves",
                     always_fits},
    MethodDescriptor{"messages pairwise packed",
                     {Method::messages, WireForm::packed, Schedule::pairwise},
                     "one message for each pair of ranks, in rounds of perfect matchings",
                     always_fits},
    MethodDescriptor{"collective datatype",
                     {Method::collective, WireForm::datatype, Schedule::automatic},
                     "one MPI_Alltoallw of subarrays, which MPI packs",
                     always_fits},
};

[[noreturn]] void refuse(const std::string& given) {
  std::string known;
  for (const MethodDescriptor& method : methods)
    known += std::string(known.empty() ? "" : ", ") + method.name;
  throw Error(ErrorCode::unsupported, "an exchange must be one of: " + known + "; given " + given +
                                          "; leave a knob out to let weft choose");
}

std::string words(Method method, WireForm wire_form, Schedule schedule) {
  return std::string("method ") + to_string(method) + ", wire form " + to_string(wire_form) +
         ", schedule " + to_string(schedule);
}

}  // namespace

std::span<const MethodDescriptor> exchange_methods() { return methods; }

const MethodDescriptor& find_method(const Exchange& exchange) {
  for (const MethodDescriptor& method : methods)
    if (method.knobs == exchange) return method;
  refuse(words(exchange.method, exchange.wire_form, exchange.schedule));
}

const MethodDescriptor& choose_method(const Problem& problem) {
  auto agrees = [](auto wanted, auto has) {
    return wanted == decltype(wanted)::automatic || wanted == has;
  };
  const Knobs& knobs = problem.knobs;
  std::string why_not;
  for (const MethodDescriptor& method : methods) {
    if (!agrees(knobs.method, method.knobs.method) ||
        !agrees(knobs.wire_form, method.knobs.wire_form) ||
        !agrees(knobs.schedule, method.knobs.schedule))
      continue;
    const std::string refusal = method.refusal(problem);
    if (refusal.empty()) return method;
    why_not = refusal;
  }
  if (!why_not.empty()) throw Error(ErrorCode::unsupported, why_not);
  refuse(words(knobs.method, knobs.wire_form, knobs.schedule));
}

}  // namespace weft
