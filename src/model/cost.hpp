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

/// Key of the groups of an exchange among the exchanges of one problem. It has the ranks that
/// exchange with rank 0, and the number of ranks that own data. It is enough because all groups are
/// made alike.
struct GroupsAlike {
  std::vector<std::int64_t> first = {};
  std::int64_t working = 0;
  // clang-tidy takes the 0 of the generated comparison for a pointer.
  friend auto operator<=>(const GroupsAlike&,
                          const GroupsAlike&) = default;  // NOLINT(modernize-use-nullptr)
};

/// Counts that plans of one problem share, for one machine and one order of ranks.
struct KnownCounts {
  std::optional<Placement> placement = {};
  /// Key: whether short routes go first, and the groups
  std::map<std::pair<bool, GroupsAlike>, BusiestLink> loads = {};
  /// The same for messages in the rounds of a schedule
  std::map<std::pair<Schedule, GroupsAlike>, BusiestLink> round_loads = {};
  /// The groups of the last look-up, and their key.
  Groups groups = {};
  GroupsAlike groups_known_by = {};
  KnownTraffic traffic = {};
  /// Pretends that every pair of nodes has a link of its own: `loads` is not used.
  bool links_of_their_own = false;
};

/// Returns the predicted time of one forward transform. A node has as many ranks as share memory,
/// or more if nodes are few, in the order of the machine's topology. Threads beyond the cores of a
/// node share these cores. Ranks without data leave their cores to others.
///
/// Model   A stage: lines by their measured times, plus each pass over the local array by the time
///         of copying it. An exchange: a start for each message, plus the bytes of the busiest link
///         at its rate. The schedule's blocking factor multiplies the latter (t_s, t_w, B of paper
///         000). If messages go one after the other, each round has its own busiest link. A
///         collective call: by the fits of the machine if it has any (alpha and beta of paper 004).
///         With c chunks, all but one can hide behind the neighbouring stages, except for the
///         processor's own work. Each second of a stage hides one exchange only. Components follow
///         each other: their overlap is not predicted.
/// Errors  those of check() for the machine; node memory if the order separates the ranks of a
///         node.
/// Cost    the boxes of one rank and its neighbours in each exchange; on a torus, fat tree or
///         dragonfly also the loads of its links.
PlanCost cost(const Plan& plan, const Machine& machine);
/// As cost() above, for one of many plans of one problem: reuses the counts of earlier plans.
PlanCost cost(const Plan& plan, const Machine& machine, KnownCounts& known);

/// Returns the seconds of one line in cache: as measured, by operations between measured lengths,
/// otherwise by operation_s. A missing precision is replaced by the nearest one (by the bytes of a
/// number), a missing effort by the nearest one.
double line_seconds(const Machine& machine, Precision precision, Effort effort, Kind kind,
                    std::int64_t length);

/// Returns the seconds to multiply `n` complex numbers by twiddles: two products each.
double twiddle_seconds(const Machine& machine, Precision precision, Effort effort,
                       std::int64_t elements);

/// Returns the seconds of one message over a link, without and with its start.
double start_seconds(const Link& link, double bytes);
double wire_seconds(const Link& link, double bytes);
/// Returns the seconds of `messages` messages of `bytes` bytes together, by their average length.
double message_seconds(const Link& link, std::int64_t messages, std::int64_t bytes);

}  // namespace weft::model
