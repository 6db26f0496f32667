#include "probe/local.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <weft/error.hpp>

#include "base/memory.hpp"
#include "kernel/cache.hpp"
#include "kernel/lines.hpp"
#include "model/cost.hpp"
#include "run/transform.hpp"

namespace weft::probe {
namespace {

constexpr std::int64_t copied_length = 256;

/// Bytes of a tile with room in L2 for another one beside it.
std::int64_t tile_bytes() { return kernel::cache_sizes().l2_bytes / 4; }

kernel::LocalOptions local_options(Precision precision, Effort effort, int threads) {
  return {.engine = &kernel::default_engine(),
          .precision = precision,
          .effort = effort,
          .threads = threads};
}

/// Each of the threads has a tile of its own: as in a stage, all cores are at work.
double line_s(Timing& timing, Kind kind, Precision precision, Effort effort, std::int64_t length,
              int threads) {
  const std::int64_t pitch = (length + 1) * complex_bytes(precision) / 64 * 64 + 64;
  const std::int64_t count = std::clamp<std::int64_t>(tile_bytes() / pitch, 1, 64);
  const AlignedBuffer in(pitch * count * threads);
  const AlignedBuffer out(pitch * count * threads);
  std::memset(in.data(), 0, static_cast<std::size_t>(in.size()));
  std::memset(out.data(), 0, static_cast<std::size_t>(out.size()));
  const kernel::LineKind line =
      kind == Kind::c2c ? kernel::LineKind::c2c_forward : kernel::LineKind::r2c;
  const kernel::LineRunner runner({.kind = line, .length = length},
                                  local_options(precision, effort, 1), pitch, pitch, false);
  const std::string series =
      std::string("line ") + to_string(kind) + " " + to_string(precision) + " " + to_string(effort);
  return timing.seconds(
      series, static_cast<double>(length),
      [&] {
#pragma omp parallel for schedule(static, 1) num_threads(threads)
        for (int thread = 0; thread < threads; ++thread)
          runner.run(in.as<char>() + pitch * count * thread,
                     out.as<char>() + pitch * count * thread, count);
      },
      static_cast<double>(count));
}

Arithmetic arithmetic_of(Timing& timing, const Extent& extent, Precision precision, Effort effort,
                         int threads) {
  Arithmetic found{precision, effort, 0, {}};
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const std::int64_t length : extent.lengths)
      found.lines.push_back(
          {kind, length, line_s(timing, kind, precision, effort, length, threads)});
  for (const LineTime& line : found.lines)
    if (line.kind == Kind::c2c && line.length == copied_length)
      found.operation_s = line.seconds / (5 * copied_length * std::log2(copied_length));
  return found;
}

/// Seconds of a transform along one axis of an array by this rank alone, as a stage does it.
double stage_s(Timing& timing, Precision precision, std::int64_t bytes, int axis, int threads) {
  const std::int64_t lines = bytes / (copied_length * complex_bytes(precision));
  Problem problem{.shape = axis == 0 ? Shape{copied_length, lines} : Shape{lines, copied_length},
                  .axes = {axis},
                  .precision = precision};
  problem.threads = threads;
  const Plan plan = make_plan(problem);
  run::Transform transform(plan, comm::Communicator::solo(),
                           {local_options(precision, Effort::estimate, threads), true});
  const AlignedBuffer in(bytes);
  const AlignedBuffer out(bytes);
  std::memset(in.data(), 0, static_cast<std::size_t>(bytes));
  std::memset(out.data(), 0, static_cast<std::size_t>(bytes));
  const std::string series =
      std::string("stage along ") + (axis == 0 ? "columns " : "rows ") + to_string(precision);
  return timing.seconds(series, static_cast<double>(bytes), [&] {
    transform.execute({run::Direction::forward, false}, in.data(), out.data());
  });
}

/// What is left of a stage's time for its bytes; lines may hide it all.
double copied_s_per_byte(double stage_seconds, double lines_s, std::int64_t bytes) {
  constexpr double least = 1e-13;
  return std::max(least, (stage_seconds - lines_s) / static_cast<double>(bytes));
}

}  // namespace

std::vector<Arithmetic> measure_arithmetic(Timing& timing, const Extent& extent, int threads) {
  std::vector<Arithmetic> found;
  timing.share_among(static_cast<int>(2 * extent.lengths.size() * extent.efforts.size() *
                                      extent.precisions.size()));
  for (const Precision precision : extent.precisions) {
    if (!kernel::default_engine().supports(precision)) continue;
    for (const Effort effort : extent.efforts)
      found.push_back(arithmetic_of(timing, extent, precision, effort, threads));
  }
  return found;
}

std::vector<Copying> measure_copying(Timing& timing, const Extent& extent, const Machine& so_far,
                                     int threads) {
  std::vector<Copying> found;
  timing.share_among(static_cast<int>(2 * extent.precisions.size() * extent.copied_bytes.size()));
  for (const Precision precision : extent.precisions) {
    if (!kernel::default_engine().supports(precision)) continue;
    const double line =
        model::line_seconds(so_far, precision, Effort::estimate, Kind::c2c, copied_length);
    for (const std::int64_t bytes : extent.copied_bytes) {
      const std::int64_t all = bytes * threads;
      const double lines_s =
          line * static_cast<double>(bytes / (copied_length * complex_bytes(precision)));
      const double contiguous = stage_s(timing, precision, all, 1, threads);
      const double transposed = stage_s(timing, precision, all, 0, threads);
      found.push_back({bytes, copied_s_per_byte(contiguous, lines_s, bytes),
                       copied_s_per_byte(transposed, lines_s, bytes), precision});
    }
  }
  return found;
}

}  // namespace weft::probe
