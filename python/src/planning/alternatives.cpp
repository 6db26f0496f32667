#include "planning/alternatives.hpp"

#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <string>
#include <vector>

#include <weft/machine.hpp>

#include "common.hpp"
#include "model/cost.hpp"
#include "ooc/plan/cost.hpp"
#include "ooc/plan/distributed_cost.hpp"
#include "ooc_choice/alternatives.hpp"
#include "planning/ranks.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

using Numbers = std::vector<std::size_t>;

/// Returns the disks of each array. `places` has the index of each disk in the machine's list, -1
/// for an assumed disk.
model::DiskAssignment to_disk_assignment(const Machine& machine, const std::vector<int>& places,
                                         const Numbers& input, const Numbers& output,
                                         const Numbers& scratch, bool asynchronous) {
  return {.disks = model::disks_of(machine, places),
          .input = input,
          .output = output,
          .scratch = scratch,
          .asynchronous = asynchronous};
}

nb::dict as_dict(const ooc::KPassCost& cost) {
  nb::dict found;
  found["read_s"] = cost.read_s;
  found["write_s"] = cost.write_s;
  found["arithmetic_s"] = cost.arithmetic_s;
  found["memory_s"] = cost.memory_s;
  found["message_s"] = cost.message_s;
  found["ends_s"] = cost.ends_s;
  found["seconds"] = cost.seconds;
  found["limit"] = ooc::to_string(cost.limit);
  return found;
}

nb::list as_list(const ooc::KPassPlanCost& cost) {
  nb::list passes;
  for (const ooc::KPassCost& each : cost.passes) passes.append(as_dict(each));
  return passes;
}

nb::list costs(const ooc::KPassPlan& plan, const Machine& machine, const std::vector<int>& places,
               const Numbers& input, const Numbers& output, const Numbers& scratch,
               bool asynchronous) {
  return as_list(ooc::cost_of(
      plan, machine, to_disk_assignment(machine, places, input, output, scratch, asynchronous)));
}

nb::list costs_on_ranks(const ooc::KPassPlan& plan, std::int64_t ranks_per_node,
                        const ArrayStorage& source, const ArrayStorage& target,
                        const Machine& machine, const std::vector<int>& places,
                        const Numbers& input, const Numbers& output, const Numbers& scratch,
                        bool asynchronous) {
  return as_list(ooc::distributed_cost(
      plan, ranks_per_node, machine,
      to_disk_assignment(machine, places, input, output, scratch, asynchronous),
      to_ownership(source, plan.ranks), to_ownership(target, plan.ranks)));
}

nb::dict as_dict(const ooc_choice::DiskAlternative& alternative) {
  nb::dict found;
  found["method"] = alternative.method;
  found["words"] = alternative.words;
  found["passes"] = alternative.passes;
  found["block_bytes"] = alternative.block_bytes;
  found["seconds"] = alternative.seconds;
  found["disk_s"] = alternative.disk_s;
  found["compute_s"] = alternative.compute_s;
  found["message_s"] = alternative.message_s;
  found["ineligible_because"] = alternative.ineligible_because;
  found["loses_by"] = alternative.loses_by;
  return found;
}

nb::tuple alternatives(const ooc::KPassPlan& plan, bool blocks_are_free, const Machine& machine,
                       const std::vector<int>& places, const Numbers& input, const Numbers& output,
                       const Numbers& scratch, bool asynchronous) {
  const ooc_choice::DiskAlternatives found = ooc_choice::find_disk_alternatives(
      plan.problem, blocks_are_free, machine,
      to_disk_assignment(machine, places, input, output, scratch, asynchronous));
  nb::list others;
  for (const ooc_choice::DiskAlternative& alternative : found.others)
    others.append(as_dict(alternative));
  return nb::make_tuple(*found.best.plan, others, found.considered);
}

}  // namespace

void bind_alternatives(nb::module_& m) {
  m.def("predict_passes", &costs, "plan"_a, "machine"_a, "places"_a, "input"_a, "output"_a,
        "scratch"_a, "asynchronous"_a, "Predicts the time of each pass; pure.");
  m.def("predict_passes_on_ranks", &costs_on_ranks, "plan"_a, "ranks_per_node"_a, "source"_a,
        "target"_a, "machine"_a, "places"_a, "input"_a, "output"_a, "scratch"_a, "asynchronous"_a,
        "Predicts the time of each pass of a plan on ranks, for arrays described as "
        "for\ntraffic_of_ranks; pure.");
  m.def("find_disk_alternatives", &alternatives, "plan"_a, "blocks_are_free"_a, "machine"_a,
        "places"_a, "input"_a, "output"_a, "scratch"_a, "asynchronous"_a,
        "Returns the fastest plan for the problem of a plan, the next best plans, and the number "
        "of\ncompared plans; pure.");
  m.def(
      "message_seconds",
      [](const Machine& machine, bool within_node, std::int64_t messages, std::int64_t bytes) {
        return model::message_seconds(within_node ? machine.within_node : machine.between_nodes,
                                      messages, bytes);
      },
      "machine"_a, "within_node"_a, "messages"_a, "bytes"_a,
      "Predicts the time of messages from their total bytes and their average length; pure.");
}

}  // namespace weft::python
