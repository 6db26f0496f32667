#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <weft/kind.hpp>
#include <weft/layout.hpp>
#include <weft/precision.hpp>

#include "base/kinds.hpp"
#include "model/disk_assignment.hpp"
#include "ooc/plan/element_type.hpp"
#include "ooc/plan/spectral_filter.hpp"

namespace weft::ooc {

// The k-pass FFT: N = R_1...R_k, one pass over the disks for each radix. A pass reads panels of
// columns into memory, transforms lines of R_i points and multiplies by twiddles. It writes the
// elements in the order in which the next pass reads them (Stockham). So no pass is needed that
// only permutes.

/// The order of the result. transposed: element k1 + N1*k2 is stored at index k1*N2 + k2; only for
/// arrays of one axis. With M points in memory and B in a block, two passes transform up to M*M/B
/// points in transposed order, and (M/B)*(M/B) in natural order.
enum class OutputOrder { natural, transposed };
const char* to_string(OutputOrder);

/// A transform of an array on disks, row-major. Its rules, which check_problem() checks:
///   shape         1 or more axes, extents of 1 or more, less than 2^63 bytes
///   axes          different numbers from 0 to the number of axes - 1
///   kinds         none, or one for each of the axes; at most one is r2c
///   precision     f32 or f64
///   block_bytes   a multiple of the bytes of a complex number
///   buffers       2 or more
///   threads       1 or more
///   real_input    with real_output only for a filter, or if all kinds are cosines and sines; with
///                 either, one or more axes and natural order
///   order         transposed only for an array of one axis, which is transformed by c2c
///   in_place      without a halved axis and without input_type
///   input_type    no longer than the transform's numbers; complex for c2r, real for any other
///                 real_input
///   filter        c2c, or r2c with real_input and real_output; at least one axis; natural order
struct KPassProblem {
  Shape shape;            ///< of the real side, if there is one
  std::vector<int> axes;  ///< the transformed axes
  /// The kind of each of `axes`. An inverse has the inverse kinds; r2c then means c2r. Empty: c2c,
  /// but with reals the last axis is r2c.
  std::vector<Kind> kinds = {};
  Precision precision = Precision::f64;
  OutputOrder order = OutputOrder::natural;
  /// r2c: the input is real. The output has the first N/2 + 1 complex numbers along the halved
  /// axis.
  bool real_input = false;
  bool real_output = false;       ///< c2r; if reals stay real, both are true
  std::int64_t memory_bytes = 0;  ///< limit for the passes
  std::int64_t block_bytes = 0;   ///< B: the shortest transfer
  /// Panels in memory at the same time: one is read, one is transformed into another, one is
  /// written.
  int buffers = 4;
  int threads = 1;
  /// Every pass can be repeated. This needs scratch space. A pass keeps its input, or writes each
  /// panel to a journal before the panel overwrites its input.
  bool preserve_inputs = false;
  /// The output overwrites the input. Only if the elements of both have the same type.
  bool in_place = false;
  /// Entry i limits the number of axes of pass i. The first pass begins with the last axis. Memory
  /// may allow fewer axes. Passes without an entry take as many axes as fit in memory.
  std::vector<std::size_t> groups = {};
  /// Element type of the input, if it differs from the type of `precision`. Then the first pass
  /// converts the input. For c2c, reals become complex numbers.
  std::optional<ElementType> input_type = {};
  /// The result is the filtered array instead of its transform.
  std::optional<SpectralFilter> filter = {};
  friend bool operator==(const KPassProblem&, const KPassProblem&) = default;

