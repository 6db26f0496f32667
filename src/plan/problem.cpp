#include <algorithm>

#include <weft/error.hpp>
#include <weft/plan.hpp>

#include "base/checked.hpp"
#include "layout/check.hpp"
#include "plan/fixed_rule.hpp"
#include "plan/kinds.hpp"
#include "plan/methods/methods.hpp"

namespace weft {
namespace {

[[noreturn]] void refuse_problem(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

std::vector<int> checked_axes(std::vector<int> axes, int dims) {
  if (axes.empty())
    for (int axis = 0; axis < dims; ++axis) axes.push_back(axis);
  const std::string given = "(" + join(axes, ", ") + ")";
  for (int& axis : axes) {
    if (axis < -dims || axis >= dims)
      refuse_problem("an axis must be in " + std::to_string(-dims) + ".." +
                     std::to_string(dims - 1) + " for an array of " + std::to_string(dims) +
                     " axes; given " + given);
    if (axis < 0) axis += dims;
  }
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (std::count(axes.begin(), axes.end(), axes[i]) > 1)
      refuse_problem("an axis is transformed at most once; axis " + std::to_string(axes[i]) +
                     " is given twice in " + given);
  return axes;
}

/// Returns the layout of one component. The caller may give this layout, or the layout of the array
/// with all components.
Layout of_one_component(const Layout& given, std::int64_t components, const char* which) {
  if (given.components() == 0) return given;
  if (given.components() != components || given.order().front() != 0)
    throw Error(ErrorCode::layout_mismatch,
                std::string("the ") + which + " layout must be that of one component, or have " +
                    (components > 0 ? "the " + std::to_string(components) +
                                          " components of the transform as its slowest axis"
                                    : "no components, because the transform has none") +
                    "; given " + given.describe() + "; give the layout of one component");
  return given.of_one_component();
}

void check_components(const Problem& problem, int dims) {
  const std::int64_t components = problem.components;
  if (components < 0)
    refuse_problem(
        "the number of components must be at least 1, or 0 for arrays without that axis; given " +
        std::to_string(components) + "; give 3 for a vector field");
  if (components > 0 && dims >= max_dims)
    refuse_problem("an array with components has at most " + std::to_string(max_dims) +
                   " axes, theirs included; given " + std::to_string(components) +
                   " components of " + to_string(problem.shape) +
                   "; give fewer axes, or no components");
}

void check_fits(const Layout& layout, const Shape& shape, std::int64_t ranks, const char* which) {
  if (layout.shape() != shape)
    throw Error(ErrorCode::layout_mismatch,
                std::string("the ") + which + " layout must have the shape of the " + which + ", " +
                    to_string(shape) + "; given " + to_string(layout.shape()));
  if (layout.ranks() != ranks)
    throw Error(ErrorCode::layout_mismatch,
                std::string("the ") + which + " layout must be for the " + std::to_string(ranks) +
                    " ranks of the communicator; given one for " + std::to_string(layout.ranks()));
  if (!layout.is_grid() || layout.process_grid().empty()) return;
  const std::int64_t product = volume(layout.process_grid());
  if (product != ranks && product != 1)
    throw Error(ErrorCode::layout_mismatch, std::string("the product of the ") + which +
                                                " process grid must be the number of ranks, " +
                                                std::to_string(ranks) + "; given " +
                                                to_string(layout.process_grid()) +
                                                " with the product " + std::to_string(product));
}

std::string in_words(const Problem& problem) {
  return "the kinds (" + to_string(problem.kinds) + ") of the axes (" + join(problem.axes, ", ") +
         ")";
}

void check_kinds(const Problem& problem) {
  const std::vector<Kind>& each = problem.kinds.each();
  if (std::count(each.begin(), each.end(), Kind::r2c) > 1)
    refuse_problem("at most one axis is r2c, because its spectrum is complex; given " +
                   in_words(problem) + "; make the others c2c");
  for (const int axis : problem.axes) {
    const KindTraits& traits = traits_of(problem.kind_of(axis));
    if (problem.shape[static_cast<std::size_t>(axis)] < traits.least_length)
      refuse_problem(std::string("an axis of kind ") + to_string(traits.kind) +
                     " must have at least " + std::to_string(traits.least_length) +
                     " points; given axis " + std::to_string(axis) + " of " +
                     to_string(problem.shape) + "; give more points, or another kind");
  }
}

/// Returns whether the input is real or complex. The kinds decide. If they allow both, the input is
/// real, unless problem.element says complex.
Element input_element(const Problem& problem) {
  Element needed = Element::automatic;
  for (const Kind kind : problem.kinds.each())
    if (kind == Kind::r2c || needed == Element::automatic) needed = traits_of(kind).before;
  if (problem.element == Element::automatic)
    return needed == Element::automatic ? Element::real : needed;
  if (needed != Element::automatic && needed != problem.element)
    refuse_problem(std::string("an array of ") + to_string(needed) + " numbers is needed by " +
                   in_words(problem) + "; given " + to_string(problem.element) + " ones");
  return problem.element;
}

std::size_t position(const std::vector<int>& axes, int axis) {
  return static_cast<std::size_t>(std::find(axes.begin(), axes.end(), axis) - axes.begin());
}

/// Returns the number of modes below two thirds of the highest wavenumber.
std::int64_t two_thirds_of(Kind kind, std::int64_t n) {
  const KindTraits& traits = traits_of(kind);
  if (traits.is_periodic()) return 2 * ((n + 2) / 3) - 1;
  // Wavenumbers are lowest + 0, lowest + 1, ... The highest is half the logical length.
  const std::int64_t sixths = 2 * traits.logical_length(n) - 3 * traits.twice_lowest;
  return std::clamp<std::int64_t>((sixths + 5) / 6, 1, n);
}

std::int64_t checked_modes_of(const Problem& problem, int axis, std::int64_t given) {
  const std::int64_t n = problem.shape[static_cast<std::size_t>(axis)];
  if (given == all_modes) return n;
  if (given == two_thirds) return two_thirds_of(problem.kind_of(axis), n);
  if (given < 1 || given > n)
    refuse_problem("the modes of axis " + std::to_string(axis) + " must be from 1 to its " +
                   std::to_string(n) + " points; given " + std::to_string(given) +
                   "; give one of these numbers, or no modes for all");
  return given;
}

std::int64_t checked_support_of(const Problem& problem, int axis, std::int64_t given) {
  const std::int64_t n = problem.shape[static_cast<std::size_t>(axis)];
  if (given == all_points) return n;
  if (given < 1 || given > n)
    refuse_problem("the support of axis " + std::to_string(axis) + " must be from 1 to its " +
                   std::to_string(n) + " points; given " + std::to_string(given) +
                   "; give one of these numbers, or no support for all");
  return given;
}

/// Returns one number for each axis. Returns none if each number is the length of its axis. `one`
/// checks the number of one axis.
template <class CheckOne>
std::vector<std::int64_t> checked_numbers(const Problem& problem, std::vector<std::int64_t> given,
                                          const char* what, CheckOne one) {
  if (given.empty()) return given;
  const std::size_t axes = problem.axes.size();
  if (given.size() == 1) given.assign(axes, given[0]);
  if (given.size() != axes)
    refuse_problem(std::string("there must be one number of ") + what +
                   ", or one for each of the " + std::to_string(axes) +
                   " transformed axes; given " + std::to_string(given.size()) +
                   "; give as many as axes");
  bool are_all = true;
  for (std::size_t i = 0; i < axes; ++i) {
    given[i] = one(problem, problem.axes[i], given[i]);
    are_all = are_all && given[i] == problem.shape[static_cast<std::size_t>(problem.axes[i])];
  }
  return are_all ? std::vector<std::int64_t>{} : given;
}

}  // namespace

Shape Problem::input_shape() const {
  Shape result = shape;
  for (const int axis : axes) result[static_cast<std::size_t>(axis)] = support_of(axis);
  return result;
}

Shape Problem::output_shape() const {
  Shape result = shape;
  for (const int axis : axes) {
    result[static_cast<std::size_t>(axis)] = traits_of(kind_of(axis)).length_after(modes_of(axis));
  }
  return result;
}

Kind Problem::kind_of(int axis) const {
  const std::vector<Kind>& each = kinds.each();
  const auto position = std::find(axes.begin(), axes.end(), axis);
  if (each.size() == axes.size()) return each[static_cast<std::size_t>(position - axes.begin())];
  const bool is_last = position + 1 == axes.end();
  return each[0] == Kind::r2c && !is_last ? Kind::c2c : each[0];
}

std::int64_t Problem::modes_of(int axis) const {
  return modes.empty() ? shape[static_cast<std::size_t>(axis)] : modes[position(axes, axis)];
}

std::int64_t Problem::support_of(int axis) const {
  return support.empty() ? shape[static_cast<std::size_t>(axis)] : support[position(axes, axis)];
}

int Problem::halved_axis() const {
  const std::vector<Kind>& each = kinds.each();
  // Before checked(), an empty list of axes means all axes, and a single kind is the kind of the
  // last axis.
  const auto axis = [&](std::size_t i) { return axes.empty() ? static_cast<int>(i) : axes[i]; };
  const std::size_t count = axes.empty() ? shape.size() : axes.size();
  if (each.size() == 1) return each[0] == Kind::r2c && count > 0 ? axis(count - 1) : -1;
  const auto found = std::find(each.begin(), each.end(), Kind::r2c);
  return found == each.end() ? -1 : axis(static_cast<std::size_t>(found - each.begin()));
}

std::int64_t Problem::points() const {
  std::int64_t product = 1;
  for (int axis : axes) product *= shape[axis];
  return product;
}

Problem checked(Problem problem) {
  check_ranks_to_plan(problem.ranks);
  const Layout whole = Layout::on_one(problem.shape, problem.ranks);  // throws if the shape is
                                                                      // invalid
  check_components(problem, whole.dims());
  problem.axes = checked_axes(problem.axes, whole.dims());
  problem.kinds = kinds_by_axis(problem.kinds, problem.axes.size());
  check_kinds(problem);
  problem.element = input_element(problem);
  problem.modes = checked_numbers(problem, problem.modes, "modes", checked_modes_of);
  problem.support =
      checked_numbers(problem, problem.support, "points of the support", checked_support_of);
  // The output of r2c has at most twice the bytes of its input, plus a row. So four times the input
  // is an upper bound for both.
  checked_mul(checked_mul(volume(problem.shape), problem.fields(), "the elements of the array"),
              4 * complex_bytes(problem.precision), "the bytes of the array");
  if (problem.sign != -1 && problem.sign != 1)
    refuse_problem("the sign of the exponent must be -1 or 1; given " +
                   std::to_string(problem.sign));
  if (problem.threads < 1 || problem.threads > threads_max)
    refuse_problem("the number of threads a rank must be in 1.." + std::to_string(threads_max) +
                   "; given " + std::to_string(problem.threads));
  if (problem.has_input) {
    problem.input = of_one_component(problem.input, problem.components, "input");
    check_fits(problem.input, problem.input_shape(), problem.ranks, "input");
  } else {
    problem.input = Layout();
  }
  if (problem.output_choice == OutputChoice::given) {
    problem.output = of_one_component(problem.output, problem.components, "output");
    check_fits(problem.output, problem.output_shape(), problem.ranks, "output");
  } else {
    problem.output = Layout();
  }
  if (problem.ranks_per_node < 1 || problem.ranks_per_node > problem.ranks)
    refuse_problem("the number of ranks per node must be in 1.." + std::to_string(problem.ranks) +
                   ", the number of ranks; given " + std::to_string(problem.ranks_per_node));
  if (problem.exchange.chunks < 0)
    refuse_problem("the number of chunks must not be negative (0: weft chooses); given " +
                   std::to_string(problem.exchange.chunks));
  if (problem.exchange.piece_bytes < 0)
    refuse_problem("the bytes of a piece must not be negative (0: whole blocks); given " +
                   std::to_string(problem.exchange.piece_bytes));
  if (problem.exchange.wire == WirePrecision::f32 && problem.precision != Precision::f64)
    refuse_problem(
        std::string("wire f32 sends doubles as floats, so the precision must be f64; given ") +
        to_string(problem.precision) + "; leave wire out");
  choose_exchange(problem, 0, 1);  // throws if no method has these choices
  if (problem.has_input && problem.output_choice == OutputChoice::same)
    same_layout(problem.input, problem);  // throws if there is none
  return problem;
}

}  // namespace weft
