// Chooses the passes of a k-pass FFT.
#include <algorithm>
#include <optional>
#include <string>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "disk/volume.hpp"
#include "ooc/passes.hpp"
#include "ooc/radices.hpp"
#include "ooc/twiddles.hpp"

namespace weft::ooc {
namespace {

/// A tile is to stay in the second level of any cache, and should be so wide that rows across it
/// are whole cache lines; of memory it takes no more than this share.
constexpr std::int64_t tile_target_bytes = std::int64_t{256} << 10;
constexpr std::int64_t tile_row_bytes = 512;
constexpr std::int64_t cache_line_bytes = 64;
constexpr std::int64_t tile_memory_share = 16;
/// Panels are rounded up to this.
constexpr std::int64_t panel_rounding_bytes = 64;
constexpr std::int64_t page_bytes = 4096;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

void check(const PassesProblem& p) {
  if (p.precision == Precision::f80)
    refuse("out of core transforms are of f32 or f64; given f80; convert, or use memory");
  if (p.shape.empty() || std::any_of(p.shape.begin(), p.shape.end(), [](auto n) { return n < 1; }))
    refuse("an array has at least one axis, and extents of 1 or more; given " +
           std::to_string(p.shape.size()) + " axes; give the shape of the array");
  std::int64_t bytes = complex_bytes(p.precision);
  for (const std::int64_t n : p.shape) bytes = checked_mul(bytes, n, "bytes of the array");
  for (std::size_t i = 0; i < p.axes.size(); ++i)
    if (p.axes[i] < 0 || p.axes[i] >= std::ssize(p.shape) ||
        std::count(p.axes.begin(), p.axes.end(), p.axes[i]) != 1)
      refuse("axes are different numbers from 0 to dimensions - 1; given " +
             std::to_string(p.axes[i]) + " of " + std::to_string(p.shape.size()) +
             " dimensions; name each axis once");
  if (p.block_bytes < 1 || p.block_bytes % complex_bytes(p.precision) != 0)
    refuse("a block has whole elements of " + std::to_string(complex_bytes(p.precision)) +
           " bytes; given " + std::to_string(p.block_bytes) + "; give a multiple");
  if (p.buffers < 2 || p.threads < 1)
    refuse("passes take 2 or more buffers and 1 or more threads; given " +
           std::to_string(p.buffers) + " and " + std::to_string(p.threads) + "; give more");
  if (p.real_input && (p.shape.size() != 1 || p.axes.size() != 1 || p.shape[0] % 2 != 0 ||
                       p.order == OutputOrder::transposed))
    refuse("reals are transformed along one axis of even length, in natural order; given " +
           std::to_string(p.shape.size()) + " axes, the first of " + std::to_string(p.shape[0]) +
           "; give them as complex numbers");
  if (p.order == OutputOrder::transposed && (p.shape.size() != 1 || p.axes.size() != 1))
    refuse("a transposed result is that of one axis; given " + std::to_string(p.axes.size()) +
           " axes of " + std::to_string(p.shape.size()) + "; ask for the natural order");
}

class Planner {
 public:
  explicit Planner(const PassesProblem& problem) : problem_(problem), shape_(problem.shape) {
    if (problem.real_input) shape_[0] /= 2;  // N reals are N/2 complex numbers
    plan_.problem = problem;
    plan_.element_bytes = complex_bytes(problem.precision);
    block_ = problem.block_bytes / plan_.element_bytes;
  }

  FftPasses planned() {
    if (problem_.order == OutputOrder::transposed)
      add_transposed();
    else
      add_natural();
    place();
    return plan_;
  }

