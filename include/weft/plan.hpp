#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/layout.hpp"
#include "weft/precision.hpp"
#include "weft/prediction.hpp"

namespace weft {

/// c2c: complex to complex. r2c: real to complex forward, complex to real backward.
enum class Kind { c2c, r2c };
/// Who divides by the number of points N: none, backward (numpy), both by sqrt(N), or forward.
enum class Norm { none, backward, ortho, forward };
/// What the caller asked of the output layout: the cheapest, the input's, or a given one.
enum class OutputChoice { any, same, given };

/// How an exchange moves its bytes. `automatic` leaves it to the planner.
///   collective  MPI_Alltoallv or MPI_Alltoallw
///   messages    point to point
///   shared      not at all: ranks of one node read and write each other's node memory
enum class Method { automatic, collective, messages, shared };
/// In which form an exchange hands its bytes to MPI. `automatic` leaves it to the planner, and is
/// what Method::shared has.
///   packed    blocks written by the stage before and read by the stage after
///   datatype  MPI moves strided boxes
enum class WireForm { automatic, packed, datatype };
/// Order of one rank's messages. Only for Method::messages.
///   pairwise   rounds, each a perfect matching of the ranks
///   cyclic     in step k, send to rank + k and receive from rank - k
///   scattered  all at once
enum class Schedule { automatic, pairwise, cyclic, scattered };
/// How messages are handed to MPI. Only for Method::messages.
///   ordinary    MPI_Isend and MPI_Irecv
///   persistent  made once for the caller's arrays, started in every transform of them
enum class Requests { automatic, ordinary, persistent };

/// What ranks of one node do among themselves where others are on other nodes. Only for packed
/// messages, in one chunk.
///   unaware   messages, as between nodes
///   separate  node memory; between nodes every rank has messages of its own
///   combined  node memory; one message for each pair of nodes, which the ranks of a node share out
enum class NodeUse { automatic, unaware, separate, combined };
/// The numbers that exchanges carry. f32 sends doubles as floats: half the bytes, and a relative
/// error of about 3e-8 for each exchange; never chosen unless asked for.
enum class WirePrecision { same, f32 };

const char* to_string(Kind);
const char* to_string(Norm);
const char* to_string(OutputChoice);
const char* to_string(Method);
const char* to_string(WireForm);
const char* to_string(Schedule);
const char* to_string(Requests);
const char* to_string(NodeUse);
const char* to_string(WirePrecision);

/// As many chunks as there are slices to send.
inline constexpr std::int64_t every_slice = INT64_MAX;

/// The knobs of an exchange; `automatic` (0 chunks, 0 bytes) where the planner may choose.
struct Knobs {
  Method method = Method::automatic;
  WireForm wire_form = WireForm::automatic;
  Schedule schedule = Schedule::automatic;
  Requests requests = Requests::automatic;
  /// In how many parts the array is sent, each as soon as it is transformed; more than there are
  /// slices means one for each slice.
  std::int64_t chunks = 0;
  NodeUse nodes = NodeUse::automatic;
  /// Only for packed blocks of f64.
  WirePrecision wire = WirePrecision::same;
  /// Only for packed messages: a block travels in pieces of at most so many bytes, each when the
  /// one before has gone and the partner's has come, so that a rank never has more than a piece in
  /// a switch that would drop it. 0: whole blocks.
  std::int64_t piece_bytes = 0;
  friend bool operator==(const Knobs&, const Knobs&) = default;
};

/// Points in the space of knobs that are known by a name.
///   fftw     one collective call of packed blocks, as 002 describes FFTW's
///   dmitruk  packed messages in pairwise rounds
///   duke     packed messages, all at once, a slice at a time
///   fft2d_i  strided messages, all at once
///   fft2d_p  strided messages by persistent requests, a slice at a time
///   p3dfft   pencils: a collective call for each plane in the first exchange, one in all in others
enum class Preset { none, fftw, dmitruk, duke, fft2d_i, fft2d_p, p3dfft };
const char* to_string(Preset);

/// What is to be transformed, where it lies and where the result is wanted. Plain data.
///
/// `shape` is the global array before forward: real space for r2c. Axes that are not in `axes` are
/// a batch. For r2c the last of `axes` is halved: n/2+1 in the output.
struct Problem {
  Shape shape = {};
  std::vector<int> axes = {};  ///< in any order, no repeats; empty: all axes
  Kind kind = Kind::c2c;
  Precision precision = Precision::f64;
  std::int64_t ranks = 1;
  /// Ranks that can use each other's memory: so many from rank 0 on are one node, the next are the
  /// next; the last node may have fewer. 1: none.
  std::int64_t ranks_per_node = 1;
  bool has_input = false;  ///< the caller gave `input`; else the planner chooses it
  /// Where the planner chooses it, every rank gets a part, if there are parts enough. Else fewer
  /// ranks may share the array, where exchanging with the others takes longer than they save.
  bool all_ranks = false;
  Layout input = {};
  OutputChoice output_choice = OutputChoice::any;
  Layout output = {};  ///< with OutputChoice::given
  Norm norm = Norm::none;
  int sign = -1;    ///< sign of the exponent of forward
  int threads = 1;  ///< per rank
  Effort effort = Effort::estimate;
  bool overwrite_input = false;
  Preset preset = Preset::none;  ///< forces knobs
  Knobs knobs = {};              ///< forced knobs; they win over the preset's
  friend bool operator==(const Problem&, const Problem&) = default;

