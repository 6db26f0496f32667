#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/kind.hpp"
#include "weft/layout.hpp"
#include "weft/precision.hpp"
#include "weft/prediction.hpp"

namespace weft {

/// The direction that divides by the number of points N: none, backward (as numpy), both by
/// sqrt(N), or forward.
enum class Norm { none, backward, ortho, forward };
/// The requested output layout: the cheapest, the input's, or a given one.
enum class OutputChoice { any, same, given };

/// How an exchange moves its bytes. `automatic`: the planner decides.
///   collective  MPI_Alltoallv or MPI_Alltoallw
///   messages    point to point
///   shared      no messages: ranks of one node read and write each other's node memory
///   rma         MPI_Put into memory that the receivers expose; the planner never chooses it
enum class Method { automatic, collective, messages, shared, rma };
/// The form in which MPI gets the bytes of an exchange. `automatic`: the planner decides;
/// Method::shared allows only this value.
///   packed    blocks, written by the stage before and read by the stage after
///   datatype  MPI moves strided boxes
enum class WireForm { automatic, packed, datatype };
/// Order of one rank's messages. Only for Method::messages.
///   pairwise   rounds, each a perfect matching of the ranks
///   cyclic     in step k, send to rank + k and receive from rank - k
///   scattered  all at once
enum class Schedule { automatic, pairwise, cyclic, scattered };
/// The MPI requests of messages. Only for Method::messages.
///   ordinary    MPI_Isend and MPI_Irecv
///   persistent  created once for the caller's arrays, started in every transform of them
enum class Requests { automatic, ordinary, persistent };

/// The exchange among ranks of one node, if the transform has several nodes. Only for packed
/// messages in one chunk.
///   unaware   messages, as between nodes
///   separate  node memory; between nodes every rank sends its own messages
///   combined  node memory; one message for each pair of nodes, divided among the ranks of a node
enum class NodeUse { automatic, unaware, separate, combined };
/// The precision of the numbers that exchanges carry. f32 sends doubles as floats: half the bytes,
/// and a relative error of about 3e-8 for each exchange. The planner never chooses it.
enum class WirePrecision { same, f32 };

const char* to_string(Norm);
const char* to_string(OutputChoice);
const char* to_string(Method);
const char* to_string(WireForm);
const char* to_string(Schedule);
const char* to_string(Requests);
const char* to_string(NodeUse);
const char* to_string(WirePrecision);

/// Named sets of choices for an exchange.
///   fftw     one collective call of packed blocks, as paper 002 describes FFTW
///   dmitruk  packed messages in pairwise rounds
///   duke     packed messages, all at once, a slice at a time
///   fft2d_i  strided messages, all at once
///   fft2d_p  strided messages by persistent requests, a slice at a time
///   p3dfft   pencils: one collective call per plane in the first exchange, one call in each other
///            exchange
enum class Preset { none, fftw, dmitruk, duke, fft2d_i, fft2d_p, p3dfft };
const char* to_string(Preset);

/// A value of Exchange::chunks: one chunk for each slice of the array.
inline constexpr std::int64_t every_slice = INT64_MAX;

/// The choices of an exchange. The planner decides each choice that is `automatic`, or 0 for chunks
/// and bytes. In a plan, all choices that the method uses are decided; the others stay automatic.
struct Exchange {
  Method method = Method::automatic;
  WireForm wire_form = WireForm::automatic;
  Schedule schedule = Schedule::automatic;
  Requests requests = Requests::automatic;
  /// Number of parts in which the array is sent, at most the number of slices. Each part is sent as
  /// soon as it is transformed.
  std::int64_t chunks = 0;
  NodeUse nodes = NodeUse::automatic;
  /// Only for packed blocks of f64.
  WirePrecision wire = WirePrecision::same;
  /// Only for packed messages: largest piece of a block. A piece leaves after the previous piece
  /// has left and the partner's piece has arrived. So each rank has at most one piece in a switch.
  /// (A switch may drop data if it gets more.) 0: whole blocks.
  std::int64_t piece_bytes = 0;
  /// A named set of choices. The other members override it. `none` in a plan.
  Preset preset = Preset::none;
  friend bool operator==(const Exchange&, const Exchange&) = default;
};

/// Special values of Problem::modes and Problem::support: all wavenumbers, and all points.
inline constexpr std::int64_t all_modes = -1;
inline constexpr std::int64_t all_points = -1;
/// The wavenumbers below 2/3 of the highest, 2*ceil(n/3) - 1 of a Fourier axis. Products of two
/// fields then do not alias onto these wavenumbers.
inline constexpr std::int64_t two_thirds = -2;
/// The most threads of a rank.
inline constexpr int threads_max = 4096;

/// A transform to plan: the array, its layout, and the wanted output. Plain data.
///
/// `shape` is the grid of the global array before forward: real space for r2c. Axes that are not in
/// `axes` are a batch. At most one axis is r2c. It is halved: n/2+1 in the output.
struct Problem {
  Shape shape = {};
  std::vector<int> axes = {};  ///< in any order, no repeats; empty: all axes
  Kinds kinds = {};            ///< one for all axes, or one for each of `axes` in their order
  Element element = Element::automatic;  ///< of the input
  /// The number of lowest wavenumbers that the spectrum has: one number for each of `axes`, in
  /// their order, or one for all. Empty: all wavenumbers.
  std::vector<std::int64_t> modes = {};
  /// The number of points, counted from the first, that the real-space array has: one number for
  /// each of `axes`, or one for all. The other points are zero. Empty: all points.
  std::vector<std::int64_t> support = {};
  /// The extent of a leading axis of the arrays, which every rank holds whole. The components are
  /// transformed one after another, and one is exchanged while the next is transformed. The other
  /// members, and the stages of a plan, describe one component. 0: the arrays have no such axis.
  std::int64_t components = 0;
  Precision precision = Precision::f64;
  std::int64_t ranks = 1;
  /// Ranks that share memory: each node has this many consecutive ranks, from rank 0 on. The last
  /// node may have fewer. 1: no shared memory.
  std::int64_t ranks_per_node = 1;
  bool has_input = false;  ///< the caller gave `input`; otherwise the planner chooses it
  /// Used if the planner chooses the input. true: every rank gets a part, if there are enough
  /// parts. false: the array may be on fewer ranks if that is faster.
  bool all_ranks = false;
  Layout input = {};
  OutputChoice output_choice = OutputChoice::any;
  Layout output = {};  ///< with OutputChoice::given
  Norm norm = Norm::none;
  int sign = -1;    ///< sign of the exponent of forward
  int threads = 1;  ///< per rank
  Effort effort = Effort::estimate;
  bool overwrite_input = false;
  Exchange exchange = {};  ///< forced choices
  friend bool operator==(const Problem&, const Problem&) = default;

