#pragma once

#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// A plan of these stages: each exchange by the first method that serves the problem and agrees with
/// what is forced, notes where ranks have nothing to do. `problem` is as checked() returns it.
Plan assemble(const Problem& problem, std::vector<Stage> stages);

/// The input where the caller gave none: a slab where every rank gets rows, else the most square
/// pencil; two split axes for P3DFFT's preset.
Layout rule_input(const Problem& problem);

/// What output "same" means: the input's ownership on the output's shape.
/// Throws invalid_argument for boxes that split the axis which r2c halves: there is no such layout.
Layout same_layout(const Layout& input, const Problem& problem);

}  // namespace weft
