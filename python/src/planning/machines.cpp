#include "planning/machines.hpp"

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "plan/prediction_json.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

template <class T>
std::string written(const T& value) {
  return json::write(value).dump();
}

/// Inverse of written().
template <class T>
T read(const std::string& text, T (*read_at)(const json::JsonPlace&)) {
  const json::Json document = json::parse(text, "value");
  return read_at({document, "value"});
}

void bind_machine(nb::module_& m) {
  nb::class_<Machine> bound(
      m, "Machine",
      "The figures of a computer for the cost of a plan: measured, shipped with weft, or written "
      "by "
      "hand.\n\n"
      "A plain value, read and written as JSON; docs/model.md explains its keys.");
  bound.def_ro("name", &Machine::name, "Its name.")
      .def_ro("source", &Machine::source, "Who measured or published its figures.")
      .def_prop_ro(
          "assumed", [](const Machine& m_) { return as_tuple(m_.assumed); },
          "Keys of values that were not measured.")
      .def_prop_ro(
          "nodes", [](const Machine& m_) { return m_.topology.nodes; }, "Number of nodes.")
      .def_ro("cores_per_node", &Machine::cores_per_node, "Cores of a node.")
      .def_prop_ro(
          "network", [](const Machine& m_) { return to_string(m_.topology.network); },
          "crossbar, hub, fat_tree, torus or dragonfly.")
      .def_prop_ro(
          "extents", [](const Machine& m_) { return as_tuple(m_.topology.extents); },
          "Nodes along each axis of a torus.")
      .def_prop_ro(
          "order", [](const Machine& m_) { return m_.topology.order; },
          "Order of ranks over the nodes; empty: the default, or the choice of a plan.")
      .def_prop_ro(
          "default_order", [](const Machine& m_) { return default_order(m_.topology); },
          "The default order: the letters of its network, the fastest first.")
      .def(
          "with_order",
          [](Machine m_, const std::string& order) {
            m_.topology.order = order;
            check(m_);
            return m_;
          },
          "order"_a,
          "Returns the same machine with a fixed order of ranks; empty: plans may choose it.")
      .def(
          "rank_places",
          [](const Machine& m_, std::int64_t ranks, std::int64_t ranks_per_node) {
            nb::list places;
            for (const RankPlace& place : rank_places(m_.topology, ranks, ranks_per_node))
              places.append(nb::make_tuple(place.node, place.slot));
            return nb::tuple(places);
          },
          "ranks"_a, "ranks_per_node"_a,
          "Returns the node of each rank and its number on the node; pure.")
      .def(
          "to_json", [](const Machine& m_) { return to_json(m_); }, "JSON text.")
      .def_static(
          "from_json", [](const std::string& text) { return machine_from_json(text); }, "text"_a,
          "Inverse of to_json. Refuses text that is damaged, of another version or impossible.")
      .def_static(
          "shipped", [](const std::string& name) { return shipped_machine(name); }, "name"_a,
          "Returns a machine that ships with weft.")
      .def_static(
          "names", [] { return as_tuple(shipped_machines()); },
          "Returns the names of the machines that ship with weft.")
      .def("__repr__", [](const Machine& m_) {
        return "<weft.Machine " + m_.name + ", " + std::to_string(m_.topology.nodes) +
               " nodes of " + std::to_string(m_.cores_per_node) + " cores>";
      });
  bind_value(
      bound, [](const Machine& m_) { return to_json(m_); },
      [](const std::string& text) { return machine_from_json(text); });
}

