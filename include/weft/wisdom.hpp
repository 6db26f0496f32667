#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weft/plan.hpp"

namespace weft {

/// What a machine is, as far as that decides which plan is the fastest: names, versions and sizes,
/// nothing measured. Where nodes differ, texts name all that there are, and sizes are the smallest.
struct MachineIdentity {
  std::string weft;       ///< version
  std::string processor;  ///< as the system calls it
  std::int64_t cores_per_node = 1;
  std::int64_t l2_bytes = 0;        ///< of one core
  std::int64_t l3_share_bytes = 0;  ///< of the last cache, for each core that shares it
  std::string transposes;           ///< the instructions that transpose tiles
  std::string engine;               ///< local FFT library, its version and instructions
  std::string mpi;                  ///< library and version
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;  ///< of the node that has most
  std::string placement;            ///< of ranks on nodes: "blocks", "cyclic" or "other"
  std::string fabric;               ///< what joins the nodes, and settings that choose it
  friend bool operator==(const MachineIdentity&, const MachineIdentity&) = default;
};

/// The plan that was the fastest in trials, and where they were made.
struct WisdomEntry {
  MachineIdentity machine;
  Plan plan;
  friend bool operator==(const WisdomEntry&, const WisdomEntry&) = default;
};

/// Decisions by trials: one for each problem, its ranks included, on each machine. Plain data.
class Wisdom {
 public:
  /// In an order that does not depend on that in which they came.
  std::vector<WisdomEntry> entries() const;
  std::size_t size() const { return entries_.size(); }

  /// The plan for this problem on this machine; nullptr where there is none. Throws as checked().
  const Plan* find(const Problem& problem, const MachineIdentity& machine) const;

  /// In the place of what was there for the same problem and machine. Throws invalid_argument for a
  /// plan that does not fit itself.
  void add(const WisdomEntry& entry);

  /// Adds all entries of another.
  void merge(const Wisdom& other);

  friend bool operator==(const Wisdom&, const Wisdom&) = default;

 private:
  std::map<std::string, WisdomEntry> entries_;  ///< by machine and problem, as JSON
};

std::string to_json(const MachineIdentity&);
std::string to_json(const Wisdom&);
/// Inverse of to_json. Throws invalid_argument for anything damaged, unknown or impossible.
MachineIdentity machine_identity_from_json(std::string_view text);
/// Inverse of to_json. Throws invalid_argument for anything damaged, unknown, of another version or
/// inconsistent.
Wisdom wisdom_from_json(std::string_view text);

/// Wisdom in a file; empty where there is no file. Local, no MPI.
/// Errors  io_failure for what cannot be read, invalid_argument for what is no wisdom or that of
///         another version; with the path.
Wisdom read_wisdom(const std::string& path);

/// Adds wisdom to that in a file, in one step: readers see the old file or the new one. Any number
/// of processes may do so at a time; nothing is lost. Local, no MPI.
/// Errors  as read_wisdom; io_failure where the file cannot be written. It is then as it was.
void merge_into_file(const std::string& path, const Wisdom& more);

/// Likewise, in the place of the wisdom in the file. A file of anything else is refused.
void write_wisdom(const std::string& path, const Wisdom& wisdom);

}  // namespace weft
