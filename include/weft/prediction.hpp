#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/// What a step of a plan spends most of its time on.
///   arithmetic  the lines of a stage
///   memory      moving the array between memory and cache
///   latency     starting messages
///   bandwidth   the bytes that a node sends
///   congestion  a link that several nodes share
///   nothing     the step is free
enum class Limit { arithmetic, memory, latency, bandwidth, congestion, nothing };
const char* to_string(Limit);

/// The predicted time of one stage or exchange on the rank that has the most to do. Seconds.
struct StepCost {
  std::string name;
  bool is_exchange = false;
  double arithmetic_s = 0;  ///< of a stage
  double memory_s = 0;      ///< of a stage; of an exchange: MPI's own packing of strided boxes
  double start_s = 0;       ///< of an exchange: starting its messages
  double wire_s = 0;        ///< of an exchange: bytes on the busiest link
  double processor_s = 0;   ///< of an exchange: what the processor does for bytes, nothing hides it
  double hidden_s = 0;      ///< of an exchange: goes on while stages compute
  std::int64_t bytes = 0;   ///< read and written by a stage; sent to others by an exchange
  std::int64_t messages = 0;
  Limit limit = Limit::nothing;
  std::string where;  ///< the link that limits an exchange

  double seconds() const {
    return arithmetic_s + memory_s + start_s + wire_s + processor_s - hidden_s;
  }
  friend bool operator==(const StepCost&, const StepCost&) = default;
};

/// Stages and exchanges in the order of forward, a stage first.
struct PlanCost {
  std::vector<StepCost> steps;
  double call_s = 0;  ///< of the call itself: arguments are checked and all ranks agree
  double seconds() const;
  friend bool operator==(const PlanCost&, const PlanCost&) = default;
};

/// Another way to do the same, and what it would lose.
struct Alternative {
  std::string way;        ///< its layouts and exchanges in words
  double seconds = 0;     ///< predicted
  std::string loses_by;   ///< where most of the difference lies, by the model
  double measured_s = 0;  ///< in a trial; 0: not tried
  friend bool operator==(const Alternative&, const Alternative&) = default;
};

/// What a model says of a plan on a machine.
struct Prediction {
  std::string machine;
  PlanCost cost;
  std::vector<Alternative> alternatives;  ///< the next best, fastest first
  std::int64_t considered = 0;            ///< how many ways were priced
  double measured_s = 0;                  ///< in a trial; 0: not tried
  /// In which order ranks run over the nodes (default_order() says how it is read); empty: the
  /// default one.
  std::string order = {};
  double default_order_s =
      0;  ///< what the same plan would take in the default order; 0: this is it
  friend bool operator==(const Prediction&, const Prediction&) = default;
};

}  // namespace weft
