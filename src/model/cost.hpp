#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

namespace weft::model {

/// What a step of a plan spends most of its time on.
///   arithmetic  the lines of a stage
///   memory      moving the array between memory and cache
///   latency     starting messages
///   bandwidth   the bytes that a node sends
///   congestion  a link that several nodes share
///   nothing     the step is free
enum class Limit { arithmetic, memory, latency, bandwidth, congestion, nothing };
const char* to_string(Limit);

/// The time of one stage or exchange on the rank that has the most to do. Seconds.
struct StepCost {
  std::string name;
  bool is_exchange = false;
  double arithmetic_s = 0;  ///< of a stage
  double memory_s = 0;      ///< of a stage
  double start_s = 0;       ///< of an exchange: starting its messages
  double wire_s = 0;        ///< of an exchange: bytes on the busiest link
  double processor_s = 0;   ///< of an exchange: what the processor does for bytes that arrive
  double hidden_s = 0;      ///< of an exchange: goes on while stages compute
  std::int64_t bytes = 0;   ///< read and written by a stage; sent to others by an exchange
  std::int64_t messages = 0;
  Limit limit = Limit::nothing;
  std::string where;  ///< the link that limits an exchange

  double seconds() const {
    return arithmetic_s + memory_s + start_s + wire_s + processor_s - hidden_s;
  }
};

/// Stages and exchanges in the order of forward, a stage first.
struct PlanCost {
  std::vector<StepCost> steps;
  double agreement_s = 0;  ///< in which all ranks agree on the call
  double seconds() const;
};

/// What one forward transform should take. Ranks fill the machine's nodes in their order,
/// plan.problem.ranks_per_node on each; more threads than a node has cores share them.
///
/// Model   A stage: lines by their measured times, plus each pass over the local array by the time of
///         copying it. An exchange: a start for each message, and the bytes of the busiest link at
///         its rate, times the blocking factor of the schedule (t_s, t_w and B of paper 000). A
///         collective call by the fits of the machine where it has some (alpha and beta of paper
///         004). Of c chunks all but one can hide behind the stages beside them, but for what the
///         processor does itself.
/// Errors  invalid_argument where the machine has fewer nodes than the plan needs.
/// Cost    the boxes of one rank and its neighbours in each exchange; on a torus, fat tree or
///         dragonfly also the loads of its links.
PlanCost cost(const Plan& plan, const Machine& machine);

/// Seconds of one line in cache: as measured, by operations between measured lengths, else by
/// operation_s. Of a precision that the machine lacks: that of the nearest, by the bytes of a number.
double line_seconds(const Machine& machine, Precision precision, Kind kind, std::int64_t length);

/// Seconds of one message over a link, without and with its start.
double start_seconds(const Link& link, double bytes);
double wire_seconds(const Link& link, double bytes);

}  // namespace weft::model
