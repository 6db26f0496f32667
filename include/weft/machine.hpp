#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/plan.hpp"

namespace weft {

/// Time of one line in cache, all cores of the node at work.
struct LineTime {
  Kind kind = Kind::c2c;
  std::int64_t length = 0;  ///< points of the line; real ones for r2c
  double seconds = 0;
  friend bool operator==(const LineTime&, const LineTime&) = default;
};

/// How fast a core computes in one precision, by lines planned with one effort.
struct Arithmetic {
  Precision precision = Precision::f64;
  Effort effort = Effort::estimate;
  /// For one operation, counted as 5 n lg n for a complex line of n points, 2.5 n lg n for a real.
  double operation_s = 0;
  /// Lengths that were measured, in ascending order for each kind; none: operation_s for all.
  std::vector<LineTime> lines = {};
  friend bool operator==(const Arithmetic&, const Arithmetic&) = default;
};

/// What a core takes to copy a byte from one array to another, all cores of the node at work.
struct Copying {
  std::int64_t bytes = 0;  ///< of the array that each core copies
  double contiguous_s_per_byte = 0;
  double transposed_s_per_byte = 0;  ///< tile by tile, rows becoming columns
  Precision precision = Precision::f64;
  /// As transposed, of rows that do not begin at cache lines: their bytes are no multiple of 64.
  double ragged_s_per_byte = 0;
  /// More than that for what another rank of the node has just written: it lies in that core's cache.
  double handed_over_s_per_byte = 0;
  friend bool operator==(const Copying&, const Copying&) = default;
};

/// A straight piece of the time of a message: start_s + bytes * s_per_byte from so many bytes on.
struct LinkPiece {
  std::int64_t from_bytes = 0;
  double start_s = 0;
  double s_per_byte = 0;
  friend bool operator==(const LinkPiece&, const LinkPiece&) = default;
};

/// Messages between two ranks of one node, or of two nodes.
struct Link {
  std::vector<LinkPiece> pieces = {};  ///< the first from 0 bytes on, in ascending order
  bool full_duplex = true;             ///< a message each way at a time, else one after the other
  /// What a processor does for each byte that arrives and cannot do for anything else: nothing hides
  /// it. 0 where the network does it alone.
  double processor_s_per_byte = 0;
  friend bool operator==(const Link&, const Link&) = default;
};

/// How the links between nodes are laid out.
///   crossbar   one switch; what passes it at once may be limited
///   hub        one medium for all nodes and both directions
///   fat_tree   leaf switches and the links above them, level by level
///   torus      a grid of nodes of any dimension, each axis closed to a ring or left open
///   dragonfly  groups of switches, each two switches of a group and each two groups with a link
enum class Network { crossbar, hub, fat_tree, torus, dragonfly };
const char* to_string(Network);

/// A network of equal nodes. Capacities are in units of what one node can send at a time.
struct Topology {
  Network network = Network::crossbar;
  std::int64_t nodes = 1;
  /// crossbar: how many nodes' full rate the switch passes at once; 0: all of them.
  double bisection = 0;
  /// torus: nodes along each axis, the last one fastest in the numbering; their product is `nodes`.
  std::vector<std::int64_t> extents = {};
  /// torus: which axes are rings.
  std::vector<bool> rings = {};
  /// torus: what has two ways as short round a ring goes forward; else half of it each way.
  bool ties_forward = false;
  /// fat_tree: how many nodes, then switches of the level below, a switch has, level by level.
  std::vector<std::int64_t> arity = {};
  /// fat_tree: capacity of all links together from one switch of a level to the next.
  std::vector<double> uplinks = {};
  /// fat_tree: of the links above a switch a message takes that of its destination's number modulo
  /// their number (d-mod-k, as InfiniBand's fixed routes); else messages are spread over all evenly.
  bool routes_by_destination = false;
  /// fat_tree: messages that are under way together share a link in inverse proportion to the latency
  /// of their ways, as TCP's do, so that long ways wait until short ones are done; else evenly.
  bool short_ways_first = false;
  /// dragonfly: switches of a group and nodes of a switch.
  std::int64_t switches = 1;
  std::int64_t nodes_per_switch = 1;
  /// torus: of each link between neighbours, each way; dragonfly: of each link between switches.
  double link = 1;
  /// In which order ranks run over the nodes, as default_order() says it; empty: the default, and
  /// make_plan() may choose another.
  std::string order = {};
  friend bool operator==(const Topology&, const Topology&) = default;
};

/// How much longer than one pair of nodes alone all nodes take to send messages of a length to all:
/// B of paper 000, for each order of messages, at least 1.
struct Blocking {
  std::int64_t message_bytes = 0;
  double pairwise = 1;
  double cyclic = 1;
  double scattered = 1;
  double collective = 1;
  friend bool operator==(const Blocking&, const Blocking&) = default;
};

/// An all-to-all of so many ranks on nodes of their own: start_s + s_per_byte * bytes for each pair
/// (beta_sub and alpha_sub of paper 004), for blocks of so many bytes or more.
struct AllToAll {
  std::int64_t ranks = 0;
  std::int64_t from_bytes = 0;
  double start_s = 0;
  double s_per_byte = 0;
  friend bool operator==(const AllToAll&, const AllToAll&) = default;
};

/// The disk under a directory, as one process finds it. n accesses of so many bytes each, in any
/// order and `in_flight` of them at a time, take latency_s + n * (access_s + bytes / bytes_per_s).
struct Disk {
  std::string directory;  ///< as it was named
  /// Past the system's memory. Else the system buffers, and its memory may be what was measured.
  bool direct = true;
  double latency_s = 0;  ///< of one read of 4 KiB alone
  std::int64_t in_flight = 1;
  double read_access_s = 0;
  double read_bytes_per_s = 0;
  double write_access_s = 0;
  double write_bytes_per_s = 0;  ///< until it is on the disk
  friend bool operator==(const Disk&, const Disk&) = default;
};

/// One measurement that figures of a machine were fitted to.
struct Sample {
  std::string series;  ///< what was measured: "lines c2c f64", "message within a node"
  double x = 0;        ///< of what size: points, bytes, cores
  double seconds = 0;  ///< the median
  double spread = 0;   ///< half of the measurements lie within so much of it, as a share
  friend bool operator==(const Sample&, const Sample&) = default;
};

/// What a plan's cost is computed from. Plain data: measured by `weft probe`, shipped, or written by
/// hand. Times in seconds, sizes in bytes.
struct Machine {
  std::string name;
  std::string source;                     ///< who measured or printed the figures
  std::vector<std::string> assumed = {};  ///< keys whose values nobody measured
  std::int64_t cores_per_node = 1;  ///< as the system counts them: threads of a core each by itself
  std::int64_t physical_cores_per_node = 0;  ///< which these share; 0: not known
  std::int64_t memory_bytes = 0;             ///< of a node; 0: not known
  std::int64_t l2_bytes = 0;                 ///< the largest cache of one core; 0: not known
  std::int64_t l3_bytes = 0;                 ///< the cache that the cores of a node share; 0: none
  std::vector<Arithmetic> arithmetic = {};   ///< one for each precision and effort, at least one
  /// In ascending order of sizes; between two of them interpolated over their logarithm, beyond them
  /// as at the nearest.
  std::vector<Copying> copying = {};
  /// Bytes a second to and from memory when 1, 2, ... cores of a node are at it; empty: no limit
  /// but the cores' own. What stays in l3_bytes is not limited.
  std::vector<double> memory_bytes_per_s = {};
  Link within_node = {};
  Link between_nodes = {};
  Topology topology = {};  ///< its nodes are all there are
  /// In ascending order of lengths; between two of them interpolated over their logarithm, beyond
  /// them as at the nearest; empty: messages do not block each other.
  std::vector<Blocking> blocking = {};
  /// In ascending order of ranks, and from 0 bytes on for each; empty: not measured.
  std::vector<AllToAll> all_to_all = {};
  /// What it takes to plan a line of 256 points by trials of the FFT library (Effort::measure); it
  /// grows as the square root of the length. 0: not measured.
  double planning_s = 0;
  double call_s = 0;  ///< what a transform takes that has next to nothing to do, but for barriers
  double barrier_s = 0;  ///< of two ranks; it grows as lg of the ranks
  /// What each message but the first adds to the start of those that leave at once. As t_s: no start
  /// overlaps with another; 0: all do.
  double request_s = 0;
  std::vector<Disk> disks = {};      ///< each directory once; empty: none was looked at
  std::vector<Sample> samples = {};  ///< what was measured, for people and plots
  friend bool operator==(const Machine&, const Machine&) = default;
};

/// Throws invalid_argument for a machine that cannot be: the key, the rule, the value.
void check(const Machine&);

std::string to_json(const Machine&);
/// Inverse of to_json. Throws invalid_argument for anything damaged, unknown, of another version or
/// impossible.
Machine machine_from_json(std::string_view text);

/// The order in which ranks are where nobody says otherwise: those of a node are consecutive, and
/// nodes come in their numbering.
///
/// An order is a word of letters, the one that counts fastest first, as Blue Gene names them: "xyzt"
/// puts rank 1 beside rank 0 along x. The letters are t, the ranks of a node, and the axes of the
/// network, which are, the slowest one of the numbering first:
///   torus            x, y, z; a, b, c, ... where there are more than three axes
///   fat_tree         a, b, c, ...: the switches of the highest level first, the nodes of a leaf last
///   dragonfly        g, s, n: groups, switches of a group, nodes of a switch
///   crossbar, hub    n
/// A letter with a number counts so far only, and goes on where it stands again: "x4y4z4xyzt" goes
/// through blocks of 4 x 4 x 4 nodes.
std::string default_order(const Topology&);

/// Where a rank runs.
struct RankPlace {
  std::int64_t node = 0;
  std::int64_t slot = 0;  ///< which one of the ranks of the node
  friend bool operator==(const RankPlace&, const RankPlace&) = default;
};

/// The place of each rank in the topology's order. An order changes which rank is where, not which
/// places are taken: nodes 0, 1, ... with `ranks_on_node` ranks each, and the rest on the last.
/// Throws invalid_argument for more ranks than that network has places, and as check() does.
std::vector<RankPlace> rank_places(const Topology&, std::int64_t ranks, std::int64_t ranks_on_node);

/// The machines that ship with weft: those of the papers, and a few of today.
std::vector<std::string> shipped_machines();
/// Throws invalid_argument, naming those there are.
Machine shipped_machine(std::string_view name);

}  // namespace weft
