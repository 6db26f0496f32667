#include "plan/kinds.hpp"

#include <algorithm>
#include <array>

#include <weft/error.hpp>

#include "plan/words.hpp"

namespace weft {
namespace {

constexpr std::array table{
    KindTraits{.kind = Kind::c2c,
               .before = Element::complex,
               .after = Element::complex,
               .length_added = 0,
               .length_divided = 1},
    KindTraits{.kind = Kind::r2c,
               .before = Element::real,
               .after = Element::complex,
               .length_added = 2,
               .length_divided = 2},
};
static_assert(table.size() == value_count<Kind>);

}  // namespace

const char* to_string(Kind kind) { return word_of(kind); }
const char* to_string(Element element) { return word_of(element); }

const KindTraits& traits_of(Kind kind) { return table[static_cast<std::size_t>(kind)]; }

Kinds kinds_by_axis(const Kinds& given, std::size_t axes) {
  std::vector<Kind> kinds = given.each();
  if (kinds.size() == axes) return given;
  if (kinds.size() != 1)
    throw Error(ErrorCode::invalid_argument,
                "there must be one kind, or one for each of the " + std::to_string(axes) +
                    " transformed axes; given " + std::to_string(kinds.size()));
  const Kind one = kinds[0];
  kinds.assign(axes, one == Kind::r2c ? Kind::c2c : one);
  if (axes > 0) kinds.back() = one;
  return Kinds(std::move(kinds));
}

std::string to_string(const Kinds& kinds) {
  const std::vector<Kind>& each = kinds.each();
  for (const Kind one : {Kind::c2c, Kind::r2c})
    if (kinds_by_axis(one, each.size()) == kinds) return to_string(one);
  std::string text;
  for (const Kind kind : each) text += (text.empty() ? "" : ", ") + std::string(to_string(kind));
  return text;
}

void set_elements(std::vector<Stage>& stages, const Problem& problem) {
  Element element = problem.element;
  for (Stage& stage : stages) {
    stage.source_element = element;
    // A chirp is complex, whatever the first stage reads.
    if (stage.chirps) element = Element::complex;
    for (const int axis : stage.axes)
      if (problem.halves(axis)) element = traits_of(Kind::r2c).after;
    stage.target_element = element;
  }
}

}  // namespace weft
