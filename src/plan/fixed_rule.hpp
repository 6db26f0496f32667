#pragma once

#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// Returns a plan of these stages. Each exchange uses the first method that is possible for the
/// problem and agrees with the forced choices. Adds notes, such as those about ranks without work.
/// `problem` is as checked() returns it.
Plan assemble(const Problem& problem, std::vector<Stage> stages);

/// Plans a problem by the fixed rule, but never treats one axis as two. So round trips are possible
/// with this plan. `problem` is as checked() returns it.
Plan plan_of_whole_lines(const Problem& problem);

/// Returns the caller's input layout. If the caller gave none, returns that of first_layout(). With
/// P3DFFT's preset and at least three axes, returns a pencil instead.
Layout fixed_rule_input(const Problem& problem);

/// Returns the layout of output "same": the input's layout with the output's shape. There is no
/// such layout if the input is boxes that split an axis whose extent changes. Throws
/// invalid_argument in that case.
Layout same_layout(const Layout& input, const Problem& problem);

/// Returns the first axis whose extent changes and that ranks split; -1 if there is none.
int first_resized_cut(const Layout& input, const Problem& problem);

/// Returns the layout with the extents that these axes have after their transforms. Ranks must not
/// split an axis whose extent changes.
Layout after_axes(Layout layout, const Problem& problem, const std::vector<int>& axes);

}  // namespace weft