  /// The shape of the output: `shape`, with n/2+1 on the last of `axes` for r2c.
  Shape output_shape() const;
  /// The axis that r2c halves: the last of `axes`.
  int halved_axis() const { return axes.back(); }
  bool halves(int axis) const { return kind == Kind::r2c && axis == halved_axis(); }
  /// Product of the transformed extents.
  std::int64_t points() const;
};

/// Fills in defaults (axes, negative axes counted from the end) and checks every rule of a problem.
/// Throws invalid_argument or layout_mismatch with the rule, the value and the remedy.
Problem checked(Problem problem);

/// Axes transformed while the data lie in one layout. `source` and `target` own alike; they differ
/// where r2c halves an axis (real extents before, complex after), where the memory order changes, or
/// where the one axis of an array begins or ends to be seen as two (Plan::view) or as the rows of a
/// convolution, and where that fills axis 0 up with zeros or keeps the first rows of it.
struct Stage {
  Layout source = {};
  Layout target = {};
  std::vector<int> axes = {};  ///< in the order of forward; backward runs them reversed
  /// Of a view of n1 x n2: element (k1, j2) is multiplied by exp(sign*2*pi*i*k1*j2/(n1*n2)) behind
  /// the transform of axis 0; backward by the conjugate before it.
  bool twiddles = false;
  /// Of half a spectrum on its way to natural order: the columns of axis 1 leave the stage in the
  /// order 0, n2-1, 1, n2-2, ...; backward they come so.
  bool folds = false;
  /// An end of a convolution: one axis times the chirp becomes the rows of the view, of which the last
  /// is filled up with zeros, or the other way round.
  bool chirps = false;
  /// The middle of a convolution: lines along axis 1 are transformed, multiplied by the spectrum of
  /// the chirp's conjugate, and transformed back. Transforms in the stages behind it are backward.
  bool convolves = false;
  friend bool operator==(const Stage&, const Stage&) = default;
};

/// Moves the array from the target layout of one stage to the source layout of the next. All knobs
/// are decided; those that the method lacks stay automatic. At least one chunk.
using Exchange = Knobs;
/// "messages pairwise packed, persistent, 8 chunks": the method and its knobs, for people.
std::string describe(const Exchange& exchange);

/// A list of stages with one exchange between each two: stages.size() == exchanges.size() + 1.
/// Backward is the same stages in the opposite order.
///
/// An array of one axis of n = n1*n2 points may be seen as n1 x n2, row by row (Bailey 1990, six
/// steps): a first stage without axes, axis 0 and twiddles, axis 1. Element (k1, k2) is then
/// X[k1 + n1*k2]: the output of OutputChoice::any is that array of two axes. A last stage without
/// axes, in the memory order (1, 0), holds X in its natural order and is one axis again. r2c makes
/// n1/2+1 of axis 0: X[k] with k % n1 <= n1/2, the others being conjugates, X[n-k] that of X[k]. Row
/// k2 of the natural order is then column k2 and the mirror image of column n2-1-k2: the stage of axis
/// 1 folds the columns, so that both are on one rank, and the last stage puts the rows together.
///
/// Where n has no such factors, its transform may be a convolution with the chirp exp(sign*pi*i*j^2/n)
/// (Bluestein 1970) of m1*m2 >= n_in + n_out - 1 points, seen as m1 x m2, for n_in elements of input and
/// n_out of output: times the chirp, of the rows of m2 the first ones; axis 0, filled up with zeros to
/// m1, and twiddles; axis 1 there and back; axis 0 back, of which as many rows are kept as the output
/// has; times the chirp. Input and output are of one axis, in natural order, cut between rows of m2.
struct Plan {
  Problem problem;
  std::vector<Stage> stages;
  std::vector<Exchange> exchanges;
  /// With which the local FFTs are planned: the problem's, or less where trials have no time for it.
  Effort line_effort = Effort::estimate;
  std::string chosen_by;                      ///< who decided: "rule", "model", "trials", "wisdom"
  std::vector<std::string> notes;             ///< what a user should know about the choice
  std::optional<Prediction> prediction = {};  ///< where a machine was given
  friend bool operator==(const Plan&, const Plan&) = default;

