#pragma once

#include <string>
#include <string_view>

#include <weft/error.hpp>

#include "base/words.hpp"

namespace weft {

/// The definition of from_string. Only the sources that instantiate it include this file, together
/// with the table of each enum. CMake excludes these sources from unity builds
/// (cmake/WeftTargets.cmake).
template <class E>
E from_string(std::string_view word) {
  for (const auto& entry : Words<E>::table)
    if (entry.word == word) return entry.value;
  throw Error(ErrorCode::invalid_argument, std::string("the ") + Words<E>::name +
                                               " must be one of " + all_words<E>() + "; given \"" +
                                               std::string(word) + "\"");
}

}  // namespace weft
