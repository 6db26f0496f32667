#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// Cache of start layouts. The key is the shape of an array and the axes that are still to be
/// transformed. Finding a layout is slow, and the routes of one problem need only a few layouts.
using Starts = std::map<std::pair<Shape, std::vector<int>>, Layout>;

/// Returns possible sequences of the stages of a problem. They lead from the input to the layout
/// that the caller wants. If the caller wants none, they end with the layout in which the last axis
/// is transformed, or, if this layout is on one rank, with a slab. The first sequence is that of
/// the fixed rule. At most `most` sequences are returned. Every stage but the first and the last
/// transforms an axis.
///
/// `problem` is as checked() returns it. `known` may be reused only for routes of the same problem.
std::vector<std::vector<Stage>> routes(const Problem& problem, const Layout& input,
                                       std::size_t most, Starts& known);

}  // namespace weft