  bool has_reals() const { return real_input || real_output; }
  /// Returns the kind of an axis; c2c if it is not transformed.
  Kind kind_of(int axis) const;
  /// Returns the axis whose spectrum is halved, or -1.
  int halved_axis() const;
  bool halves() const { return halved_axis() >= 0; }
  /// Returns whether reals stay real, on every axis.
  bool keeps_reals() const { return has_reals() && !halves(); }
  /// Returns whether all axes are c2c.
  bool is_c2c() const;
  /// Bytes of an element of the passes. It is a real if reals stay real, otherwise a complex
  /// number.
  std::int64_t element_bytes() const {
    return keeps_reals() ? real_bytes(precision) : complex_bytes(precision);
  }
};

/// The index of a column by which the twiddles of its lines are chosen.
enum class TwiddleBy { none, rest, inner };
const char* to_string(TwiddleBy);

/// The lines of one axis in a panel. The product before * length * after is the panel's radix.
struct PanelAxis {
  std::int64_t before = 1;
  std::int64_t length = 1;
  std::int64_t after = 1;
  /// r2c: either the input or the output is `length` reals; the other one is length/2 + 1 complex
  /// numbers. Cosines and sines of complex numbers transform both parts.
  Kind kind = Kind::c2c;
  friend bool operator==(const PanelAxis&, const PanelAxis&) = default;

  bool is_halved() const { return kind == Kind::r2c; }
  /// Returns the number of elements of a line, in elements of the passes.
  std::int64_t stored_length() const { return is_halved() ? length / 2 + 1 : length; }
};

/// The use of the chirp of Bluestein's algorithm, exp(sign*pi*i*j^2/n), in a pass.
enum class Chirp {
  none,
  first,   ///< the input is multiplied by the chirp
  last,    ///< the output is multiplied by the chirp
  kernel,  ///< the pass has no input. It makes the conjugate of the chirp for |j| < n
};
const char* to_string(Chirp);

/// One pass: the array is [outer][radix][rest][inner] and becomes [outer][rest][radix][inner].
/// Elements are complex numbers, unless a flag says otherwise or reals stay real.
struct KPass {
  std::int64_t outer = 1;
  std::int64_t radix = 1;
  std::int64_t rest = 1;
  std::int64_t inner = 1;
  std::vector<PanelAxis> axes;  ///< transformed one after the other
  /// Point k of a line is multiplied by exp(sign*2*pi*i*m/twiddle_length) with m = k * c *
  /// twiddle_step. c is the index of the column: `rest` or `inner`, according to `twiddle`.
  TwiddleBy twiddle = TwiddleBy::none;
  std::int64_t twiddle_length = 1;
  std::int64_t twiddle_step = 1;
  std::int64_t twiddle_columns = 1;  ///< columns `inner` that have the same twiddles
  /// Turns the transform of N/2 complex numbers into the transform of N reals. For this, columns c
  /// and inner - c are in memory together. `twiddle_length` is N.
  bool unpacks_reals = false;
  /// The inverse of unpacks_reals, in a first pass. Half the spectrum of N reals (N/2 + 1 numbers)
  /// becomes N/2 numbers. Their transform is the reals, two in each number. Columns c and rest - c
  /// are in memory together.
  bool packs_reals = false;
  bool reads_reals = false;
  bool converts = false;  ///< the input has the problem's input_type
  bool writes_reals = false;
  std::int64_t real_radix = 0;  ///< radix of the real side, if the pass has a halved axis
  /// Elements on the disks for each `outer`; 0: all of [radix][rest][inner]. If there are fewer,
  /// the pass reads zeros for the others, or does not write them. With packs_reals or
  /// unpacks_reals, half a spectrum has one element more than this.
  std::int64_t source_slab = 0;
  std::int64_t target_slab = 0;
  /// If the input is half a spectrum and is not packed: the length of the real axis. Otherwise 0.
  std::int64_t spectrum_of = 0;
  /// The transform has the opposite sign of the exponent, and the twiddles come before it.
  bool other_sign = false;
  /// Lines are transformed, multiplied by the factors of the problem's filter, and transformed
  /// back.
  bool filters = false;
  // For Bluestein's algorithm.
  Chirp chirp = Chirp::none;
  std::int64_t chirp_length = 0;  ///< n
  /// Lines are transformed, multiplied by the kernel's lines, and transformed back.
  bool convolves = false;
  long double scale = 1;  ///< multiplied into the result
  // Widths of a panel. A panel has the whole radix. The last panels may be narrower.
  std::int64_t outer_width = 1;
  std::int64_t rest_width = 1;
  std::int64_t inner_width = 1;
  model::VolumeRole source = model::VolumeRole::input;
  model::VolumeRole target = model::VolumeRole::output;
  // Starts of the arrays in scratch space, in elements of each array.
  std::int64_t source_first = 0;
  std::int64_t target_first = 0;
  std::int64_t kernel_first = 0;
  bool journaled = false;  ///< a result is written to the journal before the target
  /// On ranks: bytes that are read back from journals, because a round does not fit in memory.
  std::int64_t journal_read_bytes = 0;
  // Limits by memory: elements of a panel, lines of a tile.
  std::int64_t panel_elements = 0;
  std::int64_t tile_lines = 1;
  friend bool operator==(const KPass&, const KPass&) = default;