 private:
  /// Axes from the last to the first: as many as memory holds together, or one in radices.
  void add_natural() {
    std::vector<int> axes = problem_.axes;
    std::erase_if(axes, [&](int axis) { return extent(axis) == 1; });
    std::sort(axes.rbegin(), axes.rend());
    if (axes.empty() && !problem_.real_input) return add_copy();
    if (axes.empty()) axes = {0};
    for (std::size_t i = 0, number = 0; i < axes.size(); ++number) {
      std::size_t end = i;
      const std::size_t most = last_of_group(number, i, axes.size());
      std::optional<FftPass> pass;
      while (end < most) {
        auto wider = fitted(group(axes, i, end + 1));
        if (!wider) break;
        pass = wider;
        ++end;
      }
      if (pass)
        plan_.passes.push_back(*pass);
      else
        add_split(axes[end++]);
      i = end;
    }
  }

  /// Where the group of axes that begins at `first` ends at the latest.
  std::size_t last_of_group(std::size_t number, std::size_t first, std::size_t axes) const {
    if (number >= problem_.groups.size()) return axes;
    return std::min(axes, first + std::max<std::size_t>(1, problem_.groups[number]));
  }

  /// What is left to do without axes is to copy and to scale.
  void add_copy() {
    FftPass pass;
    pass.outer = volume(shape_);
    pass.axes = {{}};
    const auto copy = fitted(pass);
    if (!copy) refuse_memory(pass);
    plan_.passes.push_back(*copy);
  }

  /// Axes [first, end) of `axes`, which descend, and whatever lies between them.
  FftPass group(const std::vector<int>& axes, std::size_t first, std::size_t end) const {
    FftPass pass;
    pass.outer = product(0, axes[end - 1]);
    pass.radix = product(axes[end - 1], axes[first] + 1);
    pass.inner = product(axes[first] + 1, static_cast<int>(shape_.size()));
    for (std::size_t i = first; i < end; ++i)
      pass.axes.push_back({product(axes[end - 1], axes[i]), extent(axes[i]),
                           product(axes[i] + 1, axes[first] + 1)});
    return unpacking(pass);
  }

  /// The last pass of reals unpacks them.
  FftPass unpacking(FftPass pass) const {
    pass.unpacks_reals = problem_.real_input && pass.rest == 1;
    if (pass.unpacks_reals) pass.twiddle_length = problem_.shape[0];
    return pass;
  }

  /// The fewest radices of which a panel has a block of columns each.
  void add_split(int axis) {
    const std::int64_t n = extent(axis);
    const auto primes = static_cast<int>(prime_factors(n).size());
    for (int count = 2; count <= primes; ++count)
      if (auto passes = split(axis, balanced_factors(n, count))) {
        plan_.passes.insert(plan_.passes.end(), passes->begin(), passes->end());
        return;
      }
    refuse_memory(split_pass(axis, 1, prime_factors(n).back()));
  }

  std::optional<std::vector<FftPass>> split(int axis,
                                            const std::vector<std::int64_t>& radices) const {
    std::vector<FftPass> passes;
    std::int64_t done = 1;
    for (const std::int64_t radix : radices) {
      const auto pass = fitted(split_pass(axis, done, radix));
      if (!pass) return std::nullopt;
      passes.push_back(*pass);
      done *= radix;
    }
    return passes;
  }

  /// One radix of an axis of which radices with the product `done` came before.
  FftPass split_pass(int axis, std::int64_t done, std::int64_t radix) const {
    FftPass pass;
    pass.outer = product(0, axis);
    pass.radix = radix;
    pass.rest = extent(axis) / done / radix;
    pass.inner = done * product(axis + 1, static_cast<int>(shape_.size()));
    pass.axes = {{1, radix, 1}};
    if (pass.rest > 1) {
      pass.twiddle = TwiddleBy::rest;
      pass.twiddle_length = extent(axis);
      pass.twiddle_step = done;
    }
    return unpacking(pass);
  }

