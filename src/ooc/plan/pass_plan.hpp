#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <weft/layout.hpp>
#include <weft/precision.hpp>

#include "model/disk_assignment.hpp"
#include "ooc/plan/element_type.hpp"

namespace weft::ooc {

// The k-pass FFT: N = R_1...R_k, one pass over the disks for each radix. A pass takes panels of
// columns into memory, transforms lines of R_i points, multiplies by twiddles, and writes the
// digits in the order that the next pass wants (Stockham), so that no pass only permutes.

/// How the result lies. transposed: k = k1 + N1*k2 at index k1*N2 + k2, which lets one more factor
/// of M/B be done in two passes; for one axis.
enum class OutputOrder { natural, transposed };

/// A transform of an array on disks, row-major.
struct KPassProblem {
  Shape shape;            ///< of the reals where there are any
  std::vector<int> axes;  ///< those that are transformed; the last one is halved where reals are
  Precision precision = Precision::f64;
  OutputOrder order = OutputOrder::natural;
  /// r2c: the input are reals, the output the first N/2 + 1 complex numbers along the last of `axes`.
  bool real_input = false;
  bool real_output = false;       ///< c2r, the way back
  std::int64_t memory_bytes = 0;  ///< all that the passes may hold
  std::int64_t block_bytes = 0;   ///< B: no transfer is to be shorter
  /// Panels in memory together: one is read, one is transformed into another, one is written.
  int buffers = 4;
  int threads = 1;
  /// Every pass leaves what it reads as it was, so that it can be done again; takes scratch space.
  /// Where it writes where it reads, because it is in place, each panel lies in a journal first.
  bool keep_sources = false;
  /// The output takes the place of the input: c2c, with elements of `precision`.
  bool in_place = false;
  /// How many of the axes each pass takes, the last axis first; fewer where memory has no room. Empty,
  /// and for passes beyond these: as many as fit.
  std::vector<std::size_t> groups = {};
  /// Of the input, where it is not that of `precision`: the first pass converts. No longer than the
  /// transform's; reals may become complex numbers.
  std::optional<ElementType> input_type = {};
  friend bool operator==(const KPassProblem&, const KPassProblem&) = default;

  bool has_reals() const { return real_input || real_output; }
};

/// Which index of a column the twiddles of a line depend on.
enum class TwiddleBy { none, rest, inner };

/// Lines within a panel's radix, which is before * length * after.
struct PanelAxis {
  std::int64_t before = 1;
  std::int64_t length = 1;
  std::int64_t after = 1;
  bool halved = false;  ///< `length` reals on one side, length/2 + 1 complex numbers on the other
  friend bool operator==(const PanelAxis&, const PanelAxis&) = default;

