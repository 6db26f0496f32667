#include "probe/line_trial.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "comm/agreement.hpp"
#include "kernel/sweep.hpp"
#include "plan/kinds.hpp"

namespace weft::probe {
namespace {

/// A way is measured several times (visits). Visits with fewer points would measure the clock.
constexpr std::int64_t points_of_a_visit = 1 << 15;
constexpr int visits_of_few_points = 6;
/// From this number of points on, a visit takes milliseconds.
constexpr std::int64_t many_points = 1 << 17;
constexpr int visits_of_many_points = 3;

AlignedBuffer zeros(std::int64_t bytes) {
  AlignedBuffer buffer(bytes);
  std::memset(buffer.data(), 0, static_cast<std::size_t>(bytes));
  return buffer;
}

/// Lines of an array in memory. Each way transforms the lines forward and backward, and copies
/// their tiles to the cache and back. The arrays are zero and stay zero; zeros cost the same as
/// other numbers.
class Array {
 public:
  explicit Array(const TriedLines& lines)
      : tried_(lines),
        in_(zeros(tried_.lines * complex_extent() * complex_bytes(lines.precision))),
        out_(zeros(in_.size())) {}

  /// Prepares the transforms of a way; ways are numbered in this order.
  void plan(const kernel::LineChoice& way) {
    ways_.push_back({sweep(Direction::forward, way), sweep(Direction::backward, way)});
    size_.grow_to(ways_.back().forward.scratch_size());
    size_.grow_to(ways_.back().backward.scratch_size());
    scratch_ = AlignedBuffer(size_.thread_bytes());
  }

  void run(std::size_t way) {
    const std::array<void*, 2> buffers{in_.data(), out_.data()};
    const kernel::Scratch scratch(size_, scratch_.data());
    ways_[way].forward.execute(buffers.data(), scratch);
    ways_[way].backward.execute(buffers.data(), scratch);
  }

 private:
  struct Sweeps {
    kernel::Sweep forward;
    kernel::Sweep backward;
  };

  std::int64_t complex_extent() const {
    return tried_.kind == Kind::r2c ? tried_.length / 2 + 1 : tried_.length;
  }

  int axis() const { return tried_.across_memory ? 0 : 1; }

  /// Returns whether the numbers of a buffer are reals. Forward reads the first buffer, backward
  /// the second.
  bool has_reals(int buffer) const {
    return keeps_elements(tried_.kind) || (tried_.kind == Kind::r2c && buffer == 0);
  }

  Box box(int buffer) const {
    const std::int64_t extent = has_reals(buffer) ? tried_.length : complex_extent();
    return Box::whole(axis() == 0 ? Shape{extent, tried_.lines} : Shape{tried_.lines, extent});
  }

  kernel::Place place(int buffer) const {
    Box rest = box(buffer);
    kernel::Place place;
    place.element_bytes =
        has_reals(buffer) ? real_bytes(tried_.precision) : complex_bytes(tried_.precision);
    std::int64_t offset = 0;
    const auto add = [&](const Box& piece) {
      place.pieces.push_back({piece, buffer, offset, {piece.extent(1), 1}});
      offset += piece.volume();
    };
    const std::int64_t half = rest.extent(axis()) / 2;
    if (tried_.exchanged && buffer == 1 && half > 0) {
      Box first = rest;
      first.upper[axis()] = half;
      rest.lower[axis()] = half;
      add(first);
    }
    add(rest);
    return place;
  }

  kernel::Sweep sweep(Direction direction, const kernel::LineChoice& way) const {
    kernel::LocalOptions options{
        .engine = way.engine, .precision = tried_.precision, .effort = tried_.effort};
    const kernel::LineKind kind = kernel::line_kind(tried_.kind, direction);
    options.choices.push_back({choice_kind(kind), tried_.across_memory, tried_.length, way});
    const int from = direction == Direction::forward ? 0 : 1;
    if (kernel::streams(box(from), place(from), place(1 - from), false))
      options.outlet_stores = kernel::Stores::streaming;
    const kernel::AxisTransform transform{.axis = axis(), .kind = kind, .length = tried_.length};
    return {box(from), {transform}, place(from), place(1 - from), options};
  }

  TriedLines tried_;
  AlignedBuffer in_;
  AlignedBuffer out_;
  kernel::ScratchSize size_;
  AlignedBuffer scratch_;
  std::vector<Sweeps> ways_;
};

/// Returns the seconds of all lines in one direction, the mean of both directions.
double seconds(Array& array, std::size_t way, std::int64_t times) {
  const double start_s = now_s();
  for (std::int64_t i = 0; i < times; ++i) array.run(way);
  return (now_s() - start_s) / static_cast<double>(2 * times);
}

}  // namespace

std::vector<double> line_trial(const TriedLines& lines, const std::vector<kernel::LineChoice>& ways,
                               const comm::Communicator& comm) {
  const std::unique_ptr<Array> array = comm::together(comm, [&] {
    auto made = std::make_unique<Array>(lines);
    for (const kernel::LineChoice& way : ways) made->plan(way);
    return made;
  });
  const std::int64_t points = lines.lines * lines.length;
  const std::int64_t times = std::max<std::int64_t>(1, points_of_a_visit / points);
  const int visits = points > many_points ? visits_of_many_points : visits_of_few_points;
  std::vector<double> best(ways.size(), std::numeric_limits<double>::infinity());
  comm.barrier();
  for (int visit = 0; visit < visits; ++visit)
    for (std::size_t way = 0; way < ways.size(); ++way)
      best[way] = std::min(best[way], seconds(*array, way, times));
  for (double& each : best) each = comm.max(each) / static_cast<double>(lines.lines);
  return best;
}

}  // namespace weft::probe
