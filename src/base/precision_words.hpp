#pragma once

#include <array>

#include <weft/precision.hpp>

#include "base/words.hpp"

namespace weft {

template <>
struct Words<Precision> {
  static constexpr const char* name = "precision";
  static constexpr std::array table{Word{Precision::f32, "f32"}, Word{Precision::f64, "f64"},
                                    Word{Precision::f80, "f80"}};
};

template <>
struct Words<Effort> {
  static constexpr const char* name = "effort";
  static constexpr std::array table{Word{Effort::estimate, "estimate"},
                                    Word{Effort::measure, "measure"},
                                    Word{Effort::exhaustive, "exhaustive"}};
};

}  // namespace weft
