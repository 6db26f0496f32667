#include "probe/local.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <omp.h>

#include <weft/error.hpp>

#include "base/memory.hpp"
#include "kernel/cache.hpp"
#include "kernel/lines.hpp"
#include "model/cost.hpp"
#include "model/planning_cost.hpp"
#include "probe/engines.hpp"
#include "run/transform.hpp"

namespace weft::probe {
namespace {

/// Length of the lines in timed stages. Each effort measures lines of this length, because they
/// give operation_s.
constexpr std::int64_t stage_length = 256;
constexpr const char* along_rows = "rows";
constexpr const char* along_columns = "columns";
constexpr const char* along_ragged_columns = "ragged columns";

/// Returns the bytes of a tile that leaves room in L2 for another one.
std::int64_t tile_bytes() { return kernel::cache_sizes().l2_bytes / 4; }

/// The memory of timed lines. Each thread has its own tile, because all cores compute in a stage. A
/// thread takes the next lines when it is done, because some cores may be slower.
class Tiles {
 public:
  Tiles(const Extent& extent, int threads)
      : bytes_(std::max(tile_bytes(), pitch_of(extent.lengths.back(), extent.precisions.back()))),
        threads_(threads),
        in_(threads * bytes_),
        out_(threads * bytes_) {
    std::memset(in_.data(), 0, static_cast<std::size_t>(in_.size()));
    std::memset(out_.data(), 0, static_cast<std::size_t>(out_.size()));
  }

  Work lines(Kind kind, Precision precision, Effort effort, std::int64_t length,
             kernel::Engine& engine) const {
    const std::int64_t pitch = pitch_of(length, precision);
    const std::int64_t count = std::clamp<std::int64_t>(tile_bytes() / pitch, 1, 64);
    const kernel::LineKind line = kernel::line_kind(kind, Direction::forward);
    const kernel::LineRunner runner({.kind = line, .length = length},
                                    {.engine = &engine, .precision = precision, .effort = effort},
                                    pitch, pitch, false);
    // The cost of starting and joining threads belongs to stages, so it must be negligible in this
    // measurement.
    const std::int64_t fewest = threads_ == 1 ? 1 : turns_at_least;
    const std::int64_t times = std::max(fewest, points_at_least / (count * length));
    const auto run = [this, runner, count, times] {
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
      for (std::int64_t i = 0; i < times * threads_; ++i) {
        const std::int64_t tile = bytes_ * omp_get_thread_num();
        runner.run(in_.as<char>() + tile, out_.as<char>() + tile, count);
      }
    };
    return {std::string("line ") + to_string(kind) + " " + to_string(precision) + " " +
                to_string(effort),
            static_cast<double>(length), run, static_cast<double>(count * times)};
  }

 private:
  static constexpr std::int64_t points_at_least = 1 << 16;
  static constexpr std::int64_t turns_at_least = 8;  ///< per thread, for an even distribution

  static std::int64_t pitch_of(std::int64_t length, Precision precision) {
    return (length + 1) * complex_bytes(precision) / 64 * 64 + 64;
  }

  std::int64_t bytes_;
  int threads_;
  AlignedBuffer in_;
  AlignedBuffer out_;
};

/// The arrays of timed stages.
class StageArrays {
 public:
  explicit StageArrays(std::int64_t bytes) : in_(bytes), out_(bytes) {
    std::memset(in_.data(), 0, static_cast<std::size_t>(bytes));
    std::memset(out_.data(), 0, static_cast<std::size_t>(bytes));
  }

  /// Returns a transform along one axis of an array, by this rank alone. It does the work of a
  /// stage.
  Work stage(const kernel::LocalOptions& local, std::int64_t bytes, const char* how) const {
    const Precision precision = local.precision;
    std::int64_t lines = bytes / (stage_length * complex_bytes(precision));
    if (how == along_ragged_columns) --lines;  // then rows do not begin on cache lines
    const int axis = how == along_rows ? 1 : 0;
    Problem problem{.shape = axis == 0 ? Shape{stage_length, lines} : Shape{lines, stage_length},
                    .axes = {axis},
                    .precision = precision};
    problem.threads = local.threads;
    const auto transform = std::make_shared<run::Transform>(
        make_plan(problem), comm::Communicator::solo(), run::Transform::Options{local, true});
    return {std::string("stage along ") + how + " " + to_string(precision),
            static_cast<double>(bytes), [this, transform] {
              transform->execute({Direction::forward, false}, in_.data(), out_.data());
            }};
  }

