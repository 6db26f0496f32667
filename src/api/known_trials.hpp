#pragma once

#include <cstdint>

#include "planner/line_trials.hpp"

namespace weft::api {

/// Returns the number of the way that was the fastest for these lines in an earlier trial. Knows the
/// trials of this process and those in the user's cache. -1 if no trial compared these ways.
/// Thread-safe.
///
/// The cache has one file for each processor and set of engines, next to local_machine()'s. A file
/// that is damaged or of another version counts as empty.
std::int64_t known_fastest(const planner::LineTrial& lines);

/// Adds trials to those of this process and to the file. Warns if the file cannot be written.
/// Thread-safe.
void keep(const planner::LineTrials& trials);

}  // namespace weft::api
