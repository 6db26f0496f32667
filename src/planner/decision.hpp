#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "planner/search.hpp"

namespace weft::planner {

/// Returns one of the plans that were found, with the predictions for it and for the others.
/// `measured_s` has the times of the tried plans, by their index in `found.plans`.
Plan decision(SearchResult found, std::size_t chosen, const Machine& machine,
              const std::map<std::size_t, double>& measured_s = {});

/// As weft::make_plan() and weft::candidates(), with a search that may choose more or less.
Plan make_plan(const Problem& problem, const Machine& machine, const Freedom& freedom);
std::vector<Plan> candidates(const Problem& problem, const Machine& machine,
                             const Freedom& freedom);

}  // namespace weft::planner
