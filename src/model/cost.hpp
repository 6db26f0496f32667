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

/// Groups of ranks that exchange with each other.
using Groups = std::vector<std::vector<std::int64_t>>;

/// Identifies the groups of an exchange among the exchanges of one problem. The ranks that exchange
/// with rank 0 and the number of ranks that own data are enough, because all groups follow the same
/// rule.
struct GroupsAlike {
  std::vector<std::int64_t> first = {};
  std::int64_t working = 0;
  // clang-tidy takes the 0 of the generated comparison for a pointer.
  friend auto operator<=>(const GroupsAlike&,
                          const GroupsAlike&) = default;  // NOLINT(modernize-use-nullptr)
};

/// Counts that plans of one problem have in common, for one machine and one order of ranks.
struct KnownCounts {
  std::optional<Placement> placement = {};
  /// Busiest links if all messages are counted together. Key: whether short routes have priority,
  /// and the groups.
  std::map<std::pair<bool, GroupsAlike>, BusiestLink> loads = {};
  /// Busiest links if messages are counted round by round. Key: the schedule and the groups.
  std::map<std::pair<Schedule, GroupsAlike>, BusiestLink> round_loads = {};
  /// The groups of the last look-up, and their key.
  Groups groups = {};
  GroupsAlike groups_known_by = {};
  KnownTraffic traffic = {};
  /// If true, costs are those of a network with a link for each pair of nodes. The two maps of
  /// loads are then not used.
  bool links_of_their_own = false;
};

/// Returns the predicted time of one forward transform. The order of the machine's topology assigns
/// ranks to nodes. Each node gets problem.ranks_per_node ranks, or more if the machine has too few
/// nodes. If a node has more threads than cores, the threads share the cores. Ranks without data
/// leave their cores to others.
///
/// Model   A stage has the measured times of its lines. Each pass over the local array adds the
///         time of copying the array. An exchange has the start times of its messages: see
///         starts_seconds(). The bytes of the busiest link then take their time at the link's rate,
///         times the blocking factor of the schedule. (Start, seconds of a byte and factor are t_s,
///         t_w and B of paper 000.) If messages go one after the other, each round has its own
///         busiest link. If the machine has fits of collective calls, these predict collective
///         exchanges in which all messages leave the node (alpha and beta of paper 004). Of c
///         chunks, c - 1 can hide behind the neighbouring stages, except for the processor's own
///         work. Each second of a stage hides one exchange only. The fields of a transform follow
///         each other; their overlap is not predicted.
/// Errors  those of check() for the machine; invalid_argument if an exchange uses node memory and
///         the order separates the ranks of a node.
/// Cost    the boxes of one rank and its neighbours in each exchange; on a torus, fat tree or
///         dragonfly also the loads of its links.
PlanCost cost(const Plan& plan, const Machine& machine);
/// As cost() above, for one of many plans of one problem. Reuses the counts of earlier plans.
PlanCost cost(const Plan& plan, const Machine& machine, KnownCounts& known);

/// Returns the seconds of one line in cache. For a length without a measurement, similar measured
/// lengths give the time of one operation. Without any measured length, operation_s is the time of
/// one operation. If the machine lacks the precision, the measured precision with the most similar
/// number of bytes replaces it. If the machine lacks the effort, the nearest measured effort does.
double line_seconds(const Machine& machine, Precision precision, Effort effort, Kind kind,
                    std::int64_t length);

/// Returns the seconds to multiply `elements` complex numbers by twiddles. Each number takes two
/// products: one of them computes the twiddle.
double twiddle_seconds(const Machine& machine, Precision precision, Effort effort,
                       std::int64_t elements);

/// The time of one message over a link has two parts: its start, and the bytes at the link's rate.
double start_seconds(const Link& link, double bytes);
double wire_seconds(const Link& link, double bytes);
/// Returns the seconds of `messages` messages that have `bytes` bytes in total. All messages count
/// as equally long.
double message_seconds(const Link& link, std::int64_t messages, std::int64_t bytes);

}  // namespace weft::model
