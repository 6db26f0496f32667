#pragma once

#include <cstdint>

#include "planner/line_trials.hpp"

namespace weft::api {

/// Returns the index in `lines.ways` of the way that was fastest in an earlier trial. Searches the
/// trials of this process and those in the user's cache. Returns -1 if no trial compared these ways
/// for these lines. Thread-safe.
///
/// The cache has one file for each version of weft, processor and set of engines, next to the files
/// of local_machine(). A file that is damaged or of another version counts as empty.
std::int64_t known_fastest(const planner::LineTrial& lines);

/// Adds trials to those of this process and to the file. Warns if the file cannot be written.
/// Thread-safe.
void keep(const planner::LineTrials& trials);

}  // namespace weft::api
