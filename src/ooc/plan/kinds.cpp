#include "ooc/plan/kinds.hpp"

#include <algorithm>
#include <utility>

#include "plan/kinds.hpp"

namespace weft::ooc {

void set_kinds(KPassProblem& problem, const Kinds& kinds, Direction direction, Element element) {
  problem.kinds = kinds_by_axis(kinds, problem.axes.size()).each();
  const auto& kinds_of_axes = problem.kinds;
  const bool is_forward = direction == Direction::forward;
  // Backward, r2c means c2r. A filter transforms back, so its result is real too.
  if (std::find(kinds_of_axes.begin(), kinds_of_axes.end(), Kind::r2c) != kinds_of_axes.end()) {
    problem.real_input = is_forward;
    problem.real_output = !is_forward || problem.filter.has_value();
  } else {
    problem.real_input = problem.real_output =
        element == Element::real &&
        std::all_of(kinds_of_axes.begin(), kinds_of_axes.end(), keeps_elements);
  }
  if (!is_forward)
    for (Kind& kind : problem.kinds) kind = traits_of(kind).inverse;
}

Kinds kinds_of(const KPassProblem& problem) {
  std::vector<Kind> found;
  for (const int axis : problem.axes) found.push_back(problem.kind_of(axis));
  return Kinds(std::move(found));
}

}  // namespace weft::ooc
