#include "plan/methods/methods.hpp"

#include <algorithm>
#include <array>

#include <weft/error.hpp>

#include "plan/methods/presets.hpp"

namespace weft {
namespace {

std::string needs_one_node(const Problem& problem) {
  if (problem.ranks_per_node >= problem.ranks) return {};
  return "shared exchanges need all ranks on one node with memory that they can share; " +
         std::to_string(problem.ranks_per_node) + " of " + std::to_string(problem.ranks) +
         " can (see node memory in `weft info`); use another method, or none and weft "
         "chooses";
}

constexpr std::array all_schedules{Schedule::pairwise, Schedule::cyclic, Schedule::scattered};
constexpr std::array all_node_uses{NodeUse::unaware, NodeUse::separate, NodeUse::combined};
constexpr std::array all_requests{Requests::ordinary, Requests::persistent};

const std::array methods = {
    MethodDescriptor{.name = "shared",
                     .method = Method::shared,
                     .wire_form = WireForm::automatic,
                     .reads_peers = true,
                     .summary = "no message: ranks read and write each other's node memory",
                     .refusal = needs_one_node},
    MethodDescriptor{.name = "collective packed",
                     .method = Method::collective,
                     .wire_form = WireForm::packed,
                     .has_chunks = true,
                     .is_one_call = true,
                     .summary = "MPI_Alltoallv (MPI_Alltoall where all blocks are equal) of blocks "
                                "that the stages write and read themselves"},
    MethodDescriptor{.name = "messages packed",
                     .method = Method::messages,
                     .wire_form = WireForm::packed,
                     .schedules = all_schedules,
                     .requests = all_requests,
                     .node_uses = all_node_uses,
                     .has_chunks = true,
                     .sends_messages = true,
                     .summary = "blocks that the stages write and read themselves"},
    MethodDescriptor{.name = "collective datatype",
                     .method = Method::collective,
                     .wire_form = WireForm::datatype,
                     .has_chunks = true,
                     .is_one_call = true,
                     .summary = "MPI_Alltoallw of subarrays, which MPI packs"},
    MethodDescriptor{.name = "messages datatype",
                     .method = Method::messages,
                     .wire_form = WireForm::datatype,
                     .schedules = all_schedules,
                     .requests = all_requests,
                     .has_chunks = true,
                     .sends_messages = true,
                     .summary = "messages of subarrays, which MPI packs"},
    MethodDescriptor{.name = "rma packed",
                     .method = Method::rma,
                     .wire_form = WireForm::packed,
                     .has_chunks = true,
                     .puts_blocks = true,
                     .on_request = true,
                     .summary = "MPI_Put of blocks that the stages write themselves, into memory "
                                "that the receivers expose"},
};

std::string own_refusal(const MethodDescriptor& method, const Problem& problem) {
  return method.refusal == nullptr ? "" : method.refusal(problem);
}

/// Returns a descriptor of a method in any wire form. Returns null if no method is chosen yet.
const MethodDescriptor* of_method(Method method) {
  const auto found =
      std::find_if(methods.begin(), methods.end(),
                   [&](const MethodDescriptor& each) { return each.method == method; });
  return found == methods.end() ? nullptr : &*found;
}

/// Returns a trait of the method of an exchange. Returns false if no method is chosen yet.
bool has(const Exchange& exchange, bool MethodDescriptor::*trait) {
  const MethodDescriptor* method = of_method(exchange.method);
  return method != nullptr && method->*trait;
}

template <class E>
std::string words_of(std::span<const E> values) {
  std::string text;
  for (const E value : values) text += (text.empty() ? "" : ", ") + std::string(to_string(value));
  return text.empty() ? "none" : text;
}

bool is_aware(NodeUse nodes) { return nodes == NodeUse::separate || nodes == NodeUse::combined; }

std::string words(const Exchange& exchange) {
  return std::string("method ") + to_string(exchange.method) + ", wire form " +
         to_string(exchange.wire_form) + ", schedule " + to_string(exchange.schedule) +
         ", requests " + to_string(exchange.requests) + ", chunks " +
         std::to_string(exchange.chunks) + ", nodes " + to_string(exchange.nodes) + ", wire " +
         to_string(exchange.wire) + ", bytes of a piece " + std::to_string(exchange.piece_bytes);
}

/// Returns the reason why these choices are incompatible.
std::string reason(const Exchange& exchange) {
  const bool ordered =
      exchange.schedule != Schedule::automatic || exchange.requests != Requests::automatic;
  const bool cut = exchange.piece_bytes > 0;
  const bool narrow = exchange.wire != WirePrecision::same;
  if (reads_peers(exchange))
    return std::string(to_string(exchange.method)) +
           " exchanges send nothing, so wire form, schedule, requests, chunks, nodes, wire and "
           "pieces belong to other methods";
  const bool orders_its_own = exchange.method != Method::automatic && !sends_messages(exchange);
  if (orders_its_own && (ordered || cut || is_aware(exchange.nodes)))
    return std::string("the method ") + to_string(exchange.method) +
           " orders its own transfers, so schedule, requests, nodes and pieces belong to messages";
  if (exchange.wire_form == WireForm::datatype && (cut || narrow || is_aware(exchange.nodes)))
    return "blocks that MPI packs (datatype) are not cut, converted or combined, so pieces, wire "
           "f32 and nodes need the packed wire form";
  if (is_aware(exchange.nodes) && exchange.chunks > 1)
    return "node-aware exchanges go in one chunk";
  return "no method has all of these";
}

[[noreturn]] void refuse(const Exchange& given) {
  std::string known;
  for (const MethodDescriptor& method : methods) {
    known += std::string(known.empty() ? "" : "; ") + method.name;
    if (!method.schedules.empty())
      known += " (schedules " + words_of(method.schedules) + "; requests " +
               words_of(method.requests) +
               (method.node_uses.empty()
                    ? ""
                    : "; nodes " + words_of(method.node_uses) + ", the last two in one chunk") +
               ")";
  }
  throw Error(ErrorCode::unsupported, "an exchange must be one of: " + known + "; given " +
                                          words(given) + ": " + reason(given) +
                                          "; leave a choice out to let weft choose");
}

template <class E>
bool agrees(E wanted, E has) {
  return wanted == E::automatic || wanted == has;
}

template <class E>
bool has_value(std::span<const E> values, E value) {
  if (value == E::automatic) return values.empty();
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// Returns whether blocks can be cut into pieces. Packed blocks of messages can. Strided blocks
/// cannot, because sender and receiver would cut them differently.
bool has_pieces(const MethodDescriptor& method) {
  return method.method == Method::messages && method.wire_form == WireForm::packed;
}

/// Returns whether the method offers these forced choices.
bool offers(const MethodDescriptor& method, const Exchange& forced) {
  if (is_node_aware(forced) && forced.chunks > 1) return false;
  return agrees(forced.method, method.method) && agrees(forced.wire_form, method.wire_form) &&
         (forced.schedule == Schedule::automatic || has_value(method.schedules, forced.schedule)) &&
         (forced.requests == Requests::automatic || has_value(method.requests, forced.requests)) &&
         (forced.nodes == NodeUse::automatic || has_value(method.node_uses, forced.nodes)) &&
         (forced.chunks <= 1 || method.has_chunks) &&
         (forced.wire == WirePrecision::same || method.wire_form == WireForm::packed) &&
         (forced.piece_bytes == 0 || has_pieces(method));
}

template <class E>
E decided(E forced, std::span<const E> values) {
  return forced != E::automatic || values.empty() ? forced : values[0];
}

/// Returns the uses of nodes that differ for this problem. They differ only if there are several
/// nodes of several ranks.
std::vector<NodeUse> node_uses(const MethodDescriptor& method, const Problem& problem,
                               std::int64_t chunks) {
  if (method.node_uses.empty()) return {NodeUse::automatic};
  const bool several = problem.ranks_per_node > 1 && problem.ranks_per_node < problem.ranks;
  if (!several || chunks > 1) return {NodeUse::unaware};
  return {method.node_uses.begin(), method.node_uses.end()};
}

}  // namespace

std::string refusal(const MethodDescriptor& method, const Exchange& exchange,
                    const Problem& problem) {
  if (is_node_aware(exchange) && problem.ranks_per_node < 2 && problem.ranks > 1)
    return std::string("nodes ") + to_string(exchange.nodes) +
           " needs ranks that share memory and are numbered node by node; no two such ranks "
           "were found (see node memory in `weft info`); use nodes unaware, or leave nodes out";
  return own_refusal(method, problem);
}

bool has_method(const Exchange& exchange) { return of_method(exchange.method) != nullptr; }

bool reads_peers(const Exchange& exchange) { return has(exchange, &MethodDescriptor::reads_peers); }

bool sends_messages(const Exchange& exchange) {
  return has(exchange, &MethodDescriptor::sends_messages);
}

bool is_one_call(const Exchange& exchange) { return has(exchange, &MethodDescriptor::is_one_call); }

bool puts_blocks(const Exchange& exchange) { return has(exchange, &MethodDescriptor::puts_blocks); }

bool is_on_request(const Exchange& exchange) {
  return has(exchange, &MethodDescriptor::on_request);
}

bool is_node_aware(const Exchange& exchange) { return is_aware(exchange.nodes); }

bool uses_node_memory(const Exchange& exchange) {
  return reads_peers(exchange) || is_node_aware(exchange);
}

bool exchanges_can_overlap(const Plan& plan) {
  return !plan.exchanges.empty() &&
         std::none_of(plan.exchanges.begin(), plan.exchanges.end(), uses_node_memory);
}

namespace {

const MethodDescriptor* method_of(const Exchange& exchange) {
  for (const MethodDescriptor& method : methods)
    if (method.method == exchange.method && method.wire_form == exchange.wire_form &&
        has_value(method.schedules, exchange.schedule) &&
        has_value(method.requests, exchange.requests) &&
        has_value(method.node_uses, exchange.nodes) && exchange.chunks >= 1 &&
        (exchange.chunks == 1 || !is_node_aware(exchange)) &&
        (exchange.chunks == 1 || method.has_chunks) &&
        (exchange.wire == WirePrecision::same || method.wire_form == WireForm::packed) &&
        exchange.piece_bytes >= 0 && (exchange.piece_bytes == 0 || has_pieces(method)))
      return &method;
  return nullptr;
}

}  // namespace

const MethodDescriptor& find_method(const Exchange& exchange) {
  const MethodDescriptor* method = method_of(exchange);
  if (method == nullptr) refuse(exchange);
  return *method;
}

bool is_possible(const Exchange& exchange) { return method_of(exchange) != nullptr; }

Exchange forced_exchange(const Problem& problem, std::size_t number) {
  const Exchange preset = preset_exchange(problem.exchange.preset, number);
  Exchange forced = problem.exchange;
  forced.preset = Preset::none;
  if (forced.method == Method::automatic) forced.method = preset.method;
  if (forced.wire_form == WireForm::automatic) forced.wire_form = preset.wire_form;
  if (forced.schedule == Schedule::automatic) forced.schedule = preset.schedule;
  if (forced.requests == Requests::automatic) forced.requests = preset.requests;
  if (forced.chunks == 0 && !is_node_aware(forced)) forced.chunks = preset.chunks;
  return forced;
}

Exchange choose_exchange(const Problem& problem, std::size_t number, std::int64_t slices) {
  const Exchange forced = forced_exchange(problem, number);
  std::string why_not;
  for (const MethodDescriptor& method : methods) {
    if (!offers(method, forced)) continue;
    if (method.on_request && forced.method != method.method) continue;
    // On one rank, packed messages leave the only block in place. Other methods copy it, or need
    // shared memory.
    if (problem.ranks == 1 && method.method != Method::messages && forced.method != method.method)
      continue;
    why_not = refusal(method, forced, problem);
    if (!why_not.empty()) continue;
    return {method.method,
            method.wire_form,
            decided(forced.schedule, method.schedules),
            decided(forced.requests, method.requests),
            std::clamp<std::int64_t>(forced.chunks, 1, std::max<std::int64_t>(1, slices)),
            decided(forced.nodes, method.node_uses),
            forced.wire,
            forced.piece_bytes};
  }
  if (!why_not.empty()) throw Error(ErrorCode::unsupported, why_not);
  refuse(forced);
}

std::vector<Exchange> all_exchanges(const Problem& problem, std::int64_t chunks,
                                    std::int64_t piece_bytes) {
  std::vector<Exchange> found;
  for (const MethodDescriptor& method : methods) {
    if (!own_refusal(method, problem).empty()) continue;
    std::vector<Schedule> schedules(method.schedules.begin(), method.schedules.end());
    std::vector<Requests> requests(method.requests.begin(), method.requests.end());
    if (schedules.empty()) schedules.push_back(Schedule::automatic);
    if (requests.empty()) requests.push_back(Requests::automatic);
    std::vector<std::int64_t> counts{1};
    if (method.has_chunks && chunks > 1) counts.push_back(chunks);
    std::vector<std::int64_t> pieces{0};
    if (has_pieces(method) && piece_bytes > 0) pieces.push_back(piece_bytes);
    for (const Schedule schedule : schedules)
      for (const Requests request : requests)
        for (const std::int64_t count : counts)
          for (const NodeUse nodes : node_uses(method, problem, count))
            for (const std::int64_t bytes : pieces)
              found.push_back(
                  {method.method, method.wire_form, schedule, request, count, nodes, {}, bytes});
  }
  return found;
}

std::string describe(const Exchange& exchange) {
  std::string text = to_string(exchange.method);
  if (exchange.schedule != Schedule::automatic)
    text += std::string(" ") + to_string(exchange.schedule);
  if (exchange.wire_form != WireForm::automatic)
    text += std::string(" ") + to_string(exchange.wire_form);
  if (exchange.requests == Requests::persistent) text += ", persistent";
  if (is_node_aware(exchange))
    text += std::string(", ") + to_string(exchange.nodes) + " between nodes";
  if (exchange.piece_bytes > 0)
    text += ", pieces of " + std::to_string(exchange.piece_bytes) + " bytes";
  if (exchange.wire == WirePrecision::f32) text += ", f32 on the wire";
  if (exchange.chunks > 1) text += ", " + std::to_string(exchange.chunks) + " chunks";
  return text;
}

}  // namespace weft
