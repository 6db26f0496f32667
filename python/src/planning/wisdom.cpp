#include "planning/wisdom.hpp"

#include <weft/wisdom.hpp>

#include "planner/describe.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

void bind_identity(nb::module_& m) {
  nb::class_<MachineIdentity> bound(
      m, "MachineIdentity",
      "The properties of a machine that decide the fastest plan: names, versions and "
      "sizes,\n"
      "but no measured figures.");
  bound.def_ro("weft", &MachineIdentity::weft, "Version of weft.")
      .def_ro("processor", &MachineIdentity::processor, "Its name in the system.")
      .def_ro("cores_per_node", &MachineIdentity::cores_per_node, "Cores of a node.")
      .def_ro("l2_bytes", &MachineIdentity::l2_bytes, "Cache of one core.")
      .def_ro("l3_share_bytes", &MachineIdentity::l3_share_bytes,
              "Part of the last cache for each core that shares it.")
      .def_ro("transposes", &MachineIdentity::transposes, "Instructions that transpose tiles.")
      .def_ro("engine", &MachineIdentity::engine, "The local FFT library and its version.")
      .def_ro("mpi", &MachineIdentity::mpi, "The MPI library and its version.")
      .def_ro("nodes", &MachineIdentity::nodes, "Number of nodes of the ranks.")
      .def_ro("ranks_per_node", &MachineIdentity::ranks_per_node,
              "Ranks of the node with the most ranks.")
      .def_ro("placement", &MachineIdentity::placement, "blocks, cyclic or other.")
      .def_ro("fabric", &MachineIdentity::fabric,
              "The network between the nodes, and settings that choose it.")
      .def(
          "to_json", [](const MachineIdentity& i) { return to_json(i); }, "JSON text.")
      .def_static(
          "from_json", [](const std::string& text) { return machine_identity_from_json(text); },
          "text"_a, "Inverse of to_json. Refuses text that is damaged or impossible.")
      .def("__repr__", [](const MachineIdentity& i) {
        return "<weft.MachineIdentity " + std::to_string(i.nodes) + " nodes of " + i.processor +
               ">";
      });
  bind_value(
      bound, [](const MachineIdentity& i) { return to_json(i); },
      [](const std::string& text) { return machine_identity_from_json(text); });
}

/// Returns an entry as JSON: wisdom with this single entry.
std::string text_of_entry(const WisdomEntry& entry) {
  Wisdom alone;
  alone.add(entry);
  return to_json(alone);
}

WisdomEntry entry_of_text(const std::string& text) {
  return wisdom_from_json(text).entries().at(0);
}

void bind_entry(nb::module_& m) {
  nb::class_<WisdomEntry> bound(m, "WisdomEntry",
                                "The fastest plan of trials, and the machine of these trials.");
  bound.def_ro("machine", &WisdomEntry::machine, "The machine of the trials.")
      .def_ro("plan", &WisdomEntry::plan, "The fastest plan.")
      .def_prop_ro(
          "problem", [](const WisdomEntry& e) { return e.plan.problem; },
          "The problem of the plan.")
      .def_prop_ro(
          "measured_s",
          [](const WisdomEntry& e) {
            return e.plan.prediction ? e.plan.prediction->measured_s : 0;
          },
          "Seconds of one forward transform in the trials; 0: not known.")
      .def_prop_ro(
          "way", [](const WisdomEntry& e) { return planner::describe(e.plan); },
          "The plan's layouts and exchanges in words, in one line.")
      .def("__repr__", [](const WisdomEntry& e) {
        return "<weft.WisdomEntry " + to_string(e.plan.problem.shape) + " on " +
               std::to_string(e.plan.problem.ranks) + " ranks>";
      });
  bind_value(bound, &text_of_entry, &entry_of_text);
}

}  // namespace

void bind_wisdom(nb::module_& m) {
  bind_identity(m);
  bind_entry(m);
  nb::class_<Wisdom>(m, "WisdomData", "The entries of weft.Wisdom.")
      .def(nb::init<>())
      .def(
          "entries",
          [](const Wisdom& w) {
            nb::list list;
            for (WisdomEntry& entry : w.entries()) list.append(nb::cast(std::move(entry)));
            return nb::tuple(list);
          },
          "Returns all entries.")
      .def("__len__", &Wisdom::size)
      .def("merge", &Wisdom::merge, "other"_a, "Adds all entries of `other`.")
      .def(
          "to_json", [](const Wisdom& w) { return to_json(w); }, "JSON text.")
      .def_static(
          "from_json", [](const std::string& text) { return wisdom_from_json(text); }, "text"_a,
          "Inverse of to_json.")
      .def_static("read", &read_wisdom, "path"_a, "Reads a file; empty if there is none.")
      .def(
          "write", [](const Wisdom& w, const std::string& path) { write_wisdom(path, w); },
          "path"_a, "Replaces the wisdom in a file.")
      .def(
          "merge_into", [](const Wisdom& w, const std::string& path) { merge_into_file(path, w); },
          "path"_a, "Adds the entries to the wisdom in a file.")
      .def(
          "__eq__", [](const Wisdom& a, const Wisdom& b) { return a == b; }, nb::is_operator());
}

}  // namespace weft::python
