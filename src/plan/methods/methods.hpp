#pragma once

#include <span>
#include <string>

#include <weft/plan.hpp>

namespace weft {

/// What is known of an exchange method without executing it.
struct MethodDescriptor {
  const char* name;  ///< unique, for messages and tables
  Method method;
  WireForm wire_form;
  /// The values that each knob can have, the default first; none: the method lacks the knob.
  std::span<const Schedule> schedules;
  std::span<const Requests> requests;
  std::span<const NodeUse> node_uses;
  bool has_chunks;
  const char* summary;  ///< one clause for explain()
  /// Why the method cannot serve a problem: rule, value and remedy in words; empty where it can.
  std::string (*refusal)(const Problem&);
};

/// All exchange methods; the first is the rule's default.
std::span<const MethodDescriptor> exchange_methods();

/// The method of these knobs. Throws unsupported, naming the knobs there are.
const MethodDescriptor& find_method(const Exchange& exchange);

/// Is there a method of these knobs?
bool is_possible(const Exchange& exchange);

/// Why a method with these knobs cannot serve a problem; empty where it can.
std::string refusal(const MethodDescriptor& method, const Knobs& knobs, const Problem& problem);

/// Ranks of a node use their node memory beside the messages to other nodes.
bool is_node_aware(const Knobs& knobs);

/// The knobs that a problem forces on an exchange: its own, then those of its preset.
Knobs forced_knobs(const Problem& problem, std::size_t exchange);

/// The first method that can serve the problem and agrees with every knob that is forced, all knobs
/// decided. `slices` is how many chunks there can be at most.
/// Throws unsupported, naming the methods there are or why none can, when there is none.
Exchange choose_exchange(const Problem& problem, std::size_t exchange, std::int64_t slices);

}  // namespace weft
