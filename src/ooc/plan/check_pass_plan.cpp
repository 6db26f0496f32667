#include "ooc/plan/check_pass_plan.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "layout/check.hpp"
#include "ooc/plan/check_problem.hpp"
#include "ooc/plan/distribute_plan.hpp"

namespace weft::ooc {
namespace {

using model::VolumeRole;

void require(bool holds, const std::string& place, const std::string& rule, std::int64_t given) {
  if (!holds)
    throw Error(ErrorCode::invalid_argument,
                place + ": " + rule + "; given " + std::to_string(given));
}

void require_range(std::int64_t given, std::int64_t least, std::int64_t most,
                   const std::string& place) {
  require(least <= given && given <= most, place,
          "this must be from " + std::to_string(least) + " to " + std::to_string(most), given);
}

void require_flag(bool holds, const std::string& place, const std::string& rule) {
  if (!holds) throw Error(ErrorCode::invalid_argument, place + ": " + rule);
}

/// Checks the numbers of one pass, without the other passes.
class PassChecker {
 public:
  PassChecker(const KPassPlan& plan, std::size_t number)
      : plan_(plan),
        pass_(plan.passes[number]),
        place_("plan.passes[" + std::to_string(number) + "]") {}

  void check() const {
    check_extents();
    check_axes();
    check_slabs();
    check_factors();
    check_flags();
    check_volumes();
  }

 private:
  std::string at(const char* key) const { return place_ + "." + key; }

  void check_extents() const {
    std::int64_t elements = 4 * plan_.element_bytes;  // the factor leaves room for slabs, and for
                                                      // two arrays
    const auto extent = [&](std::int64_t value, const char* key) {
      require_range(value, 1, std::numeric_limits<std::int64_t>::max(), at(key));
      elements = checked_mul(elements, value, place_);
    };
    extent(pass_.outer, "outer");
    extent(pass_.radix, "radix");
    extent(pass_.rest, "rest");
    extent(pass_.inner, "inner");
    require_range(pass_.outer_width, 1, pass_.outer, at("outer_width"));
    require_range(pass_.rest_width, 1, pass_.rest, at("rest_width"));
    require_range(pass_.inner_width, 1, pass_.inner, at("inner_width"));
  }

  void check_axes() const {
    require_flag(!pass_.axes.empty(), at("axes"), "a pass transforms at least one line");
    require_range(pass_.real_radix, 0, 2 * pass_.radix, at("real_radix"));
    for (std::size_t i = 0; i < pass_.axes.size(); ++i) {
      const PanelAxis& axis = pass_.axes[i];
      const std::string here = at("axes") + "[" + std::to_string(i) + "]";
      const std::int64_t most = 2 * pass_.radix;
      require_range(axis.before, 1, most, here + ".before");
      require_range(axis.length, 1, most, here + ".length");
      require_range(axis.after, 1, most, here + ".after");
      const auto radix = [&](std::int64_t length) {
        return checked_mul(checked_mul(axis.before, length, here), axis.after, here);
      };
      require(radix(axis.stored_length()) == pass_.radix, here,
              "before * length * after must be the radix " + std::to_string(pass_.radix),
              radix(axis.stored_length()));
      check_kind(axis, here);
      if (axis.is_halved())
        require(radix(axis.length) == pass_.real_radix, here,
                "before * length * after must be the real radix", radix(axis.length));
    }
    const bool has_halved = std::any_of(pass_.axes.begin(), pass_.axes.end(),
                                        [](const PanelAxis& axis) { return axis.is_halved(); });
    require_flag(has_halved == pass_.halves(), at("real_radix"),
                 "a pass has a real radix exactly if it halves an axis");
  }

  void check_kind(const PanelAxis& axis, const std::string& here) const {
    const std::vector<Kind>& kinds = plan_.problem.kinds;
    const bool is_whole = pass_.rest == 1 && pass_.twiddle == TwiddleBy::none && !pass_.turns();
    if (keeps_elements(axis.kind))
      require_flag(is_whole && std::find(kinds.begin(), kinds.end(), axis.kind) != kinds.end(),
                   here + ".kind", "cosines and sines are those of the problem, and not divided");
    else
      require_flag(!plan_.problem.keeps_reals(), here + ".kind",
                   "all axes are cosines and sines where reals stay real");
  }

