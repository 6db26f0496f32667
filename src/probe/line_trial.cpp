#include "probe/line_trial.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include "base/memory.hpp"
#include "comm/agreement.hpp"
#include "kernel/lines.hpp"
#include "kernel/tile_shape.hpp"

namespace weft::probe {
namespace {

/// Shorter visits would measure the clock.
constexpr std::int64_t points_of_a_visit = 1 << 15;
constexpr int visits_of_short_lines = 6;
/// A longer tile is measured twice: its time does not depend on caches alone.
constexpr std::int64_t long_points = 1 << 18;

double now_s() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// The memory of a tile, and its lines by one engine after the other. Zeros stay zeros, and cost
/// the same as other numbers.
class Tile {
 public:
  explicit Tile(const TriedLines& lines)
      : tried_(lines),
        shape_(kernel::tile_shape(line_bytes(lines), complex_bytes(lines.precision))),
        count_(std::min(lines.lines, shape_.lines)),
        in_(shape_.pitch_bytes * count_),
        out_(shape_.pitch_bytes * count_) {
    std::memset(in_.data(), 0, static_cast<std::size_t>(in_.size()));
    std::memset(out_.data(), 0, static_cast<std::size_t>(out_.size()));
  }

  std::int64_t points() const { return count_ * tried_.length; }
  std::int64_t count() const { return count_; }

  /// The transforms of both directions.
  struct Lines {
    kernel::LineRunner forward;
    kernel::LineRunner backward;
  };

  Lines planned(kernel::Engine& engine) const {
    using kernel::LineKind;
    const bool is_real = tried_.kind == Kind::r2c;
    const auto runner = [&](LineKind kind) {
      return kernel::LineRunner(
          {.kind = kind, .length = tried_.length},
          {.engine = &engine, .precision = tried_.precision, .effort = tried_.effort},
          shape_.pitch_bytes, shape_.pitch_bytes, false);
    };
    return {runner(is_real ? LineKind::r2c : LineKind::c2c_forward),
            runner(is_real ? LineKind::c2r : LineKind::c2c_backward)};
  }

  /// Transforms there and back; returns the seconds of a line in one direction.
  double seconds(const Lines& lines, std::int64_t times) {
    const double start_s = now_s();
    for (std::int64_t i = 0; i < times; ++i) {
      lines.forward.run(in_.data(), out_.data(), count_);
      lines.backward.run(out_.data(), in_.data(), count_);
    }
    return (now_s() - start_s) / static_cast<double>(2 * times * count_);
  }

 private:
  /// A line of n reals has n/2+1 complex numbers, more bytes than n/2.
  static std::int64_t line_bytes(const TriedLines& lines) {
    return lines.kind == Kind::r2c ? (lines.length / 2 + 1) * complex_bytes(lines.precision)
                                   : lines.length * complex_bytes(lines.precision);
  }

  TriedLines tried_;
  kernel::TileShape shape_;
  std::int64_t count_;
  AlignedBuffer in_;
  AlignedBuffer out_;
};

}  // namespace

std::vector<double> line_trial(const TriedLines& lines, const std::vector<kernel::Engine*>& engines,
                               const comm::Communicator& comm) {
  std::vector<Tile::Lines> planned;
  Tile tile = comm::together(comm, [&] {
    Tile made(lines);
    for (kernel::Engine* engine : engines) planned.push_back(made.planned(*engine));
    return made;
  });
  const std::int64_t times = std::max<std::int64_t>(1, points_of_a_visit / tile.points());
  const int visits = tile.points() > long_points ? 2 : visits_of_short_lines;
  std::vector<double> best(engines.size(), std::numeric_limits<double>::infinity());
  comm.barrier();
  for (int visit = 0; visit < visits; ++visit)
    for (std::size_t i = 0; i < engines.size(); ++i)
      best[i] = std::min(best[i], tile.seconds(planned[i], times));
  for (double& each : best) each = comm.max(each);
  return best;
}

}  // namespace weft::probe
