#include "base/kinds.hpp"

#include "base/kind_words.hpp"

namespace weft {

static_assert(value_count<Kind> == static_cast<int>(kind_table.size()));

const char* to_string(Kind kind) { return word_of(kind); }
const char* to_string(Element element) { return word_of(element); }

}  // namespace weft
