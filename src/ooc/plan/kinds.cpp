#include "ooc/plan/kinds.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <weft/error.hpp>

#include "plan/kinds.hpp"

namespace weft::ooc {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

/// Returns whether the kinds allow reals on these sides.
bool allow_reals(const KPassProblem& p) {
  if (p.halves()) return p.filter ? p.real_input && p.real_output : p.real_input != p.real_output;
  const bool keeps_elements_on_all = std::all_of(p.kinds.begin(), p.kinds.end(), keeps_elements);
  return p.real_input == p.real_output && (!p.real_input || keeps_elements_on_all);
}

void check_length(const KPassProblem& p, int axis) {
  const KindTraits& traits = traits_of(p.kind_of(axis));
  if (p.shape[static_cast<std::size_t>(axis)] < traits.least_length)
    refuse(std::string("an axis of kind ") + to_string(traits.kind) + " has at least " +
           std::to_string(traits.least_length) + " points; given axis " + std::to_string(axis) +
           " of " + weft::to_string(p.shape) + "; choose another kind for it");
}

}  // namespace

void set_kinds(KPassProblem& problem, const Kinds& kinds, Direction direction, Element element) {
  problem.kinds = kinds_by_axis(kinds, problem.axes.size()).each();
  const auto& each = problem.kinds;
  const bool is_forward = direction == Direction::forward;
  if (std::find(each.begin(), each.end(), Kind::r2c) != each.end()) {
    problem.real_input = is_forward;
    problem.real_output = !is_forward || problem.filter.has_value();
  } else {
    problem.real_input = problem.real_output =
        element == Element::real && std::all_of(each.begin(), each.end(), keeps_elements);
  }
  if (!is_forward)
    for (Kind& kind : problem.kinds) kind = traits_of(kind).inverse;
}

Kinds kinds_of(const KPassProblem& problem) {
  std::vector<Kind> each;
  for (const int axis : problem.axes) each.push_back(problem.kind_of(axis));
  return Kinds(std::move(each));
}

void check_kinds(const KPassProblem& p) {
  if (p.kinds.empty()) return;
  if (p.kinds.size() != p.axes.size())
    refuse("there is one kind for each of the transformed axes; given " +
           std::to_string(p.kinds.size()) + " for " + std::to_string(p.axes.size()) +
           "; give one for each, or one for all");
  if (std::count(p.kinds.begin(), p.kinds.end(), Kind::r2c) > 1)
    refuse("at most one axis is r2c, because its spectrum is complex; given the kinds " +
           weft::to_string(kinds_of(p)) + "; make the others c2c");
  for (const int axis : p.axes) check_length(p, axis);
  const bool has_cosines = std::any_of(p.kinds.begin(), p.kinds.end(), keeps_elements);
  if (has_cosines && p.filter)
    refuse("a filter is of kind c2c or r2c; given the kinds " + weft::to_string(kinds_of(p)) +
           "; filter in memory by weft filter, which has cosines and sines");
  if (has_cosines && p.order == OutputOrder::transposed)
    refuse("the transposed order is that of one axis of kind c2c; given the kinds " +
           weft::to_string(kinds_of(p)) + "; ask for the natural order");
  if (!allow_reals(p))
    refuse(
        "reals become a half spectrum along an axis of kind r2c, and stay reals if all axes are "
        "cosines and sines; given the kinds " +
        weft::to_string(kinds_of(p)) + " and reals on " +
        (p.real_input && p.real_output ? "both sides"
         : p.has_reals()               ? "one side"
                                       : "no side") +
        "; choose other kinds");
}

}  // namespace weft::ooc
