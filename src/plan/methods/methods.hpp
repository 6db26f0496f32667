#pragma once

#include <span>
#include <string>

#include <weft/plan.hpp>

namespace weft {

/// What is known of an exchange method without executing it.
struct MethodDescriptor {
  const char* name;     ///< unique, for messages and tables
  Exchange knobs;       ///< the point in the space of knobs that it serves
  const char* summary;  ///< one clause for explain()
  /// Why the method cannot serve a problem: rule, value and remedy in words; empty where it can.
  std::string (*refusal)(const Problem&);
};

/// All exchange methods; the first is the rule's default.
std::span<const MethodDescriptor> exchange_methods();

/// The method of these knobs. Throws unsupported, naming the methods there are.
const MethodDescriptor& find_method(const Exchange& exchange);

/// The first method that can serve the problem and agrees with every knob that it forces.
/// Throws unsupported, naming the methods there are or why none can, when there is none.
const MethodDescriptor& choose_method(const Problem& problem);

}  // namespace weft