  /// N1 columns, then whole rows of N2 points where they are: N2 as long as memory allows, for that
  /// makes the runs of the columns widest.
  void add_transposed() {
    const std::int64_t n = extent(0);
    if (const auto whole = fitted(transposed_rows(n))) {
      plan_.passes = {*whole};
      return;
    }
    // N1; more rows than memory has blocks would not fit.
    const std::int64_t most = std::min(n - 1, problem_.memory_bytes / problem_.block_bytes);
    for (std::int64_t rows = 2; rows <= most; ++rows) {
      if (n % rows != 0) continue;
      const auto row_pass = fitted(transposed_rows(n / rows));
      if (!row_pass) continue;
      FftPass columns{.radix = rows,
                      .inner = n / rows,
                      .axes = {{1, rows, 1}},
                      .twiddle = TwiddleBy::inner,
                      .twiddle_length = n};
      const auto column_pass = fitted(columns);
      if (!column_pass) break;
      plan_.passes = {*column_pass, *row_pass};
      plan_.transposed_rows = rows;
      return;
    }
    refuse(
        "the transposed order needs N <= M^2/B, as two factors of N of which memory holds a row "
        "and a block of a column: given N = " +
        std::to_string(n) + " and " + std::to_string(problem_.memory_bytes) +
        " bytes of memory; give more, or ask for the natural order");
  }

  FftPass transposed_rows(std::int64_t row) const {
    return {.outer = extent(0) / row, .radix = row, .axes = {{1, row, 1}}};
  }

  /// The pass with the widths of its panels; none if memory has no room for a block of columns.
  std::optional<FftPass> fitted(FftPass pass) const {
    const std::int64_t columns = pass.rest * pass.inner;
    pass.tile_lines = tile_lines(pass.longest_line());
    pass.panel_elements = panel_elements(pass, 1);
    if (pass.unpacks_reals) return fitted_mirrored(pass);
    if (pass.radix <= pass.panel_elements / columns) {
      pass.outer_width = std::min(pass.outer, pass.panel_elements / columns / pass.radix);
      pass.rest_width = pass.rest;
      pass.inner_width = pass.inner;
      return pass;
    }
    pass.panel_elements = panel_elements(pass, pass.radix);
    const std::int64_t blocks = pass.panel_elements / pass.radix / block_;
    if (blocks < 1) return std::nullopt;
    if (pass.inner > blocks * block_) {
      pass.inner_width = blocks * block_;
    } else {
      pass.inner_width = pass.inner;
      const bool divides = block_ % pass.inner == 0;
      pass.rest_width =
          std::min(pass.rest, divides ? blocks * (block_ / pass.inner)
                                      : pass.panel_elements / pass.radix / pass.inner);
    }
    return pass;
  }

  /// All columns, or two blocks of them and the last element.
  std::optional<FftPass> fitted_mirrored(FftPass pass) const {
    pass.panel_elements = panel_elements(pass, 2 * pass.radix + 1);
    const std::int64_t columns = (pass.panel_elements - 1) / pass.radix;
    pass.inner_width = columns >= pass.inner ? pass.inner / 2 + 1 : columns / 2 / block_ * block_;
    if (columns < pass.inner && pass.inner_width == 0) return std::nullopt;
    return pass;
  }

  std::int64_t tile_lines(std::int64_t length) const {
    const std::int64_t pitch = tile_pitch_bytes(length, plan_.element_bytes);
    const std::int64_t allowed =
        problem_.memory_bytes / tile_memory_share / problem_.threads / pitch;
    const std::int64_t wanted =
        std::clamp(tile_target_bytes / pitch, cache_line_bytes / plan_.element_bytes,
                   tile_row_bytes / plan_.element_bytes);
    return std::max<std::int64_t>(1, std::min(wanted, allowed));
  }

  /// What memory leaves for each panel.
  std::int64_t panel_elements(const FftPass& pass, std::int64_t runs) const {
    const std::int64_t left = problem_.memory_bytes - beside_panels(pass, pass.tile_lines, runs);
    const std::int64_t bytes = left / problem_.buffers;
    if (bytes < panel_rounding_bytes) return 0;
    const std::int64_t rounding = bytes < page_bytes * 256 ? panel_rounding_bytes : page_bytes;
    return bytes / rounding * rounding / plan_.element_bytes;
  }