  std::int64_t complex_length() const { return halved ? length / 2 + 1 : length; }
};

/// What a pass has to do with the chirp of Bluestein's algorithm, exp(sign*pi*i*j^2/n).
enum class Chirp {
  none,
  first,   ///< the elements that were read are multiplied by it
  last,    ///< those that are written
  kernel,  ///< nothing is read, its conjugate is made for |j| < n
};

/// One pass: the array is [outer][radix][rest][inner] and becomes [outer][rest][radix][inner], complex
/// numbers but where it is said.
struct KPass {
  std::int64_t outer = 1;
  std::int64_t radix = 1;
  std::int64_t rest = 1;
  std::int64_t inner = 1;
  std::vector<PanelAxis> axes;  ///< transformed one after the other
  /// Point k of a line is multiplied by the root of unity of k * i * twiddle_step out of
  /// twiddle_length, i the index of its column that `twiddle` names.
  TwiddleBy twiddle = TwiddleBy::none;
  std::int64_t twiddle_length = 1;
  std::int64_t twiddle_step = 1;
  /// Columns c and inner - c are in memory together, and what the transform of N/2 complex numbers
  /// left becomes that of N reals; `twiddle_length` is N.
  bool unpacks_reals = false;
  /// The way back, in a first pass: columns c and rest - c are in memory together, and of N/2 + 1
  /// numbers of the transform of N reals become the N/2 whose transform are the reals in pairs.
  bool packs_reals = false;
  bool reads_reals = false;
  bool converts = false;  ///< what it reads is of the problem's input_type
  bool writes_reals = false;
  std::int64_t real_radix = 0;  ///< of panels with a halved axis, on the side of the reals
  /// So many elements of each [radix][rest][inner] are on the disks, 0: all. Where they are fewer the
  /// others are zeros, or not written; one more belongs to reals in pairs.
  std::int64_t source_slab = 0;
  std::int64_t target_slab = 0;
  /// What is read is half of a spectrum that a real array of such a length has along this axis.
  std::int64_t spectrum_of = 0;
  // Bluestein's algorithm.
  bool other_sign = false;  ///< of the exponent; and twiddles come before the transform
  Chirp chirp = Chirp::none;
  std::int64_t chirp_length = 0;  ///< n
  /// Lines are transformed, multiplied by those of the kernel, and transformed back.
  bool convolves = false;
  long double scale = 1;  ///< multiplied into the result
  // A panel has all of the radix and so many of the other indices; the last ones may have fewer.
  std::int64_t outer_width = 1;
  std::int64_t rest_width = 1;
  std::int64_t inner_width = 1;
  model::VolumeRole source = model::VolumeRole::input;
  model::VolumeRole target = model::VolumeRole::output;
  // Where the arrays begin in scratch space, in elements of their own.
  std::int64_t source_first = 0;
  std::int64_t target_first = 0;
  std::int64_t kernel_first = 0;
  bool journaled = false;  ///< what a panel becomes is in the journal before it is in the target
  /// On ranks: what is read from journals, because memory has not all of a round that disks get.
  std::int64_t journal_read_bytes = 0;
  // What memory allows: panels of up to so many elements, tiles of so many lines.
  std::int64_t panel_elements = 0;
  std::int64_t tile_lines = 1;
  friend bool operator==(const KPass&, const KPass&) = default;

  std::int64_t elements() const { return outer * radix * rest * inner; }
  std::int64_t longest_line() const;
  /// Whether the elements of every panel have the same places before and after.
  bool keeps_order() const { return rest == 1; }
  bool halves() const { return real_radix > 0; }
  /// Whether a panel stays in its memory.
  bool transforms_in_place() const { return keeps_order() && !halves(); }
  /// Whether columns are in memory with their mirrors.
  bool mirrors() const { return packs_reals || unpacks_reals; }
  /// Whether what is read must become complex numbers, or is not all of the panel.
  bool completes_source() const {
    return !halves() && !packs_reals && (reads_reals || source_slab > 0);
  }
  bool has_twiddles() const { return twiddle != TwiddleBy::none || mirrors(); }
};

/// The elements of one trip through memory: all of the radix, and these of the other indices.
struct Panel {
  std::int64_t outer = 0, outers = 1;
  std::int64_t rest = 0, rests = 1;
  std::int64_t inner = 0, inners = 1;
};
std::int64_t panel_count(const KPass& pass);
/// Panels in the order in which they are done.
Panel panel_of(const KPass& pass, std::int64_t index);
std::int64_t elements(const KPass& pass, const Panel& panel);
/// The panel, and where reals are packed or unpacked its mirror: the columns that it has not itself
/// out of those which belong to its own. They lie one after the other in memory.
std::vector<Panel> panel_parts(const KPass& pass, std::int64_t index);
/// In memory, complex: of all parts, the last element of reals in pairs, which is with the first
/// panel, and the kernel's.
std::int64_t elements(const KPass& pass, const std::vector<Panel>& parts);
bool has_last_element(const KPass& pass, const std::vector<Panel>& parts);

/// Runs of consecutive elements, nested in loops, in the order in which they lie in memory.
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
/// What of the source a panel reads, as [outers][radix][rests][inners] in memory.
RunGrid source_runs(const KPass& pass, const Panel& panel);
/// What of the target it writes, as [outers][rests][radix][inners] in memory.
RunGrid target_runs(const KPass& pass, const Panel& panel);
/// All that is read (written) for a panel, one after the other in memory, in elements of that side
/// from the first of the volume on.
std::vector<RunGrid> reads_of(const KPass& pass, const std::vector<Panel>& parts);
std::vector<RunGrid> writes_of(const KPass& pass, const std::vector<Panel>& parts);

/// The k-pass transform as plain data.
struct KPassPlan {
  KPassProblem problem;
  std::vector<KPass> passes;
  std::int64_t element_bytes = 0;
  /// N1 of a transposed result, [N1][N2]; 1: the order is natural after all.
  std::int64_t transposed_rows = 1;
  std::int64_t scratch_bytes = 0;  ///< on disk
  // In scratch space, where passes are journaled: two slots for panels, which take turns.
  std::int64_t journal_first_byte = 0;
  std::int64_t journal_slot_bytes = 0;
  int ranks = 1;  ///< that the panels are dealt to, each with the memory
  // Where Bluestein's algorithm does it: points of its transforms, and passes that make the kernel.
  std::int64_t convolution_points = 0;
  std::size_t kernel_passes = 0;
  friend bool operator==(const KPassPlan&, const KPassPlan&) = default;

