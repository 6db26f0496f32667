#pragma once

#include <cstdint>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

namespace weft::model {

/// Returns the number of ranks on a full node. It is problem.ranks_per_node, or more if the machine
/// has too few nodes for that.
std::int64_t ranks_on_node(const Problem& problem, const Machine& machine);

/// Returns the number of ranks of a node that own a part of the array in this layout.
std::int64_t working_on_node(const Problem& problem, const Layout& layout, const Machine& machine);

/// Returns a factor: the time of a rank's work, divided by the time in which one core does it
/// alone. Threads of the rank reduce the factor. The factor grows if the `working` ranks of a node
/// have more threads than the node has cores.
double time_against_one_core(const Problem& problem, std::int64_t working, const Machine& machine);

/// The order in which an array is read and written.
enum class Moved {
  contiguous,  ///< along its rows
  transposed,  ///< rows become columns
  ragged,      ///< as transposed, and rows begin in the middle of cache lines
};

/// Returns the time in which each of `working` ranks of a node moves `bytes` bytes. Half of the
/// bytes are read, the other half is written.
double moving_seconds(double bytes, Moved moved, const Problem& problem, std::int64_t working,
                      const Machine& machine);

/// Returns the time in which the node's memory moves `bytes` bytes for each working rank. It is a
/// lower bound of moving_seconds(). It is 0 if the machine lacks the bandwidth of memory, or if all
/// data stays in the shared cache.
double memory_limit_seconds(double bytes, const Problem& problem, std::int64_t working,
                            const Machine& machine);

/// Returns the additional time of reading `bytes` bytes that other ranks of the node have just
/// written. Each rank has an array of `array_bytes` bytes.
double handing_over_seconds(double bytes, double array_bytes, const Problem& problem,
                            std::int64_t working, const Machine& machine);

/// Returns whether the machine gives the cost of copying for more than one size, and so
/// distinguishes caches from memory. The machines of the papers have one cost for all sizes.
bool knows_caches(const Machine& machine);

/// As moving_seconds(), for data that moves within a core's cache, in planes of `plane_bytes`
/// bytes. Returns 0 if knows_caches() is false.
double moving_in_cache_seconds(double bytes, Moved moved, double plane_bytes,
                               const Problem& problem, std::int64_t working,
                               const Machine& machine);

}  // namespace weft::model