  /// The shape of the input: `shape`, with the support of each axis.
  Shape input_shape() const;
  /// The shape of the output: `shape`, with the modes of each axis, and n/2+1 on the axis that is
  /// halved.
  Shape output_shape() const;
  /// Returns the number of wavenumbers that the spectrum has along one of `axes`. truncates()
  /// returns whether this number is below the axis's number of points. The problem must be
  /// checked().
  std::int64_t modes_of(int axis) const;
  bool truncates(int axis) const { return modes_of(axis) < shape[static_cast<std::size_t>(axis)]; }
  /// Returns the number of points that the input has along one of `axes`. pads() returns whether
  /// this number is below the grid's number of points. The problem must be checked().
  std::int64_t support_of(int axis) const;
  bool pads(int axis) const { return support_of(axis) < shape[static_cast<std::size_t>(axis)]; }
  /// Whether all axes have all their points and wavenumbers.
  bool has_whole_axes() const { return modes.empty() && support.empty(); }
  /// The kind of one of `axes`.
  Kind kind_of(int axis) const;
  /// The axis of kind r2c, which is halved; -1 if there is none.
  int halved_axis() const;
  bool halves(int axis) const { return axis == halved_axis(); }
  bool has_halved_axis() const { return halved_axis() >= 0; }
  /// Product of the transformed extents.
  std::int64_t points() const;
  /// The number of arrays that one call transforms.
  std::int64_t fields() const { return components > 0 ? components : 1; }
};

/// Fills in default axes, counts negative axes from the end, and checks every rule of a problem.
/// Throws invalid_argument or layout_mismatch with the rule, the value and the remedy.
Problem checked(Problem problem);

struct Plan;

/// Returns the problem with layouts of another transform, including their memory order. Takes the
/// input layout if the problem has none, and both global inputs (of one component) have the same
/// shape. Takes the output layout in the same way, if the problem has OutputChoice::any. Precision,
/// kinds, modes, support and effort may differ. Throws layout_mismatch if no layout is taken, or if
/// the plan is for another number of ranks. Throws as checked() does.
Problem with_layouts_like(Problem problem, const Plan& other);

/// The transforms that are done in one layout. `source` and `target` assign the same parts to the
/// ranks. They differ in these cases:
/// - an axis is halved (real extents before, complex extents after), or has modes or support,
/// - the memory order changes,
/// - the stage changes between one axis and its view as two axes (Plan::view),
/// - a stage of a convolution pads axis 0 with zeros, or keeps only its first rows.
struct Stage {
  Layout source = {};
  Layout target = {};
  std::vector<int> axes = {};  ///< in the order of forward; backward runs them reversed
  /// For a view of n1 x n2: element (k1, j2) is multiplied by exp(sign*2*pi*i*k1*j2/(n1*n2)) after
  /// the transform of axis 0. Backward multiplies by the conjugate before it.
  bool twiddles = false;
  /// Used if half a spectrum is wanted in natural order. The columns of axis 1 leave the stage in
  /// the order 0, n2-1, 1, n2-2, ... Backward, they arrive in this order.
  bool folds = false;
  /// The first or the last stage of a convolution. The first stage multiplies the single axis by
  /// the chirp, and stores the result as the rows of the view. It pads the last row with zeros. The
  /// last stage takes the single axis from the rows, and multiplies it by the chirp.
  bool chirps = false;
  /// The middle of a convolution: lines along axis 1 are transformed, multiplied by the spectrum of
  /// the chirp's conjugate, and transformed back. The stages after it transform backward.
  bool convolves = false;
  Element source_element = Element::complex;  ///< of the array before the stage, forward
  Element target_element = Element::complex;  ///< of the array after it
  friend bool operator==(const Stage&, const Stage&) = default;
};

/// The engine of the local FFTs along lines of one kind and length, and the arrangement of these
/// lines in cache. A trial found both to be the fastest. Without a trial, the engine is the named
/// or the default one.
struct LineEngine {
  Kind kind = Kind::c2c;       ///< r2c: in both directions
  std::int64_t length = 1;     ///< points of a line; for r2c its real points
  std::int64_t lines = 1;      ///< number of lines in the trial: all of a rank, up to 32 MiB
  bool across_memory = false;  ///< adjacent elements in memory belong to adjacent lines. If a
                               ///< length has only one entry, that entry holds for both values
  std::string engine = {};     ///< name of one of the plan's engines
  bool across_tile = false;    ///< a tile in cache holds the lines as memory does; if false, lines
                               ///< are transposed on the way in and out
  friend bool operator==(const LineEngine&, const LineEngine&) = default;
};

/// A library of local FFTs that a plan uses, or weft itself for products with twiddles.
struct EngineVersion {
  std::string name = {};     ///< "fftw", "ducc0" or "weft"
  std::string library = {};  ///< version and instruction sets
  friend bool operator==(const EngineVersion&, const EngineVersion&) = default;
};

/// Returns the method of an exchange and its other choices in words: "messages pairwise packed,
/// persistent, 8 chunks".
std::string describe(const Exchange& exchange);

/// A list of stages, with one exchange after each stage but the last: stages.size() ==
/// exchanges.size() + 1. An exchange moves the array from the target layout of one stage to the
/// source layout of the next. Backward runs the same stages in the opposite order.
///
/// An array of one axis of n = n1*n2 points may be viewed as n1 x n2, row by row (Bailey 1990, six
/// steps). The first stage transforms nothing. The second transforms axis 0 and multiplies by
/// twiddles. The third transforms axis 1. Element (k1, k2) is then X[k1 + n1*k2]; OutputChoice::any
/// gives this array of two axes. If one axis in natural order is wanted, there is a last stage
/// without transforms. It restores the natural order by the memory order (1, 0).
///
/// r2c keeps n1/2+1 elements of axis 0: X[k] with k % n1 <= n1/2. The other elements follow: X[n-k]
/// is the conjugate of X[k]. Row k2 of the natural order consists of column k2 and the mirror image
/// of column n2-1-k2. For the natural order, the stage of axis 1 folds the columns, so that these
/// two columns are on one rank. The last stage joins the rows.
///
/// On one rank, a complex axis that exceeds the cache has two stages. The first reads the input,
/// transforms axis 0 and multiplies by twiddles. The second transforms axis 1, and writes one axis
/// in natural order.
///
/// If n has no suitable factors, its transform may be a convolution with the chirp
/// exp(sign*pi*i*j^2/n) (Bluestein 1970). The convolution has m1*m2 points, viewed as m1 x m2. For
/// n_in elements of input and n_out of output, m1*m2 >= n_in + n_out - 1. The first stage
/// multiplies by the chirp, and stores the input as the first rows of m2 points. The second pads
/// axis 0 with zeros to m1, transforms it and multiplies by twiddles. The third transforms axis 1
/// forward and backward. The fourth transforms axis 0 backward, and keeps the rows of the output.
/// The last stage multiplies by the chirp. Input and output have one axis in natural order. Ranks
/// divide this axis between rows of m2 points.
struct Plan {
  Problem problem;
  std::vector<Stage> stages;
  std::vector<Exchange> exchanges;
  /// Effort for the local FFTs: the problem's effort, or less if the budget of seconds is too
  /// short.
  Effort line_effort = Effort::estimate;
  std::string chosen_by;                      ///< "fixed rule", "model", "trials" or "wisdom"
  std::vector<std::string> notes;             ///< remarks on the choice, for users
  std::optional<Prediction> prediction = {};  ///< absent if no machine was given
  /// The engine for each kind and length of lines, and the versions of these engines. Making a
  /// transform fills both; make_plan() leaves both empty. With line_effort estimate, the same plan
  /// with the same versions gives the same bits again, if arrays start at multiples of 64 bytes.
  /// With more effort FFTW decides by measured times, which vary.
  std::vector<LineEngine> line_engines = {};
  std::vector<EngineVersion> engines = {};
  friend bool operator==(const Plan&, const Plan&) = default;

