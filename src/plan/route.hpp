#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// Layouts in which an array of a shape, some axes of which are still to be transformed, may begin
/// anew. Finding one takes long, and routes of one problem have few.
using Starts = std::map<std::pair<Shape, std::vector<int>>, Layout>;

/// How the stages of a problem may follow upon each other, from the input to the layout that the
/// caller wants, or to where the last axis is transformed. The first is that of the fixed rule;
/// `most` bounds how many there are. Every stage but the first and the last transforms something.
///
/// `problem` is as checked() returns it; `known` is for routes of the same problem.
std::vector<std::vector<Stage>> routes(const Problem& problem, const Layout& input,
                                       std::size_t most, Starts& known);

}  // namespace weft
