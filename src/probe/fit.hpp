#pragma once

#include <span>
#include <vector>

#include <weft/machine.hpp>

namespace weft::probe {

/// The time of a message of so many bytes, as measured.
struct MessageTime {
  double bytes = 0;
  double seconds = 0;
};

/// Straight pieces through times in ascending order of bytes: at most three, of three measurements
/// or more each, cut where the relative errors are least. Another piece must halve them. No start is
/// below 0, no slope below `least_slope`. At least two measurements.
constexpr double any_slope = 1e-15;
std::vector<LinkPiece> fit_pieces(std::span<const MessageTime> times,
                                  double least_slope = any_slope);

/// Seconds of another byte of the longest messages: what a link takes that has no rest.
double slope_of_the_longest(std::span<const MessageTime> times);

}  // namespace weft::probe
