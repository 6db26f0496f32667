#pragma once

#include <string>

#include <weft/plan.hpp>

namespace weft::planner {

/// A plan in a line: "pencil 4x8x1: axis 2, messages pairwise packed, axis 1, ..., axis 0".
std::string describe(const Plan& plan);

/// What plans have in common that differ only in chunks, pieces and requests.
std::string kind_of(const Plan& plan);

/// Where most of the time lies that one costs more than the other.
std::string difference(const PlanCost& cost, const PlanCost& best);

}  // namespace weft::planner
