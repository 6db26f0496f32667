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
nb::tuple as_tuple(const std::vector<T>& values) {
  nb::list list;
  for (const T& value : values) list.append(nb::cast(value));
  return nb::tuple(list);
}

template <class T>
std::string written(const T& value) {
  return json::write(value).dump();
}

/// The inverse of written().
template <class T>
T read(const std::string& text, T (*read_at)(const json::JsonPlace&)) {
  const json::Json document = json::parse(text, "value");
  return read_at({document, "value"});
}

void bind_machine(nb::module_& m) {
  nb::class_<Machine> bound(
      m, "Machine",
      "What the cost of a plan is computed from: measured, shipped with weft, or written by "
      "hand.\n\n"
      "A plain value, read and written as JSON; docs/model.md says what its keys mean.");
  bound.def_ro("name", &Machine::name, "What it is called.")
      .def_ro("source", &Machine::source, "Who measured or printed its figures.")
      .def_prop_ro(
          "assumed", [](const Machine& m_) { return as_tuple(m_.assumed); },
          "Keys whose values nobody measured.")
      .def_prop_ro(
          "nodes", [](const Machine& m_) { return m_.topology.nodes; }, "How many nodes it has.")
      .def_ro("cores_per_node", &Machine::cores_per_node, "Cores of a node.")
      .def_prop_ro(
          "network", [](const Machine& m_) { return to_string(m_.topology.network); },
          "crossbar, hub, fat_tree, torus or dragonfly.")
      .def_prop_ro(
          "extents", [](const Machine& m_) { return as_tuple(m_.topology.extents); },
          "Of a torus: nodes along each axis.")
      .def_prop_ro(
          "order", [](const Machine& m_) { return m_.topology.order; },
          "In which order ranks run over the nodes; empty: the default one, or what a plan "
          "chooses.")
      .def_prop_ro(
          "default_order", [](const Machine& m_) { return default_order(m_.topology); },
          "The letters of its network, the fastest first: ranks where nobody says otherwise.")
      .def(
          "with_order",
          [](Machine m_, const std::string& order) {
            m_.topology.order = order;
            check(m_);
            return m_;
          },
          "order"_a, "The same with its ranks in an order that a plan then keeps; empty: in none.")
      .def(
          "rank_places",
          [](const Machine& m_, std::int64_t ranks, std::int64_t ranks_per_node) {
            nb::list places;
            for (const RankPlace& place : rank_places(m_.topology, ranks, ranks_per_node))
              places.append(nb::make_tuple(place.node, place.slot));
            return nb::tuple(places);
          },
          "ranks"_a, "ranks_per_node"_a, "The node of each rank and its number there; pure.")
      .def(
          "to_json", [](const Machine& m_) { return to_json(m_); }, "JSON text.")
      .def_static(
          "from_json", [](const std::string& text) { return machine_from_json(text); }, "text"_a,
          "Inverse of to_json. Refuses text that is damaged, of another version or impossible.")
      .def_static(
          "shipped", [](const std::string& name) { return shipped_machine(name); }, "name"_a,
          "A machine that ships with weft.")
      .def_static(
          "names", [] { return as_tuple(shipped_machines()); }, "The machines that ship with weft.")
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
      .def_prop_ro("seconds", &StepCost::seconds, "All of it, less what is hidden.")
      .def_ro("arithmetic_s", &StepCost::arithmetic_s, "Of a stage: the lines.")
      .def_ro("memory_s", &StepCost::memory_s, "Moving data between memory and cache.")
      .def_ro("start_s", &StepCost::start_s, "Of an exchange: starting messages.")
      .def_ro("wire_s", &StepCost::wire_s, "Of an exchange: bytes on the busiest link.")
      .def_ro("processor_s", &StepCost::processor_s, "Of an exchange: receiving bytes.")
      .def_ro("hidden_s", &StepCost::hidden_s, "Of an exchange: goes on while stages compute.")
      .def_ro("bytes", &StepCost::bytes, "Read and written by a stage; sent by an exchange.")
      .def_ro("messages", &StepCost::messages, "Sent by the rank.")
      .def_prop_ro(
          "limit", [](const StepCost& s) { return to_string(s.limit); },
          "What most of the time goes to: arithmetic, memory, latency, bandwidth, congestion or "
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
                                "Another way to do the same, and what it would lose.");
  bound.def_ro("way", &Alternative::way, "Its layouts and exchanges in words.")
      .def_ro("seconds", &Alternative::seconds, "Predicted.")
      .def_ro("loses_by", &Alternative::loses_by, "Where most of the difference lies.")
      .def_ro("measured_s", &Alternative::measured_s, "In a trial; 0: not tried.")
      .def("__repr__", [](const Alternative& a) {
        return "<weft.Alternative " + a.way + ", " + std::to_string(a.seconds) + " s>";
      });
  bind_value(bound, &written<Alternative>,
             [](const std::string& text) { return read(text, &json::read_alternative); });
}

void bind_prediction(nb::module_& m) {
  nb::class_<Prediction> bound(m, "Prediction", "What the model says of a plan on a machine.");
  bound.def_ro("machine", &Prediction::machine, "The machine's name.")
      .def_prop_ro(
          "seconds", [](const Prediction& p) { return p.cost.seconds(); }, "Of one forward.")
      .def_prop_ro(
          "steps", [](const Prediction& p) { return as_tuple(p.cost.steps); },
          "Stages and exchanges in the order of forward.")
      .def_prop_ro(
          "call_s", [](const Prediction& p) { return p.cost.call_s; },
          "In which all ranks agree on the call.")
      .def_prop_ro(
          "alternatives", [](const Prediction& p) { return as_tuple(p.alternatives); },
          "The next best ways, fastest first.")
      .def_ro("considered", &Prediction::considered, "How many ways were priced.")
      .def_ro("measured_s", &Prediction::measured_s, "In a trial; 0: not tried.")
      .def_ro("order", &Prediction::order,
              "In which order ranks run over the nodes; empty: the default one.")
      .def_ro("default_order_s", &Prediction::default_order_s,
              "What the plan would take in the default order; 0: this is it.")
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