  std::int64_t beside_panels(const FftPass& pass, std::int64_t lines, std::int64_t runs) const {
    const std::int64_t pitch = tile_pitch_bytes(pass.longest_line(), plan_.element_bytes);
    std::int64_t bytes = problem_.threads * (lines + 1) * pitch +
                         runs * static_cast<std::int64_t>(sizeof(disk::Run));
    if (pass.has_twiddles()) bytes += Twiddles::table_bytes(pass.twiddle_length);
    return bytes;
  }

  /// Enough for a pass of this radix and a block of columns.
  std::int64_t enough_bytes(const FftPass& pass) const {
    // Where reals are unpacked, also of their mirrors, and the last element.
    const std::int64_t sides = problem_.real_input ? 2 : 1;
    const std::int64_t width = std::min(sides * block_, pass.rest * pass.inner);
    const std::int64_t panel =
        (pass.radix * width + sides - 1) * plan_.element_bytes + 2 * panel_rounding_bytes;
    std::int64_t beside = beside_panels(pass, 1, sides * pass.radix + sides - 1);
    if (problem_.real_input) beside += Twiddles::table_bytes(problem_.shape[0]);
    // Wider tiles take a share of their own.
    return (problem_.buffers * panel + beside) / 7 * 8 + page_bytes;
  }

  /// `tried` is the pass of the largest prime of an axis. What is said to be enough is so for all.
  [[noreturn]] void refuse_memory(const FftPass& tried) const {
    std::int64_t enough = enough_bytes(tried);
    for (const int axis : problem_.axes)
      if (extent(axis) > 1)
        enough =
            std::max(enough, enough_bytes(split_pass(axis, 1, prime_factors(extent(axis)).back())));
    const std::string given = "given " + std::to_string(problem_.memory_bytes) +
                              " bytes of memory in " + std::to_string(problem_.buffers) +
                              " buffers; " + std::to_string(enough) +
                              " bytes are enough, or give smaller blocks";
    FftPass least = tried;
    least.radix = 2;
    least.axes = {{1, 2, 1}};
    if (tried.radix > 2 && fitted(least))
      refuse(
          "memory holds a block of each point of a line as long as the largest prime factor, for "
          "there is no Bluestein transform on disks yet: the prime is " +
          std::to_string(tried.radix) + "; " + given);
    refuse("each buffer holds a block of each point of the shortest line, " +
           std::to_string(tried.radix) + " blocks of " + std::to_string(problem_.block_bytes) +
           " bytes; " + given);
  }

  /// The last pass writes the output. Before it they alternate, but a pass that keeps the order of
  /// its elements may write where it reads.
  void place() {
    Where target = Where::output;
    for (std::size_t i = plan_.passes.size(); i-- > 0;) {
      FftPass& pass = plan_.passes[i];
      const Where other = target == Where::output ? Where::scratch : Where::output;
      const bool stays = pass.keeps_order() && !problem_.keep_sources;
      pass.target = target;
      pass.source = i == 0 ? Where::input : stays ? target : other;
      if (pass.source == Where::scratch || pass.target == Where::scratch)
        plan_.scratch_bytes = plan_.input_bytes();
      target = pass.source;
    }
  }

  std::int64_t extent(int axis) const { return shape_[static_cast<std::size_t>(axis)]; }
  std::int64_t product(int first, int end) const {
    std::int64_t result = 1;
    for (int axis = first; axis < end; ++axis) result *= extent(axis);
    return result;
  }

  const PassesProblem& problem_;
  Shape shape_;  ///< in complex numbers
  FftPasses plan_;
  std::int64_t block_ = 1;
};

}  // namespace

FftPasses plan_passes(const PassesProblem& problem) {
  check(problem);
  return Planner(problem).planned();
}

}  // namespace weft::ooc
