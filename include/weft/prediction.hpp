#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/// The largest part of the time of a step.
///   arithmetic  transforming the lines of a stage
///   memory      moving the array between memory and cache
///   latency     starting messages
///   bandwidth   sending the bytes of a node
///   congestion  sending bytes over a link that several nodes share
///   nothing     the step is free
enum class Limit { arithmetic, memory, latency, bandwidth, congestion, nothing };
const char* to_string(Limit);

/// The predicted time of one stage or exchange, on the rank with the most work, in seconds.
struct StepCost {
  std::string name;
  bool is_exchange = false;
  double arithmetic_s = 0;  ///< of a stage
  double memory_s = 0;      ///< of a stage; of an exchange: packing by MPI, and reading data that
                            ///< other ranks have just written
  double start_s = 0;       ///< of an exchange: starting its messages
  double wire_s = 0;        ///< of an exchange: bytes on the busiest link
  double processor_s = 0;   ///< of an exchange: work of the processor for bytes, never hidden
  double hidden_s = 0;      ///< of an exchange: overlapped with the computing of stages
  std::int64_t bytes = 0;   ///< read and written by a stage; moved between ranks by an exchange
  std::int64_t messages = 0;
  Limit limit = Limit::nothing;
  std::string where;  ///< the link that limits an exchange

  double seconds() const {
    return arithmetic_s + memory_s + start_s + wire_s + processor_s - hidden_s;
  }
  friend bool operator==(const StepCost&, const StepCost&) = default;
};

/// The costs of stages and exchanges, alternately, in the order of forward or of a round trip. The
/// first step is a stage.
struct PlanCost {
  std::vector<StepCost> steps;
  double call_s = 0;  ///< checks of arguments and agreement of all ranks, once a call
  double seconds() const;
  friend bool operator==(const PlanCost&, const PlanCost&) = default;
};

/// Another plan for the same problem, and the reason why it is slower.
struct Alternative {
  std::string way;        ///< its layouts and exchanges in words
  double seconds = 0;     ///< predicted
  std::string loses_by;   ///< the largest part of the difference, by the model
  double measured_s = 0;  ///< in a trial; 0: not tried
  friend bool operator==(const Alternative&, const Alternative&) = default;
};

/// The prediction of the model for a plan on a machine.
struct Prediction {
  std::string machine;
  PlanCost cost;
  std::vector<Alternative> alternatives;  ///< the next best plans, fastest first
  std::int64_t considered = 0;            ///< number of plans that were compared
  double measured_s = 0;                  ///< in a trial; 0: not tried
  /// Order of ranks over the nodes, in the notation of default_order(). Empty: the default order.
  std::string order = {};
  double default_order_s =
      0;  ///< the time of the same plan in the default order; 0 if `order` is the default
  friend bool operator==(const Prediction&, const Prediction&) = default;
};

}  // namespace weft
