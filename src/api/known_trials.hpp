#pragma once

#include <string>

#include "planner/line_trials.hpp"

namespace weft::api {

/// Returns the fastest engine of these lines from the trials of this process, or those kept in the
/// user's cache; empty if there was no trial. Thread-safe.
///
/// The cache has one file for each processor and set of engines, next to local_machine()'s. A file
/// that is damaged or of another version counts as empty.
std::string known_fastest(const planner::LineTrial& lines);

/// Adds trials to those of this process and to the file. If it cannot be written, there is a
/// warning. Thread-safe.
void keep(const planner::LineTrials& trials);

}  // namespace weft::api