  std::int64_t elements() const { return outer * radix * rest * inner; }
  std::int64_t longest_line() const;
  /// Returns whether the elements of every panel have the same places before and after.
  bool keeps_order() const { return rest == 1; }
  bool halves() const { return real_radix > 0; }
  /// Returns whether input and output of a panel share a buffer.
  bool transforms_in_place() const { return keeps_order() && !halves(); }
  /// Returns whether lines are transformed forward and backward.
  bool turns() const { return filters || convolves; }
  /// Returns whether the output of a panel is in the buffer of its input. A pass that moves
  /// elements, or one halved transform, moves the panel to the other buffer. A second halved
  /// transform moves it back.
  bool ends_in_source() const { return transforms_in_place() || (halves() && turns()); }
  /// Returns whether columns are in memory together with their mirrors.
  bool mirrors() const { return packs_reals || unpacks_reals; }
  /// Returns whether a panel needs work after it was read: reals become complex numbers, or
  /// elements are missing.
  bool completes_source() const {
    return !halves() && !packs_reals && (reads_reals || source_slab > 0);
  }
  bool has_twiddles() const { return twiddle != TwiddleBy::none || mirrors(); }
};

/// The elements that are in memory together: the whole radix, and a range of each other index. For
/// example, `inner` is the first value of that index, and `inners` is the number of values.
struct Panel {
  std::int64_t outer = 0, outers = 1;
  std::int64_t rest = 0, rests = 1;
  std::int64_t inner = 0, inners = 1;
};
std::int64_t panel_count(const KPass& pass);
/// Returns panel `index`, in the order of execution.
Panel panel_of(const KPass& pass, std::int64_t index);
std::int64_t elements(const KPass& pass, const Panel& panel);
/// Returns the panel. If reals are packed or unpacked, also returns its mirror: the mirrored
/// columns that are not in the panel itself. Both are stored one after the other in memory.
std::vector<Panel> panel_parts(const KPass& pass, std::int64_t index);
/// Returns the number of elements of all parts in memory. If the pass convolves, the number
/// includes the elements of the kernel. In the first panel it includes the last element of half a
/// spectrum that is packed or unpacked.
std::int64_t elements(const KPass& pass, const std::vector<Panel>& parts);
bool has_last_element(const KPass& pass, const std::vector<Panel>& parts);

/// Runs of consecutive elements, nested in loops, in the order of memory.
struct RunGrid {
  struct GridLoop {
    std::int64_t count = 1;
    std::int64_t stride = 0;
  };
  std::int64_t first = 0;
  std::int64_t length = 1;
  std::array<GridLoop, 3> loops = {};  ///< the slowest first

  std::int64_t runs() const { return loops[0].count * loops[1].count * loops[2].count; }
  /// Calls visit(first element) for every run.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::int64_t i = 0; i < loops[0].count; ++i)
      for (std::int64_t j = 0; j < loops[1].count; ++j)
        for (std::int64_t k = 0; k < loops[2].count; ++k)
          visit(first + i * loops[0].stride + j * loops[1].stride + k * loops[2].stride);
  }
};
/// Returns the source of a panel, which is [outers][radix][rests][inners] in memory.
RunGrid source_runs(const KPass& pass, const Panel& panel);
/// Returns the target of a panel, which is [outers][rests][radix][inners] in memory.
RunGrid target_runs(const KPass& pass, const Panel& panel);
/// Returns the whole input or output of a panel in the order of memory. Positions are in elements
/// of the input or of the output, from the start of the volume.
std::vector<RunGrid> reads_of(const KPass& pass, const std::vector<Panel>& parts);
std::vector<RunGrid> writes_of(const KPass& pass, const std::vector<Panel>& parts);

