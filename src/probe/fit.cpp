#include "probe/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::probe {
namespace {

constexpr std::size_t fewest_of_a_piece = 3;
/// Errors of this share are noise of the measurement, and justify no further piece.
constexpr double tolerable = 0.02;

struct Fit {
  std::vector<LinkPiece> pieces;
  double error = std::numeric_limits<double>::infinity();  ///< sum of squared relative errors
};

double error_of(const LinkPiece& line, std::span<const MessageTime> times) {
  double sum = 0;
  for (const MessageTime& each : times) {
    const double miss = (line.start_s + line.s_per_byte * each.bytes) / each.seconds - 1;
    sum += miss * miss;
  }
  return sum;
}

/// Returns the line with the least relative errors and at least this slope. If the line would start
/// below 0, it goes through the origin instead.
LinkPiece straight(std::span<const MessageTime> times, double least_slope) {
  double w = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const MessageTime& each : times) {
    const double weight = 1 / (each.seconds * each.seconds);
    w += weight;
    x += weight * each.bytes;
    y += weight * each.seconds;
    xx += weight * each.bytes * each.bytes;
    xy += weight * each.bytes * each.seconds;
  }
  const double spread = w * xx - x * x;
  LinkPiece line;
  line.s_per_byte = spread > 0 ? (w * xy - x * y) / spread : 0;
  line.start_s = (y - line.s_per_byte * x) / w;
  if (line.s_per_byte < least_slope) line = {0, (y - least_slope * x) / w, least_slope};
  if (line.start_s < 0) line = {0, 0, xy / xx};
  return line;
}

Fit fit_from(std::span<const MessageTime> times, std::size_t most_pieces, double least_slope) {
  const LinkPiece whole = straight(times, least_slope);
  Fit best{{whole}, error_of(whole, times)};
  const double worth_a_cut = best.error / 2;
  const auto count = static_cast<double>(times.size());
  if (most_pieces == 1 || best.error <= tolerable * tolerable * count) return best;
  for (std::size_t cut = fewest_of_a_piece; cut + fewest_of_a_piece <= times.size(); ++cut) {
    const LinkPiece first = straight(times.first(cut), least_slope);
    Fit rest = fit_from(times.subspan(cut), most_pieces - 1, least_slope);
    const double error = error_of(first, times.first(cut)) + rest.error;
    if (error > worth_a_cut || error >= best.error) continue;
    best = {{first}, error};
    // The cut is half-way between the two lengths, on a logarithmic scale.
    rest.pieces.front().from_bytes =
        std::llround(std::sqrt(times[cut - 1].bytes * times[cut].bytes));
    best.pieces.insert(best.pieces.end(), rest.pieces.begin(), rest.pieces.end());
  }
  return best;
}

}  // namespace

std::vector<LinkPiece> fit_pieces(std::span<const MessageTime> times, double least_slope) {
  return fit_from(times, 3, least_slope).pieces;
}

double slope_of_the_longest(std::span<const MessageTime> times) {
  return straight(times.last(std::min(fewest_of_a_piece, times.size())), any_slope).s_per_byte;
}

}  // namespace weft::probe
