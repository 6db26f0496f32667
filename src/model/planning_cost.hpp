#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include <weft/plan.hpp>

namespace weft::model {

/// Kinds and lengths of lines.
using LineKinds = std::set<std::pair<Kind, std::int64_t>>;

/// Returns the lines that a plan transforms.
LineKinds lines_of(const Plan& plan);

/// Returns the seconds in which the FFT library plans lines, forward and backward, on each rank.
/// `measure` plans by trials, `exhaustive` by many more, `estimate` in almost no time. `planning_s`
/// is the figure of the machine; 0 if it was not measured.
///
/// Source  FFTW 3.3.10, 27 lengths of 8 to 65536 points in groups and alone, on one EPYC. Planning
///         with `measure` takes 0.2 to 3 times 60 ms sqrt(n / 256). With `exhaustive` it takes 2 to
///         27 times as long as with `measure`.
double planning_seconds(double planning_s, Effort effort, const LineKinds& lines);

/// Returns the `planning_s` of a machine that needs `seconds` to plan a line of this length by
/// trials, in one direction.
double planning_of_unit(double seconds, std::int64_t length);

}  // namespace weft::model