/// The k-pass transform as plain data.
struct KPassPlan {
  KPassProblem problem;
  std::vector<KPass> passes;
  std::int64_t element_bytes = 0;
  /// N1 of a transposed result, [N1][N2]; 1: the order is natural.
  std::int64_t transposed_rows = 1;
  std::int64_t scratch_bytes = 0;  ///< on disk
  // Journal in scratch space: two slots for panels, used in turn.
  std::int64_t journal_first_byte = 0;
  std::int64_t journal_slot_bytes = 0;
  int ranks = 1;  ///< ranks that share the panels; each has the problem's memory_bytes
  // For Bluestein's algorithm: points of its transforms, and passes that make the kernel.
  std::int64_t convolution_points = 0;
  std::size_t kernel_passes = 0;
  /// For a filter: the order of its spectrum along each axis, see element_of_place().
  std::vector<std::vector<std::int64_t>> spectrum_radices;
  friend bool operator==(const KPassPlan&, const KPassPlan&) = default;

  std::int64_t input_bytes() const;
  std::int64_t output_bytes() const;
  /// Bytes of an element that a pass reads or writes.
  std::int64_t source_element_bytes(const KPass& pass) const;
  std::int64_t target_element_bytes(const KPass& pass) const;
  /// Bytes of the whole array that a pass reads or writes; 0 if it reads none.
  std::int64_t source_bytes(const KPass& pass) const;
  std::int64_t target_bytes(const KPass& pass) const;
  /// Returns the place of a panel in the journal, in bytes of scratch space.
  std::int64_t journal_byte(std::int64_t panel) const {
    return journal_first_byte + panel % 2 * journal_slot_bytes;
  }
};

/// Returns the shape of the complex side: the problem's shape, with N/2 + 1 elements along a halved
/// axis.
Shape complex_shape(const KPassProblem& problem);
/// Returns whether a pass reads pairs of neighbouring reals, each pair as one complex number.
bool reads_pairs(const KPassProblem& problem, const KPass& pass);

/// Exact counts of one pass, or of all.
struct PassCounts {
  std::int64_t panels = 0;
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
  std::int64_t journal_bytes = 0;  ///< included in written_bytes
  std::int64_t read_runs = 0;
  std::int64_t written_runs = 0;
  std::int64_t shortest_run_bytes = 0;
  PassCounts& operator+=(const PassCounts& other);
};
PassCounts counts_of(const KPassPlan& plan, const KPass& pass);
PassCounts counts_of(const KPassPlan& plan);

/// Returns the parallel I/Os of the passes, if all disks are equally busy: 2kN/BD for k passes over
/// N complex numbers in blocks of B numbers on D disks.
std::int64_t parallel_ios(const KPassPlan& plan, std::int64_t disks);

/// Memory of the executor, at most the problem's memory_bytes.
struct PassMemory {
  std::int64_t panel_bytes = 0;  ///< of each buffer
  std::int64_t panels_bytes = 0;
  std::int64_t twiddle_bytes = 0;
  std::int64_t chirp_bytes = 0;  ///< table of the chirp
  std::int64_t tile_bytes = 0;   ///< of all threads
  std::int64_t run_bytes = 0;    ///< lists of runs
  std::int64_t total() const {
    return panels_bytes + twiddle_bytes + chirp_bytes + tile_bytes + run_bytes;
  }
};
PassMemory memory_of(const KPassPlan& plan, const KPass& pass);
/// Returns the memory of the pass that needs most.
std::int64_t memory_bytes(const KPassPlan& plan);

/// Bytes of a disk::Run in a list of transfers. The executor checks this number.
inline constexpr std::int64_t listed_run_bytes = 24;

/// Returns the distance of the lines of a tile. It is an odd number of cache lines, so that the
/// elements of a column fall into different cache sets.
std::int64_t tile_pitch_bytes(std::int64_t length, std::int64_t element_bytes);

}  // namespace weft::ooc
