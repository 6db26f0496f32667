#pragma once

#include <cstdint>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "model/topology.hpp"
#include "model/traffic.hpp"

namespace weft::model {

/// What was counted for plans of one problem on one machine.
struct Known {
  KnownLoads loads;
  KnownTraffic traffic;
};

/// What one forward transform should take. Ranks fill the machine's nodes in their order, as many on
/// each as share memory, or as must where nodes are few; more threads than a node has cores share
/// them. Ranks that own nothing leave them to others.
///
/// Model   A stage: lines by their measured times, plus each pass over the local array by the time of
///         copying it. An exchange: a start for each message, and the bytes of the busiest link at
///         its rate, times the blocking factor of the schedule (t_s, t_w and B of paper 000). A
///         collective call by the fits of the machine where it has some (alpha and beta of paper
///         004). Of c chunks all but one can hide behind the stages beside them, each second of
///         a stage behind one exchange only, but for what the processor does itself.
/// Errors  those of check() for the machine.
/// Cost    the boxes of one rank and its neighbours in each exchange; on a torus, fat tree or
///         dragonfly also the loads of its links.
PlanCost cost(const Plan& plan, const Machine& machine);
/// The same for one of many plans of the same problem: loads of links and messages are counted once.
PlanCost cost(const Plan& plan, const Machine& machine, Known& known);

/// Seconds of one line in cache: as measured, by operations between measured lengths, else by
/// operation_s. Of a precision that the machine lacks: that of the nearest, by the bytes of a number;
/// of an effort that it lacks: that of the nearest.
double line_seconds(const Machine& machine, Precision precision, Effort effort, Kind kind,
                    std::int64_t length);

/// Seconds of one message over a link, without and with its start.
double start_seconds(const Link& link, double bytes);
double wire_seconds(const Link& link, double bytes);

}  // namespace weft::model
