#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "planner/search.hpp"

namespace weft::planner {

/// Returns found.plans[chosen] with its prediction, and the predictions of the next few plans.
/// `measured_s` has the times of the tried plans, by their index in `found.plans`.
Plan decision(SearchResult found, std::size_t chosen, const Machine& machine,
              const std::map<std::size_t, double>& measured_s = {});

/// As weft::make_plan() and weft::candidates(), with the choices of `freedom` for the search.
Plan make_plan(const Problem& problem, const Machine& machine, const Freedom& freedom);
std::vector<Plan> candidates(const Problem& problem, const Machine& machine,
                             const Freedom& freedom);

}  // namespace weft::planner