  std::int64_t input_bytes() const;
  std::int64_t output_bytes() const;
  /// Of an element that a pass reads or writes.
  std::int64_t source_element_bytes(const KPass& pass) const;
  std::int64_t target_element_bytes(const KPass& pass) const;
  /// Of the whole array that a pass reads or writes; nothing where it reads nothing.
  std::int64_t source_bytes(const KPass& pass) const;
  std::int64_t target_bytes(const KPass& pass) const;
  /// Where the journal has a panel, in bytes of scratch space.
  std::int64_t journal_byte(std::int64_t panel) const {
    return journal_first_byte + panel % 2 * journal_slot_bytes;
  }
};

/// The shape of the complex side: that of the problem, but for a halved axis.
Shape complex_shape(const KPassProblem& problem);

/// Exact counts of one pass, or of all.
struct PassCounts {
  std::int64_t panels = 0;
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
  std::int64_t journal_bytes = 0;  ///< of these
  std::int64_t read_runs = 0;
  std::int64_t written_runs = 0;
  std::int64_t shortest_run_bytes = 0;
  PassCounts& operator+=(const PassCounts& other);
};
PassCounts counts_of(const KPassPlan& plan, const KPass& pass);
PassCounts counts_of(const KPassPlan& plan);

/// What the passes take when all disks are busy alike: 2kN/BD for k passes of N complex numbers.
std::int64_t parallel_ios(const KPassPlan& plan, std::int64_t disks);

/// What the executor holds, at most the problem's memory_bytes.
struct PassMemory {
  std::int64_t panel_bytes = 0;  ///< of each buffer
  std::int64_t panels_bytes = 0;
  std::int64_t twiddle_bytes = 0;
  std::int64_t chirp_bytes = 0;  ///< its table
  std::int64_t tile_bytes = 0;   ///< of all threads
  std::int64_t run_bytes = 0;    ///< lists of runs
  std::int64_t total() const {
    return panels_bytes + twiddle_bytes + chirp_bytes + tile_bytes + run_bytes;
  }
};
PassMemory memory_of(const KPassPlan& plan, const KPass& pass);
/// That of the pass which holds most.
std::int64_t memory_bytes(const KPassPlan& plan);

/// A run in the list of a panel's transfers; the executor checks that it is no longer.
inline constexpr std::int64_t listed_run_bytes = 24;

/// Lines of a tile are so many bytes apart: whole cache lines, lest a column fall into one set.
std::int64_t tile_pitch_bytes(std::int64_t length, std::int64_t element_bytes);

}  // namespace weft::ooc
