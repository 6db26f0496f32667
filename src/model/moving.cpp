#include "model/moving.hpp"

#include <algorithm>
#include <cmath>

#include <weft/error.hpp>

#include "base/rounding.hpp"
#include "model/between.hpp"

namespace weft::model {
namespace {

/// Returns the measured sizes of this precision. If there are none, returns those of the precision
/// with the most similar number of bytes.
std::vector<Copying> copying_of(const Machine& machine, Precision precision) {
  const auto distance = [&](const Copying& each) {
    return std::abs(std::log2(static_cast<double>(real_bytes(each.precision)) /
                              static_cast<double>(real_bytes(precision))));
  };
  const Copying& nearest = *std::min_element(
      machine.copying.begin(), machine.copying.end(),
      [&](const Copying& one, const Copying& other) { return distance(one) < distance(other); });
  std::vector<Copying> found;
  for (const Copying& each : machine.copying)
    if (each.precision == nearest.precision) found.push_back(each);
  return found;
}

using Rate = double Copying::*;

/// Interpolates between the measured sizes next to `bytes`.
double s_per_byte(const Machine& machine, Precision precision, double bytes, Rate rate) {
  const std::vector<Copying> all = copying_of(machine, precision);
  return between(all, bytes, [](const Copying& each) { return each.bytes; })
      .mean([&](const Copying& each) { return each.*rate; });
}

Rate rate_of(Moved moved) {
  switch (moved) {
    case Moved::contiguous:
      return &Copying::contiguous_s_per_byte;
    case Moved::transposed:
      return &Copying::transposed_s_per_byte;
    case Moved::ragged:
      return &Copying::ragged_s_per_byte;
  }
  throw Error(ErrorCode::internal, "no rate for this kind of move");
}

std::int64_t busy_cores(const Problem& problem, std::int64_t working, const Machine& machine) {
  return std::min(machine.cores_per_node, working * std::int64_t{problem.threads});
}

}  // namespace

std::int64_t ranks_on_node(const Problem& problem, const Machine& machine) {
  const std::int64_t nodes = machine.topology.nodes;
  return std::min(problem.ranks,
                  std::max(problem.ranks_per_node, divided_up(problem.ranks, nodes)));
}

std::int64_t working_on_node(const Problem& problem, const Layout& layout, const Machine& machine) {
  const std::int64_t working = std::max<std::int64_t>(1, layout.ranks() - layout.empty_ranks());
  return std::min(ranks_on_node(problem, machine), working);
}

double time_against_one_core(const Problem& problem, std::int64_t working, const Machine& machine) {
  const auto threads = static_cast<double>(problem.threads);
  const double busy = threads * static_cast<double>(working);
  return std::max(1.0, busy / static_cast<double>(machine.cores_per_node)) / threads;
}

double memory_limit_seconds(double bytes, const Problem& problem, std::int64_t working,
                            const Machine& machine) {
  const std::vector<double>& rates = machine.memory_bytes_per_s;
  const double on_node = bytes * static_cast<double>(working);
  if (rates.empty() || on_node <= static_cast<double>(machine.l3_bytes)) return 0;
  const auto used =
      std::min(static_cast<std::size_t>(busy_cores(problem, working, machine)), rates.size());
  return on_node / rates[used - 1];
}

double moving_seconds(double bytes, Moved moved, const Problem& problem, std::int64_t working,
                      const Machine& machine) {
  const std::int64_t cores = busy_cores(problem, working, machine);
  const double on_node = bytes * static_cast<double>(working);
  const double each = s_per_byte(machine, problem.precision,
                                 on_node / 2 / static_cast<double>(cores), rate_of(moved));
  const double alone = bytes / 2 * each * time_against_one_core(problem, working, machine);
  return std::max(alone, memory_limit_seconds(bytes, problem, working, machine));
}

double handing_over_seconds(double bytes, double array_bytes, const Problem& problem,
                            std::int64_t working, const Machine& machine) {
  const auto cores = static_cast<double>(busy_cores(problem, working, machine));
  const double on_core = array_bytes * static_cast<double>(working) / cores;
  return bytes * time_against_one_core(problem, working, machine) *
         s_per_byte(machine, problem.precision, on_core, &Copying::handed_over_s_per_byte);
}

bool knows_caches(const Machine& machine) { return machine.copying.size() > 1; }

double moving_in_cache_seconds(double bytes, Moved moved, double plane_bytes,
                               const Problem& problem, std::int64_t working,
                               const Machine& machine) {
  if (!knows_caches(machine)) return 0;
  return bytes / 2 * s_per_byte(machine, problem.precision, plane_bytes, rate_of(moved)) *
         time_against_one_core(problem, working, machine);
}

}  // namespace weft::model
