#pragma once

#include <string>

#include <weft/plan.hpp>

namespace weft::planner {

/// Describes a plan in one line, for example
/// "pencil 4x8x1: axis 2, messages pairwise packed, axis 1, ..., axis 0".
std::string describe(const Plan& plan);

/// Returns a description without chunks, pieces and requests. Plans with the same description are
/// of one kind.
std::string kind_of(const Plan& plan);

/// Returns the part of the time that contributes most to the difference of the two costs.
std::string difference(const PlanCost& cost, const PlanCost& best);

}  // namespace weft::planner
