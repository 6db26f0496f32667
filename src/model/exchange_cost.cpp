#include "model/exchange_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <weft/error.hpp>

#include "model/element_bytes.hpp"
#include "model/measured_exchanges.hpp"
#include "model/moving.hpp"
#include "model/rounds.hpp"
#include "model/topology.hpp"
#include "plan/methods/methods.hpp"

namespace weft::model {
namespace {

struct Exchanged {
  const Problem& problem;
  Exchange exchange;  ///< with at most chunks_of() chunks
  const Layout& from;
  const Layout& to;
  double element_bytes = 0;
  const Placement& placement;
  std::int64_t on_node = 1;  ///< ranks on a node
};

Exchanged exchanged(const Plan& plan, std::size_t number, const Machine& machine,
                    KnownCounts& known) {
  Exchange exchange = plan.exchanges[number];
  exchange.chunks = chunks_of(plan, number);
  const auto bytes = static_cast<double>(element_bytes_after(plan, number));
  const Placement& placement = placement_of(plan.problem, machine, known);
  return {plan.problem,
          exchange,
          plan.stages[number].target,
          plan.stages[number + 1].source,
          exchange.wire == WirePrecision::f32 ? bytes / 2 : bytes,
          placement,
          placement.on_node()};
}

void require_neighbours(const Exchanged& what, const Machine& machine) {
  if (!uses_node_memory(what.exchange) || what.placement.keeps_nodes_together()) return;
  throw Error(ErrorCode::invalid_argument,
              "the exchange \"" + describe(what.exchange) +
                  "\" needs the ranks of a node to be consecutive; given the order \"" +
                  machine.topology.order +
                  "\"; use an order that begins with t, or another exchange");
}

/// Changes the traffic according to the exchange's use of nodes. Memory may replace messages within
/// a node, and messages to other nodes may be combined.
void use_nodes(Traffic& traffic, const Exchanged& what) {
  const auto together = static_cast<double>(what.on_node);
  switch (what.exchange.nodes) {
    case NodeUse::automatic:
    case NodeUse::unaware:
      break;
    case NodeUse::separate:
      traffic.near_bytes = traffic.near_messages = 0;
      break;
    case NodeUse::combined:
      traffic.near_bytes = traffic.near_messages = 0;
      // Each pair of nodes has one message in each direction. The ranks of a node divide these
      // messages among themselves.
      traffic.far_messages = std::ceil(traffic.far_messages / (together * together));
      traffic.longest *= together * together;
      break;
  }
}

/// Returns the groups of ranks that exchange with each other: the rows or columns of a process
/// grid, or all ranks.
Groups groups_of(const Exchanged& what) {
  Groups groups;
  std::vector<bool> grouped(static_cast<std::size_t>(what.problem.ranks), false);
  for (std::int64_t rank = 0; rank < what.problem.ranks; ++rank) {
    if (grouped[static_cast<std::size_t>(rank)]) continue;
    std::vector<std::int64_t> group = what.to.ranks_meeting(what.from.box(rank));
    if (group.empty()) continue;  // a rank without data sends nothing
    groups.push_back(std::move(group));
    for (const std::int64_t peer : groups.back()) grouped[static_cast<std::size_t>(peer)] = true;
  }
  return groups;
}

bool is_shared_network(const Topology& topology) {
  return topology.network != Network::crossbar || topology.bisection > 0;
}

/// Returns whether the first group determines all others, so that their counts can be reused.
/// Groups from the user's own boxes differ, so they are counted each time.
bool are_alike(const Exchanged& what) { return what.from.is_grid() && what.to.is_grid(); }

GroupsAlike known_by(const Exchanged& what, const std::vector<std::int64_t>& first) {
  return {first, what.from.ranks() - what.from.empty_ranks()};
}

const Groups& groups_of(const Exchanged& what, const std::vector<std::int64_t>& first,
                        KnownCounts& known) {
  GroupsAlike alike = known_by(what, first);
  if (!are_alike(what) || known.groups_known_by != alike) {
    const bool all = static_cast<std::int64_t>(first.size()) == what.problem.ranks;
    known.groups = all ? Groups{first} : groups_of(what);
    known.groups_known_by = std::move(alike);
  }
  return known.groups;
}

/// Returns whether rank 0 and its peers exchange with each other only.
bool in_groups(const Exchanged& what, const std::vector<std::int64_t>& first) {
  if (!are_alike(what)) return true;
  const auto begins_alike = [&](std::int64_t rank) {
    return what.to.ranks_meeting(what.from.box(rank)) == first;
  };
  return first.empty() || (begins_alike(first.front()) && begins_alike(first.back()));
}

/// Ranks that exchange with rank 0. `share` is the part of all possible messages among them that is
/// sent.
struct FirstGroup {
  std::vector<std::int64_t> ranks;
  double share = 1;
};

/// Returns the group of rank 0. If rows of one grid are not rows of the other, the ranks form no
/// closed groups. All ranks then count as one group, and each sends as many messages as the busiest
/// rank.
FirstGroup first_group(const Exchanged& what, KnownCounts& known) {
  FirstGroup first{what.to.ranks_meeting(what.from.box(0))};
  if (in_groups(what, first.ranks)) return first;
  first.ranks.resize(static_cast<std::size_t>(what.problem.ranks));
  std::iota(first.ranks.begin(), first.ranks.end(), std::int64_t{0});
  const Traffic traffic = known.traffic.of(what.from, what.to, what.element_bytes, what.placement);
  first.share = std::min(1.0, traffic.messages() / static_cast<double>(what.problem.ranks - 1));
  return first;
}

bool sends(const Exchange& exchange) {
  if (has_method(exchange)) return !reads_peers(exchange);
  throw Error(ErrorCode::internal, "an exchange without a method has no predicted cost");
}

bool is_one_by_one(const Exchange& exchange) { return sends(exchange) && !all_at_once(exchange); }

/// Returns the busiest link if every message has one byte.
BusiestLink load_of(const Exchanged& what, const std::vector<std::int64_t>& first,
                    const Machine& machine, KnownCounts& known) {
  const bool short_first = machine.topology.short_ways_first && !is_one_by_one(what.exchange);
  const auto key = std::make_pair(short_first, known_by(what, first));
  if (const auto found = known.loads.find(key); are_alike(what) && found != known.loads.end())
    return found->second;
  BusiestLink link = busiest_link(machine.topology, groups_of(what, first, known),
                                  what.placement.node_of(), short_first);
  if (are_alike(what)) known.loads.emplace(key, link);
  return link;
}

/// Returns whether the load is counted round by round. The result is false for combined messages of
/// nodes, because these have rounds of their own.
bool goes_in_rounds(const Exchange& exchange) {
  return is_one_by_one(exchange) && exchange.nodes != NodeUse::combined;
}

/// As load_of(), for messages that wait for each other. Each round has its own busiest link.
BusiestLink load_by_rounds(const Exchanged& what, const std::vector<std::int64_t>& first,
                           const Machine& machine, KnownCounts& known) {
  const Schedule schedule = what.exchange.schedule;
  const auto key = std::make_pair(schedule, known_by(what, first));
  if (const auto found = known.round_loads.find(key);
      are_alike(what) && found != known.round_loads.end())
    return found->second;
  BusiestLink link = busiest_by_rounds(machine.topology, schedule, groups_of(what, first, known),
                                       what.placement.node_of());
  if (are_alike(what)) known.round_loads.emplace(key, link);
  return link;
}

/// Returns the part of a node's rate that its messages can use. On a torus the rate is the sum over
/// all links of the node, but a message uses only one link. A rank that sends one message after the
/// other uses one link at a time.
double share_at_once(const Exchanged& what, const Topology& topology) {
  if (topology.network != Network::torus || !is_one_by_one(what.exchange)) return 1;
  return std::min(1.0, static_cast<double>(what.on_node) * topology.link);
}

/// Returns the busiest link and its bytes, in units of a node's rate.
BusiestLink busiest(const Exchanged& what, const Traffic& traffic, const Machine& machine,
                    KnownCounts& known) {
  const auto on_node = static_cast<double>(what.on_node);
  BusiestLink node{traffic.far_bytes * on_node / share_at_once(what, machine.topology), ""};
  const bool shared = is_shared_network(machine.topology) && !known.links_of_their_own;
  if (!shared || traffic.far_messages == 0) return node;
  const FirstGroup first = first_group(what, known);
  BusiestLink link = load_of(what, first.ranks, machine, known);
  // Counting by rounds cannot give less than counting all messages together, except from a sample
  // of the rounds. So the larger load is taken.
  if (goes_in_rounds(what.exchange))
    if (BusiestLink rounds = load_by_rounds(what, first.ranks, machine, known);
        rounds.load > link.load)
      link = std::move(rounds);
  // The loads count messages between ranks, even if nodes combine these messages.
  const Traffic of_ranks = known.traffic.of(what.from, what.to, what.element_bytes, what.placement);
  link.load *= first.share * of_ranks.far_bytes / of_ranks.far_messages;
  return link.load > node.load ? link : node;
}

/// Adds the time according to the machine's measured all-to-alls. Each chunk is a call. All calls
/// are under way together, so their bytes take the time of one call. Each call after the first adds
/// the time of a call without data.
void add_fitted(StepCost& step, const Exchanged& what, const Traffic& traffic,
                const Machine& machine) {
  const double ranks = traffic.far_messages + 1;
  const FittedCall whole = fitted_call(machine, ranks, traffic.longest);
  const FittedCall shortest = fitted_call(machine, ranks, 0);
  const double more_calls = static_cast<double>(what.exchange.chunks - 1);
  // A fitted line may have an intercept below 0.
  step.start_s = std::max(0.0, whole.start_s) + more_calls * std::max(0.0, shortest.start_s);
  step.wire_s = std::max(0.0, traffic.longest * whole.s_per_byte + std::min(0.0, whole.start_s));
}

/// Returns the number of pieces of a block of `bytes` bytes.
double pieces_of(const Exchange& exchange, double bytes) {
  if (exchange.piece_bytes == 0) return 1;
  return std::max(1.0, std::ceil(bytes / static_cast<double>(exchange.piece_bytes)));
}

double length_of_piece(const Exchange& exchange, double bytes) {
  return exchange.piece_bytes == 0 ? bytes
                                   : std::min(bytes, static_cast<double>(exchange.piece_bytes));
}

/// Returns the bytes with which one message delays others. If a rank waits for each piece before it
/// sends the next, these are the bytes of one piece, `longest`. Otherwise all pieces are under way,
/// so these are the bytes of the whole block.
double bytes_at_once(const Exchange& exchange, const Traffic& traffic, double longest) {
  return all_at_once(exchange) ? traffic.longest : longest;
}

void add_messages(StepCost& step, const Exchanged& what, const Traffic& traffic,
                  const Machine& machine, KnownCounts& known) {
  const Link& far = machine.between_nodes;
  const Link& near = machine.within_node;
  const double cut = static_cast<double>(what.exchange.chunks);
  const double pieces = cut * pieces_of(what.exchange, traffic.longest / cut);
  const double longest = length_of_piece(what.exchange, traffic.longest / cut);
  const double more = traffic.far_messages * (pieces - pieces_of(what.exchange, traffic.longest));
  const double started = traffic.far_messages * pieces - (all_at_once(what.exchange) ? more : 0);
  const double turns = far.full_duplex ? 1 : 2;
  const double near_message =
      traffic.near_messages > 0 ? traffic.near_bytes / traffic.near_messages : 0;
  step.start_s =
      turns * starts_seconds(far, longest, what.exchange, started, machine) +
      starts_seconds(near, near_message / cut, what.exchange, traffic.near_messages * cut, machine);
  const BusiestLink link = busiest(what, traffic, machine, known);
  const double rate = longest > 0 ? wire_seconds(far, longest) / longest : 0;
  const double far_s =
      turns * link.load * rate *
      blocking_of(machine, what.exchange, bytes_at_once(what.exchange, traffic, longest));
  step.wire_s = far_s;
  // Within a node, processors move the bytes. This work is never hidden. Each byte is read and
  // written.
  const double near_s =
      std::max(traffic.near_messages * wire_seconds(near, near_message),
               memory_limit_seconds(2 * traffic.near_bytes, what.problem, what.on_node, machine));
  // The processor time of starting whole blocks is already in start_s and in the blocking factor.
  // Only further pieces add to it.
  step.processor_s = traffic.far_bytes * far.processor_s_per_byte + near_s +
                     std::max(0.0, more) * machine.request_s;
  step.where = link.name;
}

/// Returns the time of reading data that ranks of the same node have just written. The reader is
/// this rank or MPI.
double reading_neighbours_seconds(const Exchanged& what, double bytes, const Machine& machine) {
  const double array_bytes = static_cast<double>(what.from.max_local_volume()) * what.element_bytes;
  return handing_over_seconds(bytes, array_bytes, what.problem,
                              working_on_node(what.problem, what.from, machine), machine);
}

/// Returns the time in which MPI copies strided boxes into blocks before it sends the blocks, and
/// out of blocks after they arrive.
double packing_seconds(const Exchanged& what, const Traffic& traffic, const Machine& machine) {
  if (what.exchange.wire_form != WireForm::datatype) return 0;
  return 2 * moving_seconds(2 * traffic.bytes(), Moved::contiguous, what.problem, what.on_node,
                            machine);
}

Limit limit_of(const StepCost& step) {
  if (step.seconds() <= 0) return Limit::nothing;
  if (step.memory_s > std::max(step.start_s, step.wire_s + step.processor_s)) return Limit::memory;
  if (step.start_s > step.wire_s + step.processor_s) return Limit::latency;
  return step.where.empty() ? Limit::bandwidth : Limit::congestion;
}

const LinkPiece& piece_of(const Link& link, double bytes) {
  const LinkPiece* found = &link.pieces.front();
  for (const LinkPiece& piece : link.pieces)
    if (static_cast<double>(piece.from_bytes) <= bytes) found = &piece;
  return *found;
}

}  // namespace

const Placement& placement_of(const Problem& problem, const Machine& machine, KnownCounts& known) {
  if (!known.placement)
    known.placement.emplace(machine.topology, problem.ranks, ranks_on_node(problem, machine));
  return *known.placement;
}

double start_seconds(const Link& link, double bytes) { return piece_of(link, bytes).start_s; }

bool all_at_once(const Exchange& exchange) {
  switch (exchange.schedule) {
    case Schedule::automatic:  // MPI gets all blocks at once, and chooses their order
    case Schedule::scattered:
      return sends(exchange);
    case Schedule::pairwise:
    case Schedule::cyclic:
      break;
  }
  return false;
}

double starts_seconds(const Link& link, double bytes, const Exchange& exchange, double messages,
                      const Machine& machine) {
  if (messages <= 0) return 0;
  const double start_s = start_seconds(link, bytes);
  if (!all_at_once(exchange)) return messages * start_s;
  // The messages of a chunk start together, those of the next chunk later.
  const auto bursts = static_cast<double>(std::max<std::int64_t>(1, exchange.chunks));
  return bursts * start_s + std::max(0.0, messages - bursts) * std::min(start_s, machine.request_s);
}

double wire_seconds(const Link& link, double bytes) {
  return bytes * piece_of(link, bytes).s_per_byte;
}

double message_seconds(const Link& link, std::int64_t messages, std::int64_t bytes) {
  if (messages == 0) return 0;
  const double each = static_cast<double>(bytes) / static_cast<double>(messages);
  return static_cast<double>(messages) * (start_seconds(link, each) + wire_seconds(link, each));
}

std::int64_t chunks_of(const Plan& plan, std::size_t number) {
  const std::int64_t wanted = plan.exchanges[number].chunks;
  return wanted > 1 ? std::clamp<std::int64_t>(wanted, 1, most_slices(plan, number)) : 1;
}

StepCost exchange_cost(const Plan& plan, std::size_t number, const Machine& machine,
                       KnownCounts& known) {
  const Exchanged what = exchanged(plan, number, machine, known);
  StepCost step;
  step.name = "exchange: " + describe(what.exchange);
  step.is_exchange = true;
  if (what.from.same_boxes(what.to)) return step;
  require_neighbours(what, machine);
  Traffic traffic = known.traffic.of(what.from, what.to, what.element_bytes, what.placement);
  step.memory_s = reading_neighbours_seconds(what, traffic.near_bytes, machine);
  if (!sends(what.exchange)) {
    step.start_s = machine.barrier_s * std::log2(static_cast<double>(what.problem.ranks));
    step.bytes = std::llround(traffic.bytes());
    step.limit = limit_of(step);
    return step;
  }
  use_nodes(traffic, what);
  const bool fitted = is_one_call(what.exchange) && !machine.all_to_all.empty() &&
                      traffic.near_messages == 0 && traffic.far_messages > 0;
  if (fitted)
    add_fitted(step, what, traffic, machine);
  else
    add_messages(step, what, traffic, machine, known);
  // Two barriers: one before ranks put blocks into memory of others, and one after.
  if (puts_blocks(what.exchange))
    step.start_s += 2 * machine.barrier_s * std::log2(static_cast<double>(what.problem.ranks));
  // Ranks that use each other's memory synchronise before they read it.
  if (is_node_aware(what.exchange))
    step.start_s += machine.barrier_s * std::log2(static_cast<double>(what.on_node));
  step.memory_s += packing_seconds(what, traffic, machine);
  step.bytes = std::llround(traffic.bytes());
  step.messages = std::llround(traffic.messages()) * what.exchange.chunks;
  step.limit = limit_of(step);
  return step;
}

}  // namespace weft::model
