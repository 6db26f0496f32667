#pragma once

#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// Returns a plan of these stages. Each exchange uses the first method that serves the problem and
/// agrees with the forced choices. Adds notes about ranks without work. `problem` is as checked()
/// returns it.
Plan assemble(const Problem& problem, std::vector<Stage> stages);

/// Returns the input layout if the caller gave none: a slab if every rank gets rows, otherwise the
/// most square pencil. P3DFFT's preset has two split axes.
Layout fixed_rule_input(const Problem& problem);

/// Returns the layout of output "same": the input's ownership on the output's shape. Throws
/// invalid_argument for boxes that split an axis whose extent changes: there is no such layout.
Layout same_layout(const Layout& input, const Problem& problem);

/// Returns the first axis whose extent changes and that is not whole; -1 if there is none.
int first_resized_cut(const Layout& input, const Problem& problem);

/// Returns a layout with the extents that these axes have after their transforms. They must be whole
/// if their extents change.
Layout after_axes(Layout layout, const Problem& problem, const std::vector<int>& axes);

}  // namespace weft
