#pragma once

#include <cstdint>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

namespace weft::model {

/// Ranks that share a node: those that share memory, or more where the machine has too few nodes for
/// them. Ranks fill nodes in their order.
std::int64_t ranks_on_node(const Problem& problem, const Machine& machine);

/// Those of a node that own a part of the array in this layout.
std::int64_t working_on_node(const Problem& problem, const Layout& layout, const Machine& machine);

/// How many times longer a rank needs than one core alone would with all of its work: threads share
/// a rank's work, and the threads of the `working` ranks of a node share its cores.
double share_of_core(const Problem& problem, std::int64_t working, const Machine& machine);

/// How an array is read and written: as its rows lie; as rows become columns; and that with rows
/// that are no whole cache lines.
enum class Moved { contiguous, transposed, ragged };

/// Seconds in which each working rank of a node reads and writes so many bytes in all, half of them
/// each.
double moving_seconds(double bytes, Moved moved, const Problem& problem, std::int64_t working,
                      const Machine& machine);

/// What a node's memory needs at least for that; 0 where the machine does not say how fast it is, or
/// where all of it stays in the cache that cores share.
double memory_limit_seconds(double bytes, const Problem& problem, std::int64_t working,
                            const Machine& machine);

/// What it takes more that so many bytes were just written by other ranks of the node, of arrays of
/// `array_bytes` on each rank.
double handing_over_seconds(double bytes, double array_bytes, const Problem& problem,
                            std::int64_t working, const Machine& machine);

/// Does the machine say what copying costs in caches and beyond, by more than one size? Those of the
/// papers have one price for all.
bool knows_caches(const Machine& machine);

/// As moving_seconds, in planes of so many bytes that stay in a core's cache; 0 where the machine
/// does not know caches.
double moving_in_cache_seconds(double bytes, Moved moved, double plane_bytes,
                               const Problem& problem, std::int64_t working,
                               const Machine& machine);

}  // namespace weft::model
