#pragma once

#include <array>

#include <weft/kind.hpp>

#include "base/words.hpp"

namespace weft {

template <>
struct Words<Kind> {
  static constexpr const char* name = "kind";
  static constexpr std::array table{Word{Kind::c2c, "c2c"},   Word{Kind::r2c, "r2c"},
                                    Word{Kind::dct1, "dct1"}, Word{Kind::dct2, "dct2"},
                                    Word{Kind::dct3, "dct3"}, Word{Kind::dct4, "dct4"},
                                    Word{Kind::dst1, "dst1"}, Word{Kind::dst2, "dst2"},
                                    Word{Kind::dst3, "dst3"}, Word{Kind::dst4, "dst4"}};
};

template <>
struct Words<Element> {
  static constexpr const char* name = "element";
  static constexpr std::array table{Word{Element::automatic, "automatic"},
                                    Word{Element::real, "real"}, Word{Element::complex, "complex"}};
};

}  // namespace weft
