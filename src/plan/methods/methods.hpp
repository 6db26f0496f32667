#pragma once

#include <span>
#include <string>

#include <weft/plan.hpp>

namespace weft {

/// Properties of an exchange method that are known without executing it.
struct MethodDescriptor {
  const char* name;  ///< unique, for messages and tables
  Method method;
  WireForm wire_form;
  /// The possible values of each choice, the default first. Empty: the method does not have the
  /// choice.
  std::span<const Schedule> schedules = {};
  std::span<const Requests> requests = {};
  std::span<const NodeUse> node_uses = {};
  bool has_chunks = false;
  bool reads_peers = false;     ///< ranks read or write each other's arrays in node memory;
                                ///< nothing is sent
  bool sends_messages = false;  ///< each block is a message of its own
  bool is_one_call = false;     ///< one call of MPI moves the blocks of all ranks
  /// Ranks put blocks into memory that MPI exposes. Ranks that exchange a block wait for each other
  /// before and after.
  bool puts_blocks = false;
  bool on_request = false;  ///< used only if a user names it, because no machine has figures of it
  const char* summary;      ///< one clause for explain()
  /// Returns the reason why the method is impossible for a problem: rule, value and remedy in
  /// words. Empty text: it is possible. A null function: it is possible for all problems.
  std::string (*refusal)(const Problem&) = nullptr;
};

/// Returns the method of a decided exchange. Throws unsupported with the available choices.
const MethodDescriptor& find_method(const Exchange& exchange);

/// Returns whether there is a method for a decided exchange.
bool is_possible(const Exchange& exchange);

/// Returns the reason why a method with the choices of `exchange` is impossible for a problem;
/// empty if it is possible.
std::string refusal(const MethodDescriptor& method, const Exchange& exchange,
                    const Problem& problem);

/// These functions return traits of the method of an exchange. The other choices may be undecided.
/// If no method is chosen yet, all return false.
bool has_method(const Exchange& exchange);
bool reads_peers(const Exchange& exchange);
bool sends_messages(const Exchange& exchange);
bool is_one_call(const Exchange& exchange);
bool puts_blocks(const Exchange& exchange);
bool is_on_request(const Exchange& exchange);

/// Returns whether ranks of a node use their node memory alongside messages to other nodes.
bool is_node_aware(const Exchange& exchange);

/// Returns whether ranks use node memory in an exchange, with or without messages to other nodes.
bool uses_node_memory(const Exchange& exchange);

/// Returns whether a plan has exchanges, and all of them can overlap with the stages of another
/// array. Exchanges in node memory cannot, because their ranks must synchronise.
bool exchanges_can_overlap(const Plan& plan);

/// Returns the choices that a problem forces on exchange `number` of a plan. Given choices override
/// those of the preset. The result has no preset.
Exchange forced_exchange(const Problem& problem, std::size_t number);

/// Decides exchange `number` of a plan by the first method that is possible for the problem and
/// agrees with every forced choice. `slices` is the maximum number of chunks. If there is no such
/// method, throws unsupported with the available methods, or with the reason why none is possible.
Exchange choose_exchange(const Problem& problem, std::size_t number, std::int64_t slices);

}  // namespace weft