void bind_step(nb::module_& m) {
  nb::class_<StepCost> bound(m, "StepCost",
                             "The predicted time of one stage or exchange, in seconds, on the rank "
                             "that has the most to do.");
  bound.def_ro("name", &StepCost::name, "The stage's number, or the exchange in words.")
      .def_prop_ro(
          "kind", [](const StepCost& s) { return s.is_exchange ? "exchange" : "stage"; },
          "stage or exchange.")
      .def_prop_ro("seconds", &StepCost::seconds, "Total time, less the hidden part.")
      .def_ro("arithmetic_s", &StepCost::arithmetic_s, "Time of a stage's lines in cache.")
      .def_ro("memory_s", &StepCost::memory_s, "Time of moving data in memory.")
      .def_ro("start_s", &StepCost::start_s, "Time of starting an exchange's messages.")
      .def_ro("wire_s", &StepCost::wire_s, "Time of an exchange's bytes on the busiest link.")
      .def_ro("processor_s", &StepCost::processor_s, "Processor time of an exchange's bytes.")
      .def_ro("hidden_s", &StepCost::hidden_s, "Part of an exchange that overlaps with stages.")
      .def_ro("bytes", &StepCost::bytes, "Bytes that a stage moves or an exchange sends.")
      .def_ro("messages", &StepCost::messages, "Messages of the rank.")
      .def_prop_ro(
          "limit", [](const StepCost& s) { return to_string(s.limit); },
          "The largest part of the time: arithmetic, memory, latency, bandwidth, congestion or "
          "nothing.")
      .def_ro("where", &StepCost::where, "The link that limits an exchange.")
      .def("__repr__", [](const StepCost& s) {
        return "<weft.StepCost " + s.name + ", " + std::to_string(s.seconds()) + " s>";
      });
  bind_value(bound, &written<StepCost>,
             [](const std::string& text) { return read(text, &json::read_step); });
}

void bind_alternative(nb::module_& m) {
  nb::class_<Alternative> bound(m, "Alternative",
                                "Another plan for the same problem, and its disadvantage.");
  bound.def_ro("way", &Alternative::way, "The plan's layouts and exchanges in words.")
      .def_ro("seconds", &Alternative::seconds, "Predicted time.")
      .def_ro("loses_by", &Alternative::loses_by, "The largest part of the difference in time.")
      .def_ro("measured_s", &Alternative::measured_s, "Time in a trial; 0: not tried.")
      .def("__repr__", [](const Alternative& a) {
        return "<weft.Alternative " + a.way + ", " + std::to_string(a.seconds) + " s>";
      });
  bind_value(bound, &written<Alternative>,
             [](const std::string& text) { return read(text, &json::read_alternative); });
}

void bind_prediction(nb::module_& m) {
  nb::class_<Prediction> bound(m, "Prediction",
                               "The prediction of the model for a plan on a machine.");
  bound.def_ro("machine", &Prediction::machine, "The machine's name.")
      .def_prop_ro(
          "seconds", [](const Prediction& p) { return p.cost.seconds(); }, "Time of one forward.")
      .def_prop_ro(
          "steps", [](const Prediction& p) { return as_tuple(p.cost.steps); },
          "Stages and exchanges in the order of forward.")
      .def_prop_ro(
          "call_s", [](const Prediction& p) { return p.cost.call_s; },
          "Time in which all ranks agree on the call.")
      .def_prop_ro(
          "alternatives", [](const Prediction& p) { return as_tuple(p.alternatives); },
          "The next best plans, fastest first.")
      .def_ro("considered", &Prediction::considered, "Number of plans that were compared.")
      .def_ro("measured_s", &Prediction::measured_s, "Time in a trial; 0: not tried.")
      .def_ro("order", &Prediction::order, "Order of ranks over the nodes; empty: the default.")
      .def_ro("default_order_s", &Prediction::default_order_s,
              "Time of the plan in the default order; 0: `order` is the default.")
      .def("__repr__", [](const Prediction& p) {
        return "<weft.Prediction " + std::to_string(p.cost.seconds()) + " s on " + p.machine + ">";
      });
  bind_value(bound, &written<Prediction>,
             [](const std::string& text) { return read(text, &json::read_prediction); });
}

}  // namespace

void bind_machines(nb::module_& m) {
  bind_machine(m);
  bind_step(m);
  bind_alternative(m);
  bind_prediction(m);
}

}  // namespace weft::python
