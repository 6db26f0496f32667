#include "plan/kinds.hpp"

#include <weft/error.hpp>

namespace weft {

Kinds kinds_by_axis(const Kinds& given, std::size_t axes) {
  std::vector<Kind> kinds = given.each();
  if (kinds.size() == axes) return given;
  if (kinds.size() != 1)
    throw Error(ErrorCode::invalid_argument,
                "there must be one kind, or one for each of the " + std::to_string(axes) +
                    " transformed axes; given " + std::to_string(kinds.size()));
  // A single r2c halves the last axis. The other axes are c2c.
  const Kind one = kinds[0];
  kinds.assign(axes, one == Kind::r2c ? Kind::c2c : one);
  if (axes > 0) kinds.back() = one;
  return Kinds(std::move(kinds));
}

std::string to_string(const Kinds& kinds) {
  const std::vector<Kind>& each = kinds.each();
  // One word is enough if kinds_by_axis() returns the same kinds for it.
  if (!each.empty() && kinds_by_axis(each.back(), each.size()) == kinds)
    return to_string(each.back());
  std::string text;
  for (const Kind kind : each) text += (text.empty() ? "" : ", ") + std::string(to_string(kind));
  return text;
}

std::int64_t logical_points(const Problem& problem) {
  std::int64_t product = 1;
  for (const int axis : problem.axes)
    product *= traits_of(problem.kind_of(axis))
                   .logical_length(problem.shape[static_cast<std::size_t>(axis)]);
  return product;
}

void set_elements(std::vector<Stage>& stages, const Problem& problem) {
  Element element = problem.element;
  for (Stage& stage : stages) {
    stage.source_element = element;
    // Chirps are complex, so a stage that multiplies by them turns reals into complex numbers.
    if (stage.chirps) element = Element::complex;
    for (const int axis : stage.axes)
      if (problem.halves(axis)) element = Element::complex;
    stage.target_element = element;
  }
}

}  // namespace weft
