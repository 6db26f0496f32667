#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weft/plan.hpp"

namespace weft {

/// The properties of a machine that decide the fastest plan: names, versions and sizes, without
/// measurements. If nodes differ, a text names the values of all nodes, and a number is the
/// smallest of the nodes.
struct MachineIdentity {
  std::string weft;       ///< version
  std::string processor;  ///< its name in the system
  std::int64_t cores_per_node = 1;
  std::int64_t l2_bytes = 0;        ///< of one core
  std::int64_t l3_share_bytes = 0;  ///< the last cache divided by the number of cores that share it
  std::string transposes;           ///< the instructions that transpose tiles
  std::string engine;               ///< local FFT libraries, their versions and instructions
  std::string mpi;                  ///< library and version
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;  ///< of the node with the most ranks
  std::string placement;            ///< of ranks on nodes: "blocks", "cyclic" or "other"
  std::string fabric;               ///< the network between the nodes, and settings that choose it
  friend bool operator==(const MachineIdentity&, const MachineIdentity&) = default;
};

/// The fastest plan in trials, and the machine of these trials.
struct WisdomEntry {
  MachineIdentity machine;
  Plan plan;
  friend bool operator==(const WisdomEntry&, const WisdomEntry&) = default;
};

/// Plans that trials chose: one for each problem on each machine. The number of ranks is a part of
/// the problem. Plain data.
class Wisdom {
 public:
  /// Returns all entries, in an order that does not depend on the order of insertion.
  std::vector<WisdomEntry> entries() const;
  std::size_t size() const { return entries_.size(); }

  /// Returns the plan for this problem on this machine; nullptr if there is none. Throws as
  /// checked().
  const Plan* find(const Problem& problem, const MachineIdentity& machine) const;

  /// Adds an entry. It replaces the entry for the same problem and machine. Throws invalid_argument
  /// for an inconsistent plan.
  void add(const WisdomEntry& entry);

  /// Adds all entries of another Wisdom.
  void merge(const Wisdom& other);

  friend bool operator==(const Wisdom&, const Wisdom&) = default;

 private:
  std::map<std::string, WisdomEntry> entries_;  ///< key: machine and problem, as JSON
};

std::string to_json(const MachineIdentity&);
std::string to_json(const Wisdom&);
/// Inverse of to_json. Throws invalid_argument for a text that is damaged, unknown or impossible.
MachineIdentity machine_identity_from_json(std::string_view text);
/// Inverse of to_json. Throws invalid_argument for a text that is damaged, unknown, of another
/// version or inconsistent.
Wisdom wisdom_from_json(std::string_view text);

/// Reads wisdom from a file. The result is empty if there is no file. Local, no MPI.
/// Errors  io_failure for an unreadable file; invalid_argument for a file that is not wisdom, or is
///         wisdom of another version. The message has the path.
Wisdom read_wisdom(const std::string& path);

/// Adds wisdom to a file atomically: readers see the old file or the new one. Any number of
/// processes may add to the file concurrently; nothing is lost. Local, no MPI.
/// Errors  as read_wisdom; io_failure if the file cannot be written. After an error the file is
///         unchanged.
void merge_into_file(const std::string& path, const Wisdom& more);

/// Replaces the wisdom in a file atomically. Refuses a file that is not wisdom.
void write_wisdom(const std::string& path, const Wisdom& wisdom);

}  // namespace weft
