#pragma once

#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// How the stages of a problem may follow upon each other, from the input to the layout that the
/// caller wants, or to where the last axis is transformed. The first is that of the fixed rule;
/// `most` bounds how many there are. Every stage but the first and the last transforms something.
///
/// `problem` is as checked() returns it.
std::vector<std::vector<Stage>> routes(const Problem& problem, const Layout& input,
                                       std::size_t most);

}  // namespace weft