 private:
  AlignedBuffer in_;
  AlignedBuffer out_;
};

/// Returns the time of copying per byte: a stage's time less that of its lines. It is positive even
/// if the lines hide all of the copying.
double copied_s_per_byte(double stage_seconds, double lines_s, std::int64_t bytes) {
  constexpr double least = 1e-13;
  return std::max(least, (stage_seconds - lines_s) / static_cast<double>(bytes));
}

/// Returns whether lines of this precision are measured with this effort. Long doubles are not
/// planned by trials, because trials gain little without vector instructions.
bool is_measured(Precision precision, Effort effort) {
  return effort == Effort::estimate || precision != Precision::f80;
}

/// Orders lengths so that short and long ones come early. So when the time for planning is over,
/// lengths of all sizes have been planned.
std::vector<std::int64_t> spread_out(const std::vector<std::int64_t>& lengths) {
  constexpr std::size_t step = 7;
  std::vector<std::int64_t> found;
  for (std::size_t first = 0; first < step; ++first)
    for (std::size_t i = first; i < lengths.size(); i += step) found.push_back(lengths[i]);
  return found;
}

/// A timed line, and the list to which it belongs.
struct TimedLine {
  std::size_t list = 0;
  Kind kind = Kind::c2c;
  std::int64_t length = 0;
};

/// Gives each line the time of its fastest engine, then sorts the lines.
void assign(std::vector<Arithmetic>& arithmetic, const std::vector<TimedLine>& timed,
            const std::vector<double>& seconds) {
  for (std::size_t i = 0; i < timed.size(); ++i)
    for (LineTime& line : arithmetic[timed[i].list].lines)
      if (line.kind == timed[i].kind && line.length == timed[i].length)
        line.seconds = line.seconds == 0 ? seconds[i] : std::min(line.seconds, seconds[i]);
  for (Arithmetic& each : arithmetic) {
    std::sort(each.lines.begin(), each.lines.end(), [](const LineTime& one, const LineTime& two) {
      return std::pair(one.kind, one.length) < std::pair(two.kind, two.length);
    });
    for (const LineTime& line : each.lines)
      if (line.kind == Kind::c2c && line.length == stage_length)
        each.operation_s = line.seconds / (5 * stage_length * std::log2(stage_length));
  }
}

const LineTime* find(const Arithmetic& arithmetic, const LineTime& line) {
  const auto place = std::find_if(
      arithmetic.lines.begin(), arithmetic.lines.end(),
      [&](const LineTime& each) { return each.kind == line.kind && each.length == line.length; });
  return place == arithmetic.lines.end() ? nullptr : &*place;
}

/// Estimates the times of lines that were not planned by trials. Each estimate is the line's time
/// without trials, times the mean ratio of the two times of the other lines.
void fill_in(Arithmetic& trials, const std::vector<Arithmetic>& all) {
  const auto estimates = std::find_if(all.begin(), all.end(), [&](const Arithmetic& each) {
    return each.precision == trials.precision && each.effort == Effort::estimate;
  });
  if (estimates == all.end()) return;
  double sum = 0;
  for (const LineTime& line : trials.lines)
    sum += std::log(line.seconds / find(*estimates, line)->seconds);
  const double ratio = std::exp(sum / static_cast<double>(trials.lines.size()));
  std::vector<LineTime> lines;
  for (const LineTime& line : estimates->lines) {
    const LineTime* measured = find(trials, line);
    lines.push_back(measured ? *measured : LineTime{line.kind, line.length, line.seconds * ratio});
  }
  trials.lines = std::move(lines);
}

/// Replaces the works by empty ones, so that this rank only waits for the others.
void idle(std::vector<Work>& works) {
  for (Work& work : works) work.run = [] {};
}

/// Returns the median; 0 for no values.
double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Lines measure_arithmetic(Timing& timing, Timing& planning, const Extent& extent,
                         const LocalProbe& local, const comm::Communicator& comm) {
  const Tiles tiles(extent, local.threads);
  Lines found;
  std::vector<Work> works;
  std::vector<TimedLine> timed;
  std::vector<double> unit_planning_s;
  std::map<Precision, std::vector<kernel::Engine*>> engines;
  for (const Precision precision : extent.precisions)
    engines[precision] = common_engines(local.engine, precision, comm);
  for (const Effort effort : extent.efforts)
    for (const Precision precision : extent.precisions)
      if (is_measured(precision, effort) && !engines[precision].empty())
        found.arithmetic.push_back({precision, effort, 0, {}});
  const auto add = [&](std::size_t list, Kind kind, std::int64_t length) {
    Arithmetic& arithmetic = found.arithmetic[list];
    const bool is_needed = kind == Kind::c2c && length == stage_length;
    if (arithmetic.effort != Effort::estimate && !is_needed && !planning.affords(1e-9)) return;
    arithmetic.lines.push_back({kind, length, 0});
    const double took_s = planning.prepare([&] {
      for (kernel::Engine* engine : engines[arithmetic.precision])
        works.push_back(
            tiles.lines(kind, arithmetic.precision, arithmetic.effort, length, *engine));
    });
    timed.resize(works.size(), {list, kind, length});
    if (arithmetic.effort == Effort::measure)
      unit_planning_s.push_back(model::planning_of_unit(took_s, length));
  };
  for (const std::int64_t length : spread_out(extent.lengths))
    for (std::size_t list = 0; list < found.arithmetic.size(); ++list)
      for (const Kind kind : {Kind::c2c, Kind::r2c}) add(list, kind, length);
  found.planning_s = median(std::move(unit_planning_s));
  if (!local.has_core) idle(works);
  const std::vector<double> seconds = timing.seconds_in_turn(works, extent.visits);
  assign(found.arithmetic, timed, seconds);
  for (Arithmetic& each : found.arithmetic)
    if (each.lines.size() < 2 * extent.lengths.size()) {
      fill_in(each, found.arithmetic);
      found.assumed.push_back(std::string("some lines of ") + to_string(each.precision) +
                              " planned with " + to_string(each.effort));
    }
  return found;
}

std::vector<Copying> measure_copying(Timing& timing, const Extent& extent, const Machine& so_far,
                                     const LocalProbe& local, const comm::Communicator& comm) {
  const StageArrays arrays(local.threads * extent.copied_bytes.back());
  std::vector<Copying> found;
  std::vector<Work> works;
  for (const Precision precision : extent.precisions) {
    const auto engines = common_engines(local.engine, precision, comm);
    if (engines.empty()) continue;
    const kernel::LocalOptions options =
        fastest_for({stage_length}, precision, engines, local.threads, comm);
    for (const std::int64_t bytes : extent.copied_bytes) {
      found.push_back({bytes, 0, 0, precision});
      for (const char* how : {along_rows, along_columns, along_ragged_columns})
        works.push_back(arrays.stage(options, bytes * local.threads, how));
    }
  }
  if (!local.has_core) idle(works);
  const std::vector<double> seconds = timing.seconds_in_turn(works, extent.visits);
  auto next = seconds.begin();
  for (Copying& each : found) {
    const double line =
        model::line_seconds(so_far, each.precision, Effort::estimate, Kind::c2c, stage_length);
    const std::int64_t lines = each.bytes / (stage_length * complex_bytes(each.precision));
    const double lines_s = line * static_cast<double>(lines);
    each.contiguous_s_per_byte = copied_s_per_byte(*next++, lines_s, each.bytes);
    each.transposed_s_per_byte = copied_s_per_byte(*next++, lines_s, each.bytes);
    each.ragged_s_per_byte = copied_s_per_byte(*next++, lines_s, each.bytes);
  }
  return found;
}

}  // namespace weft::probe
