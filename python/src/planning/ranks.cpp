#include "planning/ranks.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "common.hpp"
#include "ooc/plan/distribute_plan.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {

ooc::OwnershipPtr to_ownership(const ArrayStorage& given, int ranks) {
  const auto& [bytes, lead, block, disks, processors, band, skew] = given;
  if (block == 0) return ooc::owned_by_parts(lead, bytes, ranks);
  const Striping striping = {.bytes = bytes,
                             .block_bytes = block,
                             .disks = disks,
                             .processors = processors,
                             .band_bytes = band,
                             .skew_rows = skew};
  check(striping);
  return ooc::owned_by_disks(striping, ranks);
}

namespace {

/// Messages and bytes of all ranks together.
std::pair<std::int64_t, std::int64_t> traffic(const ooc::KPassPlan& plan, const ArrayStorage& input,
                                              const ArrayStorage& output) {
  ooc::RankTraffic all;
  for (const ooc::RankTraffic& sent :
       traffic_of(plan, to_ownership(input, plan.ranks), to_ownership(output, plan.ranks)))
    all += sent;
  return {all.messages, all.bytes};
}

std::vector<std::int64_t> scratch_of_rank(const ooc::KPassPlan& plan, int rank) {
  std::vector<std::int64_t> bytes;
  for (int k = 0; k < ooc::scratch_volumes; ++k) bytes.push_back(scratch_bytes(plan, rank, k));
  return bytes;
}

}  // namespace

void bind_rank_passes(nb::module_& m) {
  m.def(
      "distribute_passes",
      [](const ooc::KPassPlan& plan, int ranks, const std::optional<ArrayStorage>& array) {
        return distribute_plan(plan, ranks, array ? to_ownership(*array, ranks) : nullptr);
      },
      "plan"_a, "ranks"_a, "array"_a.none() = nb::none(),
      "Returns the plan for `ranks` ranks, each with the plan's memory. `array` describes an "
      "array\ntransformed in place, as for traffic_of_ranks. Pure.");
  m.def("traffic_of_ranks", &traffic, "plan"_a, "input"_a, "output"_a,
        "Returns the messages and bytes that all ranks send. Arrays are described by bytes, "
        "first\nbyte, block bytes (0: a plain file), disks, processors, band bytes, skew rows.");
  m.def("scratch_of_rank", &scratch_of_rank, "plan"_a, "rank"_a,
        "Returns the bytes of a rank's temporary files.");
  m.def(
      "disks_of_rank",
      [](int disks, int ranks, int rank) {
        const ooc::Share own = ooc::disks_of_rank(disks, ranks, rank);
        return std::pair(own.first, own.end);
      },
      "disks"_a, "ranks"_a, "rank"_a,
      "Returns the first disk of a rank, and the disk after its last one.");
}

}  // namespace weft::python
