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
/// or more each, cut where the relative errors are least. Another piece must halve them. Neither
/// start nor slope is below 0. At least two measurements.
std::vector<LinkPiece> fit_pieces(std::span<const MessageTime> times);

}  // namespace weft::probe
