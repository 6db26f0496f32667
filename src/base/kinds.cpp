#include "base/kinds.hpp"

#include <array>

#include "base/kind_words.hpp"

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

}  // namespace weft