  void check_slabs() const {
    const std::int64_t all = pass_.radix * pass_.rest * pass_.inner;
    require_range(pass_.source_slab, 0, all + 1, at("source_slab"));
    require_range(pass_.target_slab, 0, all + 1, at("target_slab"));
    const std::int64_t real = volume(plan_.problem.shape);
    require_range(pass_.spectrum_of, 0, real, at("spectrum_of"));
  }

  void check_factors() const {
    const std::int64_t most = 2 * pass_.elements();
    require_range(pass_.twiddle_length, 1, most, at("twiddle_length"));
    require_range(pass_.twiddle_step, 1, most, at("twiddle_step"));
    require_range(pass_.twiddle_columns, 1, pass_.inner, at("twiddle_columns"));
    const std::int64_t chirp = pass_.chirp == Chirp::none ? 0 : plan_.problem.shape[0];
    require(pass_.chirp_length == chirp, at("chirp_length"),
            "this must be the length of the chirp, " + std::to_string(chirp), pass_.chirp_length);
    require_flag(pass_.scale > 0, at("scale"), "this must be more than 0");
    require_range(pass_.tile_lines, 1, std::max<std::int64_t>(most, 1 << 20), at("tile_lines"));
    require_range(pass_.panel_elements, 1, plan_.problem.memory_bytes, at("panel_elements"));
  }

  void check_flags() const {
    const KPassProblem& problem = plan_.problem;
    require_flag(!pass_.converts || problem.input_type, at("converts"),
                 "only an input of another type is converted; the problem has none");
    require_flag(!pass_.filters || problem.filter, at("filters"),
                 "only a filter multiplies its spectrum; the problem has none");
    require_flag(!pass_.filters || (pass_.rest == 1 && pass_.twiddle == TwiddleBy::none),
                 at("filters"), "a pass that filters has rest 1 and no twiddles");
    const bool makes_complex = !problem.keeps_reals();
    require_flag(!pass_.reads_reals || (problem.real_input && makes_complex), at("reads_reals"),
                 "only a transform of reals to complex numbers reads them");
    require_flag(!pass_.writes_reals || (problem.real_output && makes_complex), at("writes_reals"),
                 "only a transform of complex numbers to reals writes them");
    require_flag(!pass_.packs_reals || (problem.real_output && makes_complex), at("packs_reals"),
                 "only a transform to reals packs them");
    require_flag(!pass_.unpacks_reals || (problem.real_input && makes_complex), at("unpacks_reals"),
                 "only a transform of reals unpacks them");
    require_flag(!pass_.journaled || problem.in_place, at("journaled"),
                 "only a transform in place has a journal");
  }

  void check_volumes() const {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
    require_range(pass_.source_first, 0, most / plan_.element_bytes, at("source_first"));
    require_range(pass_.target_first, 0, most / plan_.element_bytes, at("target_first"));
    require_range(pass_.kernel_first, 0, most / plan_.element_bytes, at("kernel_first"));
    require_range(pass_.journal_read_bytes, 0, most, at("journal_read_bytes"));
    require_flag(pass_.target == VolumeRole::scratch || pass_.target == VolumeRole::output,
                 at("target"), "a pass writes scratch space or the output");
    require_flag((pass_.source == VolumeRole::nothing) == (pass_.chirp == Chirp::kernel),
                 at("source"), "only the pass that makes a kernel reads nothing");
    check_end(pass_.source, pass_.source_first, plan_.source_element_bytes(pass_),
              plan_.source_bytes(pass_), "source_first");
    check_end(pass_.target, pass_.target_first, plan_.target_element_bytes(pass_),
              plan_.target_bytes(pass_), "target_first");
    if (pass_.convolves)
      check_end(VolumeRole::scratch, pass_.kernel_first, plan_.element_bytes,
                pass_.elements() * plan_.element_bytes, "kernel_first");
  }

