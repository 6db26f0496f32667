#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "planner/search.hpp"

namespace weft::planner {

/// The plan of one of the ways that were found, with what the model says of it and of the others.
/// `measured_s` has the times of those that were tried, by their place in `found.ways`.
Plan decision(SearchResult found, std::size_t chosen, const Machine& machine,
              const std::map<std::size_t, double>& measured_s = {});

/// weft::make_plan() and weft::candidates() where a search may choose more or less than it does there.
Plan make_plan(const Problem& problem, const Machine& machine, const Freedom& freedom);
std::vector<Plan> candidates(const Problem& problem, const Machine& machine,
                             const Freedom& freedom);

}  // namespace weft::planner
