#include "ooc/plan/k_pass_planner.hpp"

// Chooses the passes of a k-pass FFT.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include <weft/error.hpp>

#include "ooc/plan/array_assignment.hpp"
#include "ooc/plan/bluestein.hpp"
#include "ooc/plan/check_problem.hpp"
#include "ooc/plan/digit_pass.hpp"
#include "ooc/plan/panel_size.hpp"
#include "ooc/plan/radices.hpp"

namespace weft::ooc {
namespace {

/// Longer runs are hardly faster on any disk. Volumes cut runs at this length.
constexpr std::int64_t long_run_bytes = 1 << 20;

[[noreturn]] void refuse_passes(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

class Planner {
 public:
  explicit Planner(const KPassProblem& problem)
      : problem_(problem), shape_(complex_shape(problem)), fit_(problem) {
    plan_.problem = problem;
    plan_.element_bytes = problem.element_bytes();
  }

  KPassPlan planned() {
    if (problem_.filter)
      add_filter();
    else if (problem_.order == OutputOrder::transposed)
      add_transposed();
    else if (problem_.halves())
      add_reals();
    else
      add_groups(descending());
    if (plan_.passes.empty()) add_copy();
    plan_.passes[plan_.kernel_passes].converts = problem_.input_type.has_value();
    assign_arrays(plan_);
    return plan_;
  }

 private:
  /// Returns the transformed axes from the last to the first, without c2c axes of one point.
  std::vector<int> descending() const {
    std::vector<int> axes = problem_.axes;
    std::erase_if(
        axes, [&](int axis) { return extent(axis) == 1 && problem_.kind_of(axis) == Kind::c2c; });
    std::sort(axes.rbegin(), axes.rend());
    return axes;
  }

  /// Adds passes with as many axes as memory and the problem's groups allow. An axis that does not
  /// fit in memory gets one pass for each of its radices. Cosines and sines have no radices.
  void add_groups(const std::vector<int>& axes) {
    for (std::size_t i = 0, number = 0; i < axes.size(); ++number) {
      std::size_t end = i;
      const std::size_t most = last_of_group(number, i, axes.size());
      std::optional<KPass> pass;
      while (end < most) {
        auto wider = fit_.fitted(with_full_reals(group(axes, i, end + 1)));
        if (!wider) break;
        pass = wider;
        ++end;
      }
      if (pass)
        plan_.passes.push_back(*pass);
      else if (keeps_elements(problem_.kind_of(axes[i])))
        refuse_whole_line(axes[i]);
      else if (problem_.filter)
        add_digits(axes[end++]);
      else
        add_split(axes[end++]);
      i = end;
    }
  }

  /// Returns the largest possible end of the group of axes that begins at `first`.
  std::size_t last_of_group(std::size_t number, std::size_t first, std::size_t axes) const {
    if (number >= problem_.groups.size()) return axes;
    return std::min(axes, first + std::max<std::size_t>(1, problem_.groups[number]));
  }

  /// Adds the passes between reals and their half spectrum. r2c begins with the halved axis and the
  /// axes that fit in memory together with it. c2r ends with these axes.
  void add_reals() {
    if (has_pairs() && shape_.size() == 1) return add_pairs();
    const std::vector<int> axes = descending();
    const auto at = static_cast<std::size_t>(
        std::find(axes.begin(), axes.end(), problem_.halved_axis()) - axes.begin());
    const HalvedGroup group = halved_group(axes, at);
    const auto add_halved = [&] {
      if (group.pass)
        plan_.passes.push_back(*group.pass);
      else
        add_split_reals(axes[at]);
    };
    if (problem_.real_input) add_halved();
    add_groups({axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(group.first)});
    add_groups({axes.begin() + static_cast<std::ptrdiff_t>(group.end), axes.end()});
    if (problem_.real_output) add_halved();
  }

  /// The pass of the halved axis and of the axes that fit in memory together with it: [first, end)
  /// of `axes`. There is no pass if the halved axis alone does not fit.
  struct HalvedGroup {
    std::size_t first = 0;
    std::size_t end = 0;
    std::optional<KPass> pass;
  };
  HalvedGroup halved_group(const std::vector<int>& axes, std::size_t at) const {
    HalvedGroup group{at, at + 1, fit_.fitted(halving(axes, at, at + 1))};
    const auto widen = [&](std::size_t first, std::size_t end) {
      const auto wider = fit_.fitted(halving(axes, first, end));
      if (wider) group = {first, end, wider};
      return wider.has_value();
    };
    while (group.pass && group.first > 0 && widen(group.first - 1, group.end)) {
    }
    while (group.pass && group.end < axes.size() && widen(group.first, group.end + 1)) {
    }
    return group;
  }

  /// Adds the forward passes, of which the last one filters, and the backward passes.
  void add_filter() {
    for (const std::int64_t extent : shape_) plan_.spectrum_radices.push_back({extent});
    if (!problem_.halves() || !add_half_spectrum()) {
      shape_ = problem_.shape;
      has_full_reals_ = problem_.halves();
      if (has_full_reals_) plan_.spectrum_radices[halved_index()] = {real_extent()};
      add_groups(descending());
    }
    if (plan_.passes.empty()) add_copy();
    const std::vector<KPass> there = plan_.passes;
    KPass& turn = plan_.passes.back();
    turn.filters = true;
    turn.writes_reals = turn.reads_reals;
    for (std::size_t i = there.size() - 1; i-- > 0;) plan_.passes.push_back(mirrored(there[i]));
  }

  /// Adds the passes from reals to half the spectrum. Returns false if lines of the halved axis do
  /// not fit in memory.
  bool add_half_spectrum() {
    const std::vector<int> axes = descending();
    const auto at = static_cast<std::size_t>(
        std::find(axes.begin(), axes.end(), problem_.halved_axis()) - axes.begin());
    const HalvedGroup group = halved_group(axes, at);
    if (!group.pass) return false;
    plan_.passes.push_back(*group.pass);
    add_groups({axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(group.first)});
    add_groups({axes.begin() + static_cast<std::ptrdiff_t>(group.end), axes.end()});
    return true;
  }

  /// Returns the pass that undoes the transforms of a pass and moves the elements back.
  static KPass mirrored(KPass pass) {
    pass.other_sign = true;
    std::swap(pass.reads_reals, pass.writes_reals);
    std::reverse(pass.axes.begin(), pass.axes.end());
    return pass;
  }

  /// If reals are filtered as complex numbers, the first pass reads the reals.
  KPass with_full_reals(KPass pass) const {
    pass.reads_reals = has_full_reals_ && plan_.passes.empty();
    return pass;
  }

  /// Adds passes of the fewest radices of an axis that is too long for memory. They leave the
  /// digits of the wavenumbers in opposite order, so no pass moves elements.
  void add_digits(int axis) {
    const std::int64_t n = extent(axis);
    const auto primes = static_cast<int>(prime_factors(n).size());
    for (int count = 2; count <= primes; ++count)
      for (const bool has_long_row : {false, true})
        if (add_digits(axis,
                       has_long_row ? with_longest_row(axis, count) : balanced_factors(n, count)))
          return;
    refuse_memory(split_pass(axis, 1, n > 1 ? prime_factors(n).back() : 1));
  }

  bool add_digits(int axis, const std::vector<std::int64_t>& radices) {
    const auto dims = static_cast<int>(shape_.size());
    std::vector<KPass> passes;
    for (std::size_t i = 0; i < radices.size(); ++i) {
      KPass one = digit_pass(radices, i, product(0, axis), product(axis + 1, dims));
      if (i == 0) one = with_full_reals(one);
      const auto pass = fit_.fitted(one);
      if (!pass) return false;
      passes.push_back(*pass);
    }
    plan_.passes.insert(plan_.passes.end(), passes.begin(), passes.end());
    plan_.spectrum_radices[static_cast<std::size_t>(axis)] = radices;
    return true;
  }

  /// Returns radices. The last one is as long as memory allows, because its lines need no blocks of
  /// columns. The other radices are then short.
  std::vector<std::int64_t> with_longest_row(int axis, int count) const {
    const std::int64_t n = extent(axis);
    const std::int64_t after = product(axis + 1, static_cast<int>(shape_.size()));
    std::int64_t longest = 1;
    for (const std::int64_t row : divisors(n))
      if (row < n && fit_.fitted(digit_pass({n / row, row}, 1, product(0, axis), after)))
        longest = row;
    std::vector<std::int64_t> radices = balanced_factors(n / longest, count - 1);
    radices.push_back(longest);
    return radices;
  }

  std::size_t halved_index() const { return static_cast<std::size_t>(problem_.halved_axis()); }

  /// Returns the number of reals along the halved axis.
  std::int64_t real_extent() const { return problem_.shape[halved_index()]; }

  /// Returns the product of the extents after the halved axis.
  std::int64_t after_halved() const {
    return product(problem_.halved_axis() + 1, static_cast<int>(shape_.size()));
  }

  /// Returns whether neighbours along the halved axis are adjacent in the file. Then each pair of
  /// reals can be read as a complex number.
  bool has_pairs() const {
    return problem_.halves() && real_extent() % 2 == 0 && after_halved() == 1;
  }

  void add_pairs() {
    see_split_axis();
    if (const auto pass = fit_.fitted(with_reals(group({0}, 0, 1), true, true)))
      plan_.passes.push_back(*pass);
    else
      add_split(0);
  }

  /// Adds the passes of a halved axis that is too long for lines in memory.
  void add_split_reals(int axis) {
    const Shape shape = shape_;
    see_split_axis();
    add_split(axis);
    shape_ = shape;
  }

  /// Sets the shape for passes of radices: the halved axis in full, or half if reals are in pairs.
  void see_split_axis() {
    shape_[halved_index()] = has_pairs() ? real_extent() / 2 : real_extent();
  }

  /// Adds the pass of a transform without axes, which only copies and scales.
  void add_copy() {
    KPass pass;
    pass.outer = volume(shape_);
    pass.axes = {{}};
    const auto copy = fit_.fitted(pass);
    if (!copy) refuse_memory(pass);
    plan_.passes.push_back(*copy);
  }

  /// Returns the pass of axes [first, end) of `axes`, which descend, and of all axes between them.
  KPass group(const std::vector<int>& axes, std::size_t first, std::size_t end) const {
    KPass pass;
    pass.outer = product(0, axes[end - 1]);
    pass.radix = product(axes[end - 1], axes[first] + 1);
    pass.inner = product(axes[first] + 1, static_cast<int>(shape_.size()));
    for (std::size_t i = first; i < end; ++i)
      pass.axes.push_back({product(axes[end - 1], axes[i]), extent(axes[i]),
                           product(axes[i] + 1, axes[first] + 1), whole_kind(axes[i])});
    return pass;
  }

  /// Returns the kind of the lines of an axis that is not halved in this pass.
  Kind whole_kind(int axis) const {
    const Kind kind = problem_.kind_of(axis);
    return keeps_elements(kind) ? kind : Kind::c2c;
  }

  /// Returns a group with the halved axis. The other axes are transformed on the complex side.
  KPass halving(const std::vector<int>& axes, std::size_t first, std::size_t end) const {
    KPass pass = group(axes, first, end);
    const auto at = std::find(axes.begin(), axes.end(), problem_.halved_axis()) - axes.begin() -
                    static_cast<std::ptrdiff_t>(first);
    PanelAxis halved = pass.axes[static_cast<std::size_t>(at)];
    halved.length = real_extent();
    halved.kind = Kind::r2c;
    pass.real_radix = halved.before * halved.length * halved.after;
    pass.reads_reals = problem_.real_input;
    pass.writes_reals = problem_.real_output && !problem_.real_input;
    pass.axes.erase(pass.axes.begin() + at);
    pass.axes.insert(problem_.real_input ? pass.axes.begin() : pass.axes.end(), halved);
    return pass;
  }

  /// Returns a pass of one radix of a halved axis. The first and the last pass also convert reals.
  KPass with_reals(KPass pass, bool is_first, bool is_last) const {
    const std::int64_t n = real_extent();
    const std::int64_t after = after_halved();
    const bool pairs = has_pairs();
    const bool unpacks = pairs && problem_.real_input && is_last;
    const bool packs = pairs && problem_.real_output && is_first;
    if (problem_.real_input && is_last) pass.target_slab = (n / 2 + 1) * after;
    if (problem_.real_output && is_first) pass.source_slab = (n / 2 + 1) * after;
    if (unpacks || packs) {
      pass.twiddle_step *= 2;  // the root is that of n, not of n/2
      pass.twiddle_length = n;
    }
    pass.unpacks_reals = unpacks;
    pass.packs_reals = packs;
    if (pairs) return pass;
    pass.reads_reals = problem_.real_input && is_first;
    pass.writes_reals = problem_.real_output && is_last;
    if (problem_.real_output && is_first) pass.spectrum_of = n;
    if (problem_.real_output && is_last) pass.scale = 2;
    return pass;
  }

  /// Adds passes of the fewest radices for which each panel has a block of columns.
  void add_split(int axis) {
    const std::int64_t n = extent(axis);
    const auto primes = static_cast<int>(prime_factors(n).size());
    for (int count = 2; count <= primes; ++count)
      if (auto passes = split(axis, balanced_factors(n, count))) {
        plan_.passes.insert(plan_.passes.end(), passes->begin(), passes->end());
        return;
      }
    const std::optional<BluesteinPasses> chirp =
        shape_.size() == 1 ? bluestein_passes(problem_, fit_) : std::nullopt;
    if (!chirp) refuse_memory(split_pass(axis, 1, n > 1 ? prime_factors(n).back() : 1));
    plan_.passes = chirp->passes;
    plan_.convolution_points = chirp->points;
    plan_.kernel_passes = chirp->kernel_passes;
  }

  std::optional<std::vector<KPass>> split(int axis,
                                          const std::vector<std::int64_t>& radices) const {
    std::vector<KPass> passes;
    std::int64_t earlier_radices = 1;
    for (const std::int64_t radix : radices) {
      KPass one = split_pass(axis, earlier_radices, radix);
      if (axis == problem_.halved_axis())
        one = with_reals(one, earlier_radices == 1, one.rest == 1);
      const auto pass = fit_.fitted(one);
      if (!pass) return std::nullopt;
      passes.push_back(*pass);
      earlier_radices *= radix;
    }
    return passes;
  }

  /// Returns the pass of one radix of an axis. `earlier_radices` is the product of the radices
  /// before it.
  KPass split_pass(int axis, std::int64_t earlier_radices, std::int64_t radix) const {
    KPass pass;
    pass.outer = product(0, axis);
    pass.radix = radix;
    pass.rest = extent(axis) / earlier_radices / radix;
    pass.inner = earlier_radices * product(axis + 1, static_cast<int>(shape_.size()));
    pass.axes = {{1, radix, 1}};
    if (pass.rest > 1) {
      pass.twiddle = TwiddleBy::rest;
      pass.twiddle_length = extent(axis);
      pass.twiddle_step = earlier_radices;
    }
    return pass;
  }

  /// Plans columns of N1 points, then rows of N2 points in place. If the runs of the columns are
  /// long enough, N2 is short, because long rows are slow. Otherwise N2 is as long as memory
  /// allows, because this makes these runs longest.
  void add_transposed() {
    const std::int64_t n = extent(0);
    if (const auto whole = fit_.fitted(transposed_rows(n))) {
      plan_.passes = {*whole};
      return;
    }
    // Candidates for N1. There cannot be more rows than blocks in memory.
    const std::int64_t most = std::min(n - 1, problem_.memory_bytes / problem_.block_bytes);
    for (const std::int64_t rows : divisors(n)) {
      if (rows < 2 || rows > most) continue;
      const auto row_pass = fit_.fitted(transposed_rows(n / rows));
      if (!row_pass) continue;
      KPass columns{.radix = rows,
                    .inner = n / rows,
                    .axes = {{1, rows, 1}},
                    .twiddle = TwiddleBy::inner,
                    .twiddle_length = n};
      const auto column_pass = fit_.fitted(columns);
      if (!column_pass) break;
      const std::int64_t run_bytes = column_pass->inner_width * plan_.element_bytes;
      if (!plan_.passes.empty() && run_bytes < long_run_bytes) break;
      plan_.passes = {*column_pass, *row_pass};
      plan_.transposed_rows = rows;
    }
    if (!plan_.passes.empty()) return;
    refuse_passes(
        "the transposed order needs N <= M^2/B, as two factors of N of which memory holds a row "
        "and a block of a column; given N = " +
        std::to_string(n) + " and " + std::to_string(problem_.memory_bytes) +
        " bytes of memory; give more memory, or ask for the natural order");
  }

  KPass transposed_rows(std::int64_t row) const {
    return {.outer = extent(0) / row, .radix = row, .axes = {{1, row, 1}}};
  }

  /// Throws for too little memory. `prime_pass` is the pass of the largest prime of an axis. The
  /// message names memory that is enough for all axes.
  [[noreturn]] void refuse_memory(const KPass& prime_pass) {
    std::int64_t enough = std::max(fit_.enough_bytes(prime_pass), enough_for_axes());
    if (shape_.size() == 1 && !problem_.axes.empty() && !problem_.filter)
      enough = enough_for_chirp(enough);
    const std::string remedy = "given " + std::to_string(problem_.memory_bytes) +
                               " bytes of memory in " + std::to_string(problem_.buffers) +
                               " buffers; " + std::to_string(enough) +
                               " bytes are enough, or give smaller blocks";
    KPass least = prime_pass;
    least.radix = 2;
    least.axes = {{1, 2, 1}};
    if (prime_pass.radix > 2 && fit_.fitted(least) && problem_.filter)
      refuse_passes(
          "for a filter, memory holds a block of each point of a line as long as the largest prime "
          "factor: the prime is " +
          std::to_string(prime_pass.radix) + "; " + remedy);
    if (prime_pass.radix > 2 && fit_.fitted(least))
      refuse_passes(
          "memory holds a block of each point of a line as long as the largest prime factor, or "
          "Bluestein's arrays for one axis; the prime is " +
          std::to_string(prime_pass.radix) + "; " + remedy);
    refuse_passes("each buffer holds a block of each point of the shortest line, " +
                  std::to_string(prime_pass.radix) + " blocks of " +
                  std::to_string(problem_.block_bytes) + " bytes; " + remedy);
  }

  /// Throws if a line of cosines or sines does not fit in memory.
  [[noreturn]] void refuse_whole_line(int axis) {
    refuse_passes(
        std::string("an axis of kind ") + to_string(problem_.kind_of(axis)) +
        " is not divided, so each buffer holds a block of each point of its lines: axis " +
        std::to_string(axis) + " has " + std::to_string(extent(axis)) + " points, in blocks of " +
        std::to_string(problem_.block_bytes) + " bytes; given " +
        std::to_string(problem_.memory_bytes) + " bytes of memory in " +
        std::to_string(problem_.buffers) + " buffers; " + std::to_string(enough_for_axes()) +
        " bytes are enough, or give smaller blocks");
  }

  /// Returns memory that is enough for the shortest possible lines of every axis: lines of its
  /// largest prime, or whole lines. Changes shape_ to the shape of passes of radices.
  std::int64_t enough_for_axes() {
    std::int64_t enough = 0;
    const auto take = [&](int axis, std::int64_t radix) {
      enough = std::max(enough, fit_.enough_bytes(split_pass(axis, 1, radix)));
    };
    if (!problem_.filter) shape_ = complex_shape(problem_);
    for (const int axis : problem_.axes)
      if (keeps_elements(problem_.kind_of(axis))) take(axis, extent(axis));
    if (problem_.halves() && !problem_.filter) see_split_axis();
    for (const int axis : problem_.axes)
      if (extent(axis) > 1 && !keeps_elements(problem_.kind_of(axis)))
        take(axis, prime_factors(extent(axis)).back());
    return enough;
  }

  /// Returns a smaller number than `enough`, if such a number suffices for Bluestein's algorithm.
  std::int64_t enough_for_chirp(std::int64_t enough) const {
    if (problem_.order == OutputOrder::transposed) return enough;
    KPassProblem more = problem_;
    for (more.memory_bytes *= 2; more.memory_bytes < enough; more.memory_bytes *= 2)
      if (bluestein_passes(more, PanelSizer(more))) return more.memory_bytes;
    return enough;
  }

  std::int64_t extent(int axis) const { return shape_[static_cast<std::size_t>(axis)]; }
  std::int64_t product(int first, int end) const {
    std::int64_t result = 1;
    for (int axis = first; axis < end; ++axis) result *= extent(axis);
    return result;
  }

  const KPassProblem& problem_;
  Shape shape_;  ///< in elements of the passes
  PanelSizer fit_;
  KPassPlan plan_;
  bool has_full_reals_ = false;  ///< a filter treats reals as complex numbers
};

}  // namespace

KPassPlan plan_passes(const KPassProblem& problem) {
  check_problem(problem);
  return Planner(problem).planned();
}

}  // namespace weft::ooc