  const Layout& input() const { return stages.front().source; }
  const Layout& output() const { return stages.back().target; }
  /// n1 x n2 where stages see the one axis of the problem as two, m1 x m2 where they convolve; else
  /// empty.
  Shape view() const;
  /// Whether the transform is a convolution with a chirp.
  bool convolves() const;
};

/// All points in the space of knobs for one problem: every method that can serve it, with every
/// schedule and kind of requests, in one chunk and, where `chunks` is more than 1, in so many; of
/// whole blocks and, where `piece_bytes` is more than 0 and the method can cut them, in such pieces.
std::vector<Exchange> all_exchanges(const Problem& problem, std::int64_t chunks,
                                    std::int64_t piece_bytes = 0);

/// Plans a problem by a fixed rule: a slab where every rank gets rows, else the most square pencil.
/// Pure: needs no MPI, any number of ranks. Throws as checked() does.
Plan make_plan(const Problem& problem);

struct Machine;

/// Plans a problem by a model of the machine: of the layouts, process grids, orders of axes,
/// exchanges and numbers of ranks that fit the problem, those with the least predicted time. The
/// plan tells what it should take, and the next best ways. Needs no MPI, times nothing.
/// Ranks share nodes where the machine has too few. Throws as checked() does, and as check() for
/// the machine.
Plan make_plan(const Problem& problem, const Machine& machine);

/// That plan, then the best of each other kind of way that was priced, fastest first by the model.
std::vector<Plan> candidates(const Problem& problem, const Machine& machine);

/// What a plan should take on a machine, however it was chosen; no alternatives.
Prediction predict(const Plan& plan, const Machine& machine);

/// Several lines for people: the layouts, stages, exchanges and reasons.
std::string explain(const Plan& plan);

std::string to_json(const Plan& plan);
std::string to_json(const Problem& problem);
std::string to_json(const Layout& layout);
/// Inverse of to_json; throws invalid_argument for anything damaged, unknown or inconsistent.
Plan plan_from_json(std::string_view text);
Problem problem_from_json(std::string_view text);
Layout layout_from_json(std::string_view text);

}  // namespace weft
