#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace weft {

template <class E>
struct Word {
  E value;
  const char* word;
};
template <class E>  // clang before 17 does not deduce from an aggregate
Word(E, const char*)->Word<E>;

/// The name of an enum in messages, and its words: the only place where they are written.
template <class E>
struct Words;

/// The number of values of an enum; -1 if its table does not have them in order.
template <class E>
constexpr int value_count = [] {
  for (std::size_t i = 0; i < Words<E>::table.size(); ++i)
    if (static_cast<std::size_t>(Words<E>::table[i].value) != i) return -1;
  return static_cast<int>(Words<E>::table.size());
}();

/// Returns "unknown" for a value outside the enum. Only the C interface can get such a value, and
/// it refuses the value.
template <class E>
const char* word_of(E value) {
  for (const auto& entry : Words<E>::table)
    if (entry.value == value) return entry.word;
  return "unknown";
}

template <class E>
std::string all_words() {
  std::string text;
  for (const auto& entry : Words<E>::table) {
    if (!text.empty()) text += ", ";
    text += entry.word;
  }
  return text;
}

}  // namespace weft