  /// Checks that an array ends within its volume. On ranks scratch space is not checked, because it
  /// has panels instead of arrays.
  void check_end(VolumeRole where, std::int64_t first, std::int64_t element_bytes,
                 std::int64_t bytes, const char* key) const {
    if (where == VolumeRole::nothing || (where == VolumeRole::scratch && plan_.ranks > 1)) return;
    const std::int64_t most = where == VolumeRole::input    ? plan_.input_bytes()
                              : where == VolumeRole::output ? plan_.output_bytes()
                                                            : plan_.scratch_bytes;
    const std::int64_t end = first * element_bytes + bytes;
    require(end <= most, at(key),
            std::string("the array must end within the ") + to_string(where) + " of " +
                std::to_string(most) + " bytes",
            end);
  }

  const KPassPlan& plan_;
  const KPass& pass_;
  std::string place_;
};

void check_input(const KPassPlan& plan) {
  try {
    check_problem(plan.problem);
  } catch (const Error& error) {
    throw Error(ErrorCode::invalid_argument, std::string("plan.problem: ") + error.what());
  }
  require_flag(!plan.problem.input_type || is_known(*plan.problem.input_type),
               "plan.problem.input_type", "this must be a number of 1 to 8 bytes, or two of them");
  checked_mul(8 * complex_bytes(plan.problem.precision), volume(plan.problem.shape),
              "plan.problem.shape");
}

void check_numbers(const KPassPlan& plan) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
  const std::int64_t bytes = plan.problem.element_bytes();
  require(plan.element_bytes == bytes, "plan.element_bytes",
          "this must be " + std::to_string(bytes) + " for the problem", plan.element_bytes);
  require_range(plan.ranks, 1, 1 << 24, "plan.ranks");
  require_flag(!plan.passes.empty(), "plan.passes", "a plan has at least one pass");
  const std::int64_t n = plan.problem.shape[0];
  const bool is_transposed = plan.problem.order == OutputOrder::transposed;
  require_range(plan.transposed_rows, 1, is_transposed ? n : 1, "plan.transposed_rows");
  require(n % plan.transposed_rows == 0, "plan.transposed_rows",
          "this must divide " + std::to_string(n), plan.transposed_rows);
  require_range(plan.scratch_bytes, 0, most, "plan.scratch_bytes");
  require_range(plan.journal_first_byte, 0, plan.scratch_bytes, "plan.journal_first_byte");
  require_range(plan.journal_slot_bytes, 0, (plan.scratch_bytes - plan.journal_first_byte) / 2,
                "plan.journal_slot_bytes");
}

void check_convolution(const KPassPlan& plan) {
  const auto convolving = std::count_if(plan.passes.begin(), plan.passes.end(),
                                        [](const KPass& pass) { return pass.convolves; });
  const bool convolves = plan.convolution_points > 0;
  require(convolving == (convolves ? 1 : 0), "plan.passes",
          "a convolution has one pass that convolves, another transform none", convolving);
  require_range(static_cast<std::int64_t>(plan.kernel_passes), convolves ? 1 : 0,
                convolves ? std::ssize(plan.passes) - 2 : 0, "plan.kernel_passes");
  if (!convolves) {
    require(plan.convolution_points == 0, "plan.convolution_points", "this must be 0 or more",
            plan.convolution_points);
    return;
  }
  for (std::size_t i = 0; i < plan.passes.size(); ++i) {
    const KPass& pass = plan.passes[i];
    const std::string place = "plan.passes[" + std::to_string(i) + "]";
    require(
        pass.elements() == plan.convolution_points, place,
        "a pass of a convolution has its " + std::to_string(plan.convolution_points) + " points",
        pass.elements());
    require_flag(!pass.convolves || i >= plan.kernel_passes, place + ".convolves",
                 "the kernel comes before the pass that uses it");
  }
}

void check_filtering(const KPassPlan& plan) {
  const auto filtering = std::count_if(plan.passes.begin(), plan.passes.end(),
                                       [](const KPass& pass) { return pass.filters; });
  require(filtering == (plan.problem.filter ? 1 : 0), "plan.passes",
          "a filter has one pass that filters, a transform none", filtering);
  const std::int64_t axes = plan.problem.filter ? std::ssize(plan.problem.shape) : 0;
  require(std::ssize(plan.spectrum_radices) == axes, "plan.spectrum_radices",
          "a filter has the radices of each axis, a transform none",
          std::ssize(plan.spectrum_radices));
  if (!plan.problem.filter) return;
  std::int64_t elements = 1;
  for (const auto& radices : plan.spectrum_radices)
    for (const std::int64_t radix : radices) {
      require_range(radix, 1, std::numeric_limits<std::int64_t>::max(), "plan.spectrum_radices");
      elements = checked_mul(elements, radix, "plan.spectrum_radices");
    }
  for (const KPass& pass : plan.passes)
    require(pass.elements() == elements, "plan.passes",
            "a pass of a filter has the " + std::to_string(elements) + " elements of the spectrum",
            pass.elements());
}

/// Checks that each pass reads the output of the previous pass, and that the first passes read the
/// input.
void check_chain(const KPassPlan& plan) {
  for (std::size_t i = 0; i < plan.passes.size(); ++i) {
    const KPass& pass = plan.passes[i];
    const std::string place = "plan.passes[" + std::to_string(i) + "]";
    if (i == plan.kernel_passes) {
      const VolumeRole first = plan.problem.in_place ? VolumeRole::output : VolumeRole::input;
      require_flag(pass.source == first, place + ".source",
                   std::string("the first pass over the array reads the ") + to_string(first));
      require(plan.source_bytes(pass) == plan.input_bytes(), place,
              "this pass reads the input of " + std::to_string(plan.input_bytes()) + " bytes",
              plan.source_bytes(pass));
      continue;
    }
    if (i == 0) {
      require_flag(pass.source == VolumeRole::nothing, place + ".source",
                   "the first pass of a kernel reads nothing");
      continue;
    }
    const KPass& before = plan.passes[i - 1];
    require_flag(
        pass.source == before.target, place + ".source",
        std::string("a pass reads its predecessor's output, in the ") + to_string(before.target));
    require(
        plan.source_bytes(pass) == plan.target_bytes(before), place,
        "a pass reads its predecessor's " + std::to_string(plan.target_bytes(before)) + " bytes",
        plan.source_bytes(pass));
    if (plan.ranks == 1)
      require(pass.source_first * plan.source_element_bytes(pass) ==
                  before.target_first * plan.target_element_bytes(before),
              place + ".source_first", "a pass reads from the start of its predecessor's output",
              pass.source_first);
  }
  const KPass& last = plan.passes.back();
  const std::string place = "plan.passes[" + std::to_string(plan.passes.size() - 1) + "]";
  require_flag(last.target == VolumeRole::output, place + ".target",
               "the last pass writes the output");
  require(plan.target_bytes(last) == plan.output_bytes(), place,
          "the last pass writes the output of " + std::to_string(plan.output_bytes()) + " bytes",
          plan.target_bytes(last));
}

void check_space(const KPassPlan& plan) {
  for (std::size_t i = 0; i < plan.passes.size(); ++i) {
    const std::int64_t needed = memory_of(plan, plan.passes[i]).total();
    require(
        needed <= plan.problem.memory_bytes, "plan.passes[" + std::to_string(i) + "]",
        "a pass holds at most " + std::to_string(plan.problem.memory_bytes) + " bytes of memory",
        needed);
  }
  if (plan.ranks == 1) return;
  std::int64_t sum = 0;
  for (int rank = 0; rank < plan.ranks; ++rank)
    for (int which = 0; which < scratch_volumes; ++which)
      sum = checked_add(sum, scratch_bytes(plan, rank, which), "plan.scratch_bytes");
  require(sum == plan.scratch_bytes, "plan.scratch_bytes",
          "this must be the sum over the ranks, " + std::to_string(sum), plan.scratch_bytes);
}

}  // namespace

void check_plan(const KPassPlan& plan) {
  check_input(plan);
  check_numbers(plan);
  for (std::size_t i = 0; i < plan.passes.size(); ++i) PassChecker(plan, i).check();
  check_convolution(plan);
  check_filtering(plan);
  check_chain(plan);
  check_space(plan);
}

}  // namespace weft::ooc
