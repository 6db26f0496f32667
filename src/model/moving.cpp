#include "model/moving.hpp"

#include <algorithm>
#include <cmath>

#include "model/between.hpp"

namespace weft::model {
namespace {

double rate_of(const Copying& copying, bool transposed) {
  return transposed ? copying.transposed_s_per_byte : copying.contiguous_s_per_byte;
}

/// The sizes of the precision, or of the one with the next number of bytes.
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

/// Between the two sizes that were measured next to it on a logarithmic scale.
double copying_s_per_byte(const Machine& machine, Precision precision, double bytes,
                          bool transposed) {
  const std::vector<Copying> all = copying_of(machine, precision);
  return between(all, bytes, [](const Copying& each) { return each.bytes; })
      .mean([&](const Copying& each) { return rate_of(each, transposed); });
}

}  // namespace

std::int64_t ranks_on_node(const Problem& problem, const Machine& machine) {
  const std::int64_t nodes = machine.topology.nodes;
  return std::min(problem.ranks,
                  std::max(problem.ranks_per_node, (problem.ranks + nodes - 1) / nodes));
}

std::int64_t working_on_node(const Problem& problem, const Layout& layout, const Machine& machine) {
  const std::int64_t working = std::max<std::int64_t>(1, layout.ranks() - layout.empty_ranks());
  return std::min(ranks_on_node(problem, machine), working);
}

double share_of_core(const Problem& problem, std::int64_t working, const Machine& machine) {
  const auto threads = static_cast<double>(problem.threads);
  const double busy = threads * static_cast<double>(working);
  return std::max(1.0, busy / static_cast<double>(machine.cores_per_node)) / threads;
}

double moving_seconds(double bytes, bool transposed, const Problem& problem, std::int64_t working,
                      const Machine& machine) {
  const std::int64_t cores =
      std::min(machine.cores_per_node, working * std::int64_t{problem.threads});
  const double on_node = bytes * static_cast<double>(working);
  const double each = copying_s_per_byte(machine, problem.precision,
                                         on_node / 2 / static_cast<double>(cores), transposed);
  const double alone = bytes / 2 * each * share_of_core(problem, working, machine);
  const std::vector<double>& rates = machine.memory_bytes_per_s;
  if (rates.empty() || on_node <= static_cast<double>(machine.l3_bytes)) return alone;
  const auto used = std::min(static_cast<std::size_t>(cores), rates.size());
  return std::max(alone, on_node / rates[used - 1]);
}

double moving_in_cache_seconds(double bytes, double plane_bytes, const Problem& problem,
                               std::int64_t working, const Machine& machine) {
  if (machine.copying.size() < 2) return 0;
  return bytes / 2 * copying_s_per_byte(machine, problem.precision, plane_bytes, true) *
         share_of_core(problem, working, machine);
}

}  // namespace weft::model
