#pragma once

#include <cstdint>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

namespace weft::model {

/// Returns the ranks that share a node: those that share memory, or more if the machine has too few
/// nodes for them. Ranks fill nodes in their order.
std::int64_t ranks_on_node(const Problem& problem, const Machine& machine);

/// Returns the ranks of a node that own a part of the array in this layout.
std::int64_t working_on_node(const Problem& problem, const Layout& layout, const Machine& machine);

/// Returns how many times longer a rank needs than one core alone would need for all of its work.
/// Threads share a rank's work, and the threads of the `working` ranks of a node share its cores.
double share_of_core(const Problem& problem, std::int64_t working, const Machine& machine);

/// Order in which an array is read and written: along its rows; rows become columns; the same with
/// rows that are not whole cache lines.
enum class Moved { contiguous, transposed, ragged };

/// Returns the seconds in which each working rank of a node moves `bytes` bytes: half of them read,
/// half of them written.
double moving_seconds(double bytes, Moved moved, const Problem& problem, std::int64_t working,
                      const Machine& machine);

/// Returns the least time of the node's memory for the same. It is 0 if the machine does not give
/// its bandwidth, or if all of the data stays in the shared cache.
double memory_limit_seconds(double bytes, const Problem& problem, std::int64_t working,
                            const Machine& machine);

/// Returns the additional time of reading `bytes` bytes that other ranks of the node have just
/// written, with arrays of `array_bytes` on each rank.
double handing_over_seconds(double bytes, double array_bytes, const Problem& problem,
                            std::int64_t working, const Machine& machine);

/// Returns whether the machine gives the cost of copying in caches and beyond, for more than one
/// size. The machines of the papers have one cost for all sizes.
bool knows_caches(const Machine& machine);

/// As moving_seconds(), in planes of `plane_bytes` bytes that stay in a core's cache; 0 if
/// knows_caches() is false.
double moving_in_cache_seconds(double bytes, Moved moved, double plane_bytes,
                               const Problem& problem, std::int64_t working,
                               const Machine& machine);

}  // namespace weft::model