  /// The layouts of one component before and after forward.
  const Layout& input() const { return stages.front().source; }
  const Layout& output() const { return stages.back().target; }
  /// The layouts of the caller's arrays. If the problem has components, they have a leading axis.
  Layout input_array() const;
  Layout output_array() const;
  /// Returns n1 x n2 if the stages view the single axis of the problem as two. Returns m1 x m2 for
  /// a convolution, otherwise an empty shape.
  Shape view() const;
  /// Returns whether the transform is a convolution with a chirp.
  bool convolves() const;
};

/// Returns all possible exchanges of one problem: every method that can run it, with every schedule
/// and kind of requests. Each appears in one chunk and, if `chunks` > 1, also in `chunks` chunks.
/// Each appears with whole blocks. If `piece_bytes` > 0 and the method can divide blocks, it also
/// appears with pieces.
std::vector<Exchange> all_exchanges(const Problem& problem, std::int64_t chunks,
                                    std::int64_t piece_bytes = 0);

/// Plans a problem by a fixed rule: a slab if every rank gets rows, otherwise the most square
/// pencil. Needs no MPI, and works for any number of ranks. Throws as checked() does.
Plan make_plan(const Problem& problem);

struct Machine;

/// Plans a problem by a model of the machine. Chooses the layouts, process grids, order of axes,
/// exchanges and number of ranks with the least predicted time. The plan contains its predicted
/// time and the next best alternatives. Needs no MPI and measures nothing. If the machine has too
/// few nodes, more ranks share a node. Throws as checked() does, and as check() for the machine.
Plan make_plan(const Problem& problem, const Machine& machine);

/// Returns the plan of make_plan(problem, machine), then the best plan of each other kind, fastest
/// first by the model. Plans of one kind differ only in chunks, pieces and requests.
std::vector<Plan> candidates(const Problem& problem, const Machine& machine);

/// Predicts the time of any plan on a machine. The prediction has no alternatives.
Prediction predict(const Plan& plan, const Machine& machine);

/// Describes a plan in several lines: the layouts, stages, exchanges and reasons.
std::string explain(const Plan& plan);

std::string to_json(const Plan& plan);
std::string to_json(const Problem& problem);
std::string to_json(const Layout& layout);
/// Inverse of to_json. Throws invalid_argument for a text that is damaged, unknown or inconsistent.
Plan plan_from_json(std::string_view text);
Problem problem_from_json(std::string_view text);
Layout layout_from_json(std::string_view text);

}  // namespace weft
