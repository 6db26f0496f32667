#pragma once

#include <cstddef>
#include <map>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "planner/search.hpp"

namespace weft::planner {

/// The plan of one of the ways that were found, with what the model says of it and of the others.
/// `measured_s` has the times of those that were tried, by their place in `found.ways`.
Plan decision(Found found, std::size_t chosen, const Machine& machine,
              const std::map<std::size_t, double>& measured_s = {});

}  // namespace weft::planner
