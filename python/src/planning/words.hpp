#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

/// Adds WORDS: for each option of a transform that is a word, its values. Adds forced_exchange(),
/// which reads such words.
void bind_words(nanobind::module_& m);

}  // namespace weft::python
