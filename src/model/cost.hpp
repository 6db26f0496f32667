#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "model/placement.hpp"
#include "model/topology.hpp"
#include "model/traffic.hpp"

namespace weft::model {

/// Ranks that exchange with each other.
using Groups = std::vector<std::vector<std::int64_t>>;

/// What tells all groups of an exchange apart from those of another one of the same problem, for all
/// are made alike: the ranks that exchange with rank 0, and how many own something.
struct GroupsAlike {
  std::vector<std::int64_t> first = {};
  std::int64_t working = 0;
  friend auto operator<=>(const GroupsAlike&, const GroupsAlike&) = default;
};

/// What was counted for plans of one problem on one machine, ranks placed in one order.
struct KnownCounts {
  std::optional<Placement> placement = {};
  /// By whether short ways go first, and by the groups.
  std::map<std::pair<bool, GroupsAlike>, BusiestLink> loads = {};
  /// Likewise, of messages in the rounds of a schedule.
  std::map<std::pair<Schedule, GroupsAlike>, BusiestLink> round_loads = {};
  /// The groups that were looked at last, and what they are known by.
  Groups groups = {};
  GroupsAlike groups_known_by = {};
  KnownTraffic traffic = {};
  /// As if every node had a link of its own to every other one: nothing of `loads` is counted.
  bool links_of_their_own = false;
};

/// What one forward transform should take. As many ranks are on each node as share memory, or as must
/// be where nodes are few, in the order of the machine's topology; more threads than a node has cores
/// share them. Ranks that own nothing leave them to others.
///
/// Model   A stage: lines by their measured times, plus each pass over the local array by the time of
///         copying it. An exchange: a start for each message, and the bytes of the busiest link, of
///         each round where messages go one after the other, at its rate, times the blocking
///         factor of the schedule (t_s, t_w and B of paper 000). A collective call by the fits of
///         the machine where it has some (alpha and beta of paper 004). Of c chunks all but one can
///         hide behind the stages beside them, each second of a stage behind one exchange only, but
///         for what the processor does itself.
/// Errors  those of check() for the machine; node memory where the order takes the ranks of a node
///         apart.
/// Cost    the boxes of one rank and its neighbours in each exchange; on a torus, fat tree or
///         dragonfly also the loads of its links.
PlanCost cost(const Plan& plan, const Machine& machine);
/// The same for one of many plans of one problem: what was counted for others is known.
PlanCost cost(const Plan& plan, const Machine& machine, KnownCounts& known);

/// Seconds of one line in cache: as measured, by operations between measured lengths, else by
/// operation_s. Of a precision that the machine lacks: that of the nearest, by the bytes of a number;
/// of an effort that it lacks: that of the nearest.
double line_seconds(const Machine& machine, Precision precision, Effort effort, Kind kind,
                    std::int64_t length);

/// Seconds to multiply so many complex numbers by twiddles: two products each.
double twiddle_seconds(const Machine& machine, Precision precision, Effort effort,
                       std::int64_t elements);

/// Seconds of one message over a link, without and with its start.
double start_seconds(const Link& link, double bytes);
double wire_seconds(const Link& link, double bytes);
/// Seconds of so many messages of so many bytes together, by their average length.
double message_seconds(const Link& link, std::int64_t messages, std::int64_t bytes);

}  // namespace weft::model
