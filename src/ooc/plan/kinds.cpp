#include "ooc/plan/kinds.hpp"

#include <algorithm>
#include <utility>

#include "plan/kinds.hpp"

namespace weft::ooc {

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

}  // namespace weft::ooc
