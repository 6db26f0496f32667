#pragma once

#include <span>
#include <vector>

#include <weft/machine.hpp>

namespace weft::probe {

/// The measured time of a message, and its bytes.
struct MessageTime {
  double bytes = 0;
  double seconds = 0;
};

/// A lower limit of slopes that excludes no measured one.
constexpr double any_slope = 1e-15;
/// Fits linear pieces to times in ascending order of bytes: at most three pieces of at least three
/// measurements each, with the least relative errors. A further piece must halve the errors. No
/// start is below 0. A slope is at least `least_slope`, unless the piece goes through the origin.
/// Needs at least two measurements.
std::vector<LinkPiece> fit_pieces(std::span<const MessageTime> times,
                                  double least_slope = any_slope);

/// Returns the time per byte of the longest messages, which is that of a busy link.
double slope_of_the_longest(std::span<const MessageTime> times);

}  // namespace weft::probe
