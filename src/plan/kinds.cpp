#include "plan/kinds.hpp"

#include <algorithm>
#include <array>

#include <weft/error.hpp>

#include "plan/words.hpp"

namespace weft {
namespace {

/// Rows of cosine and sine transforms, whose logical length is 2 * (n + shift).
constexpr KindTraits real_kind(Kind kind, std::int64_t shift, std::int64_t least,
                               std::int64_t twice_lowest, Kind inverse) {
  return {kind,   Element::automatic, Element::automatic, 0, 1, 2, shift, least, twice_lowest,
          inverse};
}

constexpr std::array table{
    KindTraits{.kind = Kind::c2c,
               .before = Element::complex,
               .after = Element::complex,
               .length_added = 0,
               .length_divided = 1,
               .logical_times = 1,
               .logical_shift = 0,
               .least_length = 1,
               .twice_lowest = 0,
               .inverse = Kind::c2c},
    KindTraits{.kind = Kind::r2c,
               .before = Element::real,
               .after = Element::complex,
               .length_added = 2,
               .length_divided = 2,
               .logical_times = 1,
               .logical_shift = 0,
               .least_length = 1,
               .twice_lowest = 0,
               .inverse = Kind::r2c},
    real_kind(Kind::dct1, -1, 2, 0, Kind::dct1),
    real_kind(Kind::dct2, 0, 1, 0, Kind::dct3),
    real_kind(Kind::dct3, 0, 1, 1, Kind::dct2),
    real_kind(Kind::dct4, 0, 1, 1, Kind::dct4),
    real_kind(Kind::dst1, 1, 1, 2, Kind::dst1),
    real_kind(Kind::dst2, 0, 1, 2, Kind::dst3),
    real_kind(Kind::dst3, 0, 1, 1, Kind::dst2),
    real_kind(Kind::dst4, 0, 1, 1, Kind::dst4),
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
    // A chirp is complex, whatever the first stage reads.
    if (stage.chirps) element = Element::complex;
    for (const int axis : stage.axes)
      if (problem.halves(axis)) element = Element::complex;
    stage.target_element = element;
  }
}

}  // namespace weft
