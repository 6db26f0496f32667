#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/plan.hpp"

namespace weft {

/// Time to transform one line in cache while all cores of the node compute.
struct LineTime {
  Kind kind = Kind::c2c;
  std::int64_t length = 0;  ///< points of the line; for r2c its real points
  double seconds = 0;
  friend bool operator==(const LineTime&, const LineTime&) = default;
};

/// Arithmetic speed of a core in one precision, for lines planned with one effort.
struct Arithmetic {
  Precision precision = Precision::f64;
  Effort effort = Effort::estimate;
  /// Time of one operation. A complex line of n points has 5 n lg n operations, a real line 2.5 n
  /// lg n.
  double operation_s = 0;
  /// Measured lengths, ascending for each kind. If empty, operation_s holds for all lengths.
  std::vector<LineTime> lines = {};
  friend bool operator==(const Arithmetic&, const Arithmetic&) = default;
};

/// Time to copy a byte from one array to another while all cores of the node copy.
struct Copying {
  std::int64_t bytes = 0;  ///< of the array that each core copies
  double contiguous_s_per_byte = 0;
  double transposed_s_per_byte = 0;  ///< rows become columns, tile by tile
  Precision precision = Precision::f64;
  /// As transposed_s_per_byte, if the length of rows is not a multiple of a cache line (64 bytes).
  double ragged_s_per_byte = 0;
  /// Additional time for bytes that another rank of the node has just written. They are still in
  /// the cache of that rank's core.
  double handed_over_s_per_byte = 0;
  friend bool operator==(const Copying&, const Copying&) = default;
};

/// The time of a message of from_bytes bytes or more, and fewer than from_bytes of the next piece:
/// start_s + bytes * s_per_byte.
struct LinkPiece {
  std::int64_t from_bytes = 0;
  double start_s = 0;
  double s_per_byte = 0;
  friend bool operator==(const LinkPiece&, const LinkPiece&) = default;
};

/// Messages between two ranks of one node, or of two nodes.
struct Link {
  std::vector<LinkPiece> pieces = {};  ///< in ascending order, the first from 0 bytes
  bool full_duplex = true;             ///< messages in both directions overlap
  /// Processor time for each byte that arrives. It cannot overlap with computing. 0 if the network
  /// needs no processor.
  double processor_s_per_byte = 0;
  friend bool operator==(const Link&, const Link&) = default;
};

/// The kind of the network between nodes.
///   crossbar   one switch; its total bandwidth may be limited
///   hub        one medium that all nodes share, in both directions
///   fat_tree   leaf switches, with levels of links and switches above them
///   torus      a grid of nodes of any dimension; each axis is a ring or open
///   dragonfly  groups of switches; a link joins every pair of switches of a group, and another
///              link every pair of groups
enum class Network { crossbar, hub, fat_tree, torus, dragonfly };
const char* to_string(Network);

/// A network of equal nodes. All capacities are in units of the bandwidth of one node.
struct Topology {
  Network network = Network::crossbar;
  std::int64_t nodes = 1;
  /// crossbar: capacity of the switch; 0: the switch limits nothing.
  double bisection = 0;
  /// torus: nodes along each axis, the last one fastest in the numbering; their product is `nodes`.
  std::vector<std::int64_t> extents = {};
  /// torus: which axes are rings.
  std::vector<bool> rings = {};
  /// torus: how bytes go if both routes round a ring are equally short. If true, all bytes go
  /// forward. If false, each route takes half of the bytes.
  bool ties_forward = false;
  /// fat_tree: first the number of nodes per leaf switch (lowest level). Then, for each higher
  /// level, the number of switches of the level below per switch.
  std::vector<std::int64_t> arity = {};
  /// fat_tree: total capacity of the links from one switch of a level to the next level.
  std::vector<double> uplinks = {};
  /// fat_tree: if true, a message takes the uplink (destination mod uplinks), as on InfiniBand's
  /// static routes (d-mod-k). If false, messages are spread evenly over all uplinks.
  bool routes_by_destination = false;
  /// fat_tree: if true, concurrent messages share a link in inverse proportion to the latency of
  /// their routes, as with TCP. So messages on long routes wait until those on short routes are
  /// done. If false, messages share a link evenly.
  bool short_ways_first = false;
  /// dragonfly: switches per group and nodes per switch.
  std::int64_t switches = 1;
  std::int64_t nodes_per_switch = 1;
  /// torus: capacity of each link between neighbours, in each direction. dragonfly: capacity of
  /// each link between switches.
  double link = 1;
  /// Order of ranks over the nodes, in the notation of default_order(). Empty: the default order,
  /// but make_plan() may choose another one.
  std::string order = {};
  friend bool operator==(const Topology&, const Topology&) = default;
};

/// The blocking factor B of paper 000, at least 1, for each schedule and messages of one length. An
/// all-to-all of all nodes is slower by this factor than one pair of nodes alone.
struct Blocking {
  std::int64_t message_bytes = 0;
  double pairwise = 1;
  double cyclic = 1;
  double scattered = 1;
  double collective = 1;
  friend bool operator==(const Blocking&, const Blocking&) = default;
};

/// Time of an all-to-all of `ranks` ranks, each on its own node, for blocks of from_bytes or more.
/// It is start_s + s_per_byte * (bytes for each pair). start_s and s_per_byte are beta_sub and
/// alpha_sub of paper 004.
struct AllToAll {
  std::int64_t ranks = 0;
  std::int64_t from_bytes = 0;
  double start_s = 0;
  double s_per_byte = 0;
  friend bool operator==(const AllToAll&, const AllToAll&) = default;
};

/// The disk under a directory, measured by one process. The time of n accesses of equal size, in
/// any order and `in_flight` at a time, is latency_s + n * (access_s + bytes / bytes_per_s).
struct Disk {
  std::string directory;  ///< path as given by the user
  /// The measurement bypassed the page cache. If false, the figures may be those of the page cache.
  bool direct = true;
  double latency_s = 0;  ///< time of one read of 4 KiB alone
  std::int64_t in_flight = 1;
  double read_access_s = 0;
  double read_bytes_per_s = 0;
  double write_access_s = 0;
  double write_bytes_per_s = 0;  ///< until the bytes are on the disk
  friend bool operator==(const Disk&, const Disk&) = default;
};

/// A measurement. The figures of a machine were fitted to such samples.
struct Sample {
  std::string series;  ///< the quantity: "lines c2c f64", "message within a node"
  double x = 0;        ///< its size: points, bytes, cores
  double seconds = 0;  ///< the median
  double spread = 0;   ///< half of the measurements differ from the median by at most this share of
                       ///< it
  friend bool operator==(const Sample&, const Sample&) = default;
};

/// The figures of a computer from which the cost of a plan is computed. Plain data: measured by
/// `weft probe`, shipped, or written by hand. Times in seconds, sizes in bytes.
struct Machine {
  std::string name;
  std::string source;                        ///< who measured or published the figures
  std::vector<std::string> assumed = {};     ///< keys of values that were not measured
  std::int64_t cores_per_node = 1;           ///< hardware threads count separately
  std::int64_t physical_cores_per_node = 0;  ///< without hardware threads; 0: not known
  std::int64_t memory_bytes = 0;             ///< of a node; 0: not known
  std::int64_t l2_bytes = 0;                 ///< the largest cache of one core; 0: not known
  std::int64_t l3_bytes = 0;                 ///< the cache that the cores of a node share; 0: none
  std::vector<Arithmetic> arithmetic = {};   ///< one for each precision and effort, at least one
  /// In ascending order of sizes. Between two sizes, figures are interpolated over the logarithm of
  /// the size. Outside, the nearest size holds.
  std::vector<Copying> copying = {};
  /// Memory bandwidth in bytes per second if 1, 2, ... cores of a node use the memory. It does not
  /// limit arrays that stay in the shared cache (l3_bytes). Empty: not known, and only the cores
  /// limit copying.
  std::vector<double> memory_bytes_per_s = {};
  Link within_node = {};
  Link between_nodes = {};
  Topology topology = {};  ///< with all nodes of the machine
  /// In ascending order of lengths. Interpolated as `copying`. Empty: messages do not block each
  /// other.
  std::vector<Blocking> blocking = {};
  /// In ascending order of ranks. The first entry for each number of ranks is from 0 bytes. Empty:
  /// not measured.
  std::vector<AllToAll> all_to_all = {};
  /// Time to plan a line of 256 points by trials of the FFT library (Effort::measure). This time
  /// grows as the square root of the length. 0: not measured.
  double planning_s = 0;
  double call_s = 0;     ///< time of a transform of a tiny array, without barriers
  double barrier_s = 0;  ///< time of a barrier of two ranks; it grows as lg of the ranks
  /// If a rank starts several messages at once, each message after the first adds this time. If
  /// this time equals the start of a message (LinkPiece::start_s), starts do not overlap. If it is
  /// 0, starts overlap wholly.
  double request_s = 0;
  std::vector<Disk> disks = {};      ///< one for each directory; empty: none was measured
  std::vector<Sample> samples = {};  ///< the measurements, for people and plots
  friend bool operator==(const Machine&, const Machine&) = default;
};

/// Throws invalid_argument for an impossible machine, with the key, the rule and the value.
void check(const Machine&);

std::string to_json(const Machine&);
/// Inverse of to_json. Throws invalid_argument for a text that is damaged, unknown, of another
/// version or impossible.
Machine machine_from_json(std::string_view text);

/// Returns the default order of ranks: the ranks of a node are consecutive, and nodes follow in the
/// order of their numbers.
///
/// An order is a word of letters, the fastest first, as on Blue Gene: "xyzt" puts rank 1 next to
/// rank 0 along x. The letter t means the ranks of a node. The other letters mean the axes of the
/// network. Here they are listed from the slowest axis of the node numbers to the fastest:
/// - torus: x, y, z; with more than three axes a, b, c, ...
/// - fat_tree: a, b, c, ...: the switches of the highest level first, the nodes of a leaf last
/// - dragonfly: g, s, n: groups, switches of a group, nodes of a switch
/// - crossbar, hub: n
///
/// "x4" counts only 4 places along x; a later "x" continues from there. Example: "x4y4z4xyzt"
/// visits blocks of 4 x 4 x 4 nodes.
std::string default_order(const Topology&);

/// The node of a rank, and its place on that node.
struct RankPlace {
  std::int64_t node = 0;
  std::int64_t slot = 0;  ///< index among the ranks of the node
  friend bool operator==(const RankPlace&, const RankPlace&) = default;
};

/// Returns the place of each rank in the topology's order. All orders use the same places:
/// `ranks_on_node` slots of each of the nodes 0, 1, ..., and the rest on the last used node. Throws
/// invalid_argument for more ranks than the network has places. Throws as check() does.
std::vector<RankPlace> rank_places(const Topology&, std::int64_t ranks, std::int64_t ranks_on_node);

/// Returns the names of the machines that ship with weft: those of the papers, and a few current
/// ones.
std::vector<std::string> shipped_machines();
/// Returns a machine that ships with weft. For another name throws invalid_argument, with the list
/// of names.
Machine shipped_machine(std::string_view name);

}  // namespace weft
