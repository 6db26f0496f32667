#pragma once

#include <array>

#include <weft/kind.hpp>

#include "base/kinds.hpp"
#include "base/words.hpp"

namespace weft {

template <>
struct Words<Kind> {
  static constexpr const char* name = "kind";
  static constexpr auto table = [] {
    std::array<Word<Kind>, kind_table.size()> words{};
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = {kind_table[i].kind, kind_table[i].word};
    return words;
  }();
};

template <>
struct Words<Element> {
  static constexpr const char* name = "element";
  static constexpr std::array table{Word{Element::automatic, "automatic"},
                                    Word{Element::real, "real"}, Word{Element::complex, "complex"}};
};

}  // namespace weft
