// weft._running: transforms, redistribution and their machine. Links MPI.
#include <cstdint>

#include "api/call_time.hpp"
#include "api/handle.hpp"
#include "api/line_engines.hpp"
#include "api/local_machine.hpp"
#include "api/redistribute.hpp"
#include "comm/agreement.hpp"
#include "comm/collective_call.hpp"
#include "comm/environment.hpp"
#include "comm/node_memory.hpp"
#include "comm/placement.hpp"
#include "common.hpp"
#include "kernel/cache.hpp"
#include "kernel/engine.hpp"
#include "kernel/instruction_sets.hpp"
#include "kernel/transpose.hpp"
#include "probe/lines_in_cache.hpp"
#include "probe/probe.hpp"
#include "running/field_work.hpp"
#include "running/halo.hpp"
#include "running/handles.hpp"
#include "running/memory.hpp"
#include "running/ooc.hpp"
#include "running/operators.hpp"
#include "running/poisson.hpp"
#include "running/ranks.hpp"
#include "running/records.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using weft::python::Bounds;
using weft::python::GivenError;
using weft::python::group_of;
using weft::python::pointer;
using weft::python::to_error;
using weft::python::writable;

namespace {

/// output.empty() returns an array in node memory, and so does a call without `out`.
constexpr bool outputs_in_node_memory = true;

weft::PlanBy plan_by_of(const std::string& word) {
  if (word == "local") return weft::PlanBy::local;
  return word == "fixed-rule" ? weft::PlanBy::fixed_rule : weft::PlanBy::by_default;
}

nb::list records_of(const weft::api::Handle& handle) {
  std::vector<weft::StepRecord> records;
  {
    const nb::gil_scoped_release release;
    records = handle.record_now();
  }
  nb::list steps;
  for (const weft::StepRecord& r : records) {
    nb::dict step;
    step["name"] = r.name;
    step["kind"] = r.is_exchange ? "exchange" : "stage";
    step["start_s"] = r.start_s;
    step["end_s"] = r.end_s;
    step["bytes_read"] = r.bytes_read;
    step["bytes_written"] = r.bytes_written;
    step["bytes_sent"] = r.bytes_sent;
    step["messages"] = r.messages;
    step["bytes_from_others"] = r.bytes_from_others;
    step["waited_s"] = r.waited_s;
    step["under_way_s"] = r.under_way_s;
    steps.append(step);
  }
  return steps;
}

void bind_fft(nb::module_& m) {
  using weft::api::Handle;
  nb::class_<Handle> bound(m, "Handle",
                           "A plan bound to a communicator; weft.FFT is its interface.");
  weft::python::refuse_pickles(bound, "a transform",
                               "send its plan, and bind it there with weft.FFT.of_plan");
  bound
      .def(
          "__init__",
          [](Handle* self, const std::optional<weft::Problem>& problem, const std::string& engine,
             bool own_workspace, std::optional<weft::Machine> machine, const std::string& plan_by,
             double budget_s, const std::string& wisdom, std::optional<int> comm,
             const GivenError& error) {
            weft::Planning planning{.machine = std::move(machine),
                                    .plan_by = plan_by_of(plan_by),
                                    .budget_s = budget_s,
                                    .wisdom = wisdom};
            nb::gil_scoped_release release;
            new (self) Handle(problem.value_or(weft::Problem{}),
                              {engine, own_workspace, std::move(planning), outputs_in_node_memory},
                              group_of(comm), to_error(error));
          },
          "problem"_a.none(), "engine"_a, "own_workspace"_a, "machine"_a.none(), "plan_by"_a,
          "budget_s"_a, "wisdom"_a, "comm"_a.none(), "error"_a.none(),
          "Collective. `error` is an error that this rank found in its arguments.")
      .def(
          "__init__",
          [](Handle* self, const std::optional<weft::Plan>& plan, const std::string& engine,
             bool own_workspace, std::optional<int> comm, const GivenError& error) {
            nb::gil_scoped_release release;
            new (self) Handle(plan.value_or(weft::Plan{}), Handle::Options{engine, own_workspace},
                              group_of(comm), to_error(error));
          },
          "plan"_a.none(), "engine"_a, "own_workspace"_a, "comm"_a.none(), "error"_a.none(),
          "Collective: binds an existing plan.")
      .def_prop_ro(
          "plan", [](const Handle& h) { return h.plan(); }, "The plan.")
      .def_prop_ro(
          "rank", [](const Handle& h) { return h.comm().rank(); }, "This rank.")
      .def_prop_ro(
          "size", [](const Handle& h) { return h.comm().size(); }, "Number of ranks.")
      .def_prop_ro("workspace_bytes", &Handle::workspace_bytes,
                   nb::call_guard<nb::gil_scoped_release>(), "Bytes of this rank's workspace.")
      .def_prop_ro("inplace_bytes", &Handle::inplace_bytes,
                   "Bytes for this rank's input and output in the same memory.")
      .def_prop_ro(
          "inplace_strides", &Handle::inplace_real_strides,
          "Strides in elements of the input of this rank when it shares memory with the output.")
      .def_prop_ro(
          "inplace_output_strides", &Handle::inplace_output_strides,
          "Strides in elements of the output of this rank when it shares memory with the input.")
      .def(
          "use_workspace",
          [](Handle& h, std::uintptr_t address, std::int64_t bytes) {
            nb::gil_scoped_release release;
            h.use_workspace(writable(address), bytes);
          },
          "address"_a, "bytes"_a, "Sets the caller's memory as the workspace.")
      .def(
          "execute",
          [](Handle& h, bool forward, std::uintptr_t in, std::uintptr_t out,
             const GivenError& error) {
            nb::gil_scoped_release release;
            h.execute(forward ? weft::Direction::forward : weft::Direction::backward, pointer(in),
                      writable(out), to_error(error));
          },
          "forward"_a, "input"_a, "output"_a, "error"_a.none(),
          "Collective: transforms an array; in place if both addresses are equal.")
      .def(
          "execute_many",
          [](Handle& h, bool forward, const std::vector<std::uintptr_t>& in,
             const std::vector<std::uintptr_t>& out, const GivenError& error) {
            std::vector<const void*> inputs;
            std::vector<void*> outputs;
            for (const std::uintptr_t address : in) inputs.push_back(pointer(address));
            for (const std::uintptr_t address : out) outputs.push_back(writable(address));
            nb::gil_scoped_release release;
            h.execute_many(forward ? weft::Direction::forward : weft::Direction::backward, inputs,
                           outputs, to_error(error));
          },
          "forward"_a, "inputs"_a, "outputs"_a, "error"_a.none(),
          "Collective: transforms arrays; one is exchanged while the next is transformed.")
      .def_prop_rw("recording", &Handle::recording, &Handle::set_recording,
                   nb::call_guard<nb::gil_scoped_release>(), "Whether steps are timed.")
      .def("record", &records_of, "Returns the steps of the last recorded run.")
      .def("explain", &Handle::explain, nb::call_guard<nb::gil_scoped_release>(),
           "Describes the plan and its reasons.");
  weft::python::bind_field_work(m, bound);
  weft::python::bind_operators(m);
}

/// A thread's turn on a communicator, for Python functions that make several calls.
class Turn {
 public:
  explicit Turn(std::optional<int> comm) : comm_(comm) {}
  void enter() {
    nb::gil_scoped_release release;
    held_.emplace(group_of(comm_));
  }
  void leave() { held_.reset(); }

 private:
  std::optional<int> comm_;
  std::optional<weft::comm::Turn> held_;
};

void bind_turn(nb::module_& m) {
  nb::class_<Turn>(m, "Turn", "A with statement in which other threads do not call a communicator.")
      .def(nb::init<std::optional<int>>(), "comm"_a.none())
      .def("__enter__", &Turn::enter)
      .def("__exit__", [](Turn& turn, const nb::args&) { turn.leave(); });
}

void bind_collectives(nb::module_& m) {
  m.def(
      "redistribute",
      [](std::uintptr_t source, const weft::Layout& from, std::uintptr_t target,
         const weft::Layout& to, std::int64_t element_bytes, std::optional<int> comm,
         const GivenError& error) {
        nb::gil_scoped_release release;
        weft::api::redistribute(pointer(source), from, writable(target), to, element_bytes,
                                group_of(comm), to_error(error));
      },
      "source"_a, "from_layout"_a, "target"_a, "to_layout"_a, "element_bytes"_a, "comm"_a.none(),
      "error"_a.none(), "Collective: moves an array from one layout to another.");
  m.def(
      "layout_of_local_boxes",
      [](const weft::Shape& shape, const Bounds& box, const std::vector<int>& order,
         std::optional<int> comm, const GivenError& error) {
        nb::gil_scoped_release release;
        return weft::api::layout_of_local_boxes(shape, weft::python::to_box(box), group_of(comm),
                                                order, to_error(error));
      },
      "shape"_a, "box"_a, "order"_a, "comm"_a.none(), "error"_a.none(),
      "Collective: returns the layout in which every rank owns the box that it passes.");
  m.def(
      "agree",
      [](std::optional<int> comm, const std::string& call, const GivenError& error) {
        nb::gil_scoped_release release;
        const auto group = group_of(comm);
        const weft::comm::CollectiveCall turn(group, call, to_error(error));
      },
      "comm"_a.none(), "call"_a, "error"_a.none(),
      "Collective: all ranks raise if any has an error, or if they are in different calls.");
  bind_turn(m);
  m.def(
      "broadcast_text",
      [](std::optional<int> comm, std::string text, int root) {
        nb::gil_scoped_release release;
        group_of(comm).broadcast(text, root);
        return text;
      },
      "comm"_a.none(), "text"_a, "root"_a, "Collective: returns the text of `root`.");
  m.def(
      "node_memory_kind",
      [](std::optional<int> comm) {
        nb::gil_scoped_release release;
        return std::string(weft::comm::to_string(weft::comm::node_memory_kind(group_of(comm))));
      },
      "comm"_a.none(), "Collective: returns the kind of memory that the ranks of this node share.");
  m.def(
      "rank_of", [](std::optional<int> comm) { return group_of(comm).rank(); }, "comm"_a.none(),
      "Returns the number of this rank.");
  m.def(
      "size_of", [](std::optional<int> comm) { return group_of(comm).size(); }, "comm"_a.none(),
      "Returns the number of ranks.");
  m.def(
      "ranks_per_node",
      [](std::optional<int> comm) {
        nb::gil_scoped_release release;
        return weft::comm::placement(group_of(comm)).ranks_per_node;
      },
      "comm"_a.none(), "Collective: returns the ranks of the node with the most ranks.");
}

void bind_environment(nb::module_& m) {
  m.def(
      "probe",
      [](const std::string& name, const std::string& source, double seconds, int threads,
         const std::vector<std::string>& directories, std::optional<int> comm,
         const GivenError& error) {
        nb::gil_scoped_release release;
        const auto group = group_of(comm);
        const weft::comm::CollectiveCall call(group, "probe", to_error(error));
        weft::Machine machine = weft::probe::measure({.name = name,
                                                      .source = source,
                                                      .seconds = seconds,
                                                      .threads = threads,
                                                      .extent = weft::probe::extent_for(seconds),
                                                      .directories = directories},
                                                     group);
        weft::api::measure_call(machine, group, threads);
        return machine;
      },
      "name"_a, "source"_a, "seconds"_a, "threads"_a, "directories"_a, "comm"_a.none(),
      "error"_a.none(), "Collective: measures the machine of the ranks.");
  m.def(
      "local_machine",
      [](int threads, std::optional<int> comm, const GivenError& error) {
        nb::gil_scoped_release release;
        const auto group = group_of(comm);
        const weft::comm::CollectiveCall call(group, "local_machine", to_error(error));
        return weft::api::local_machine(group, threads);
      },
      "threads"_a, "comm"_a.none(), "error"_a.none(),
      "Collective: returns the machine of the ranks, from the cache or from a short measurement.");
  m.def("known_local_machine", &weft::api::known_local_machine, "ranks"_a, "threads"_a,
        "Returns the machine in the cache for this number of ranks; None if there is none.");
  m.def(
      "yardstick",
      [](const std::string& precision, double seconds, int threads, std::optional<int> comm) {
        nb::gil_scoped_release release;
        const auto extent =
            weft::probe::yardstick_extent(weft::from_string<weft::Precision>(precision));
        return weft::probe::measure({.name = "yardstick",
                                     .source = "",
                                     .seconds = seconds,
                                     .threads = threads,
                                     .extent = extent},
                                    group_of(comm));
      },
      "precision"_a, "seconds"_a, "threads"_a, "comm"_a.none(),
      "Collective: measures a few figures of the machine for a calibration.");
  m.def(
      "with_handing_over_now",
      [](const weft::Machine& machine, const std::string& precision, double seconds, int threads,
         std::optional<int> comm) {
        nb::gil_scoped_release release;
        return weft::probe::with_handing_over_now(machine,
                                                  weft::from_string<weft::Precision>(precision),
                                                  seconds, threads, group_of(comm));
      },
      "machine"_a, "precision"_a, "seconds"_a, "threads"_a, "comm"_a.none(),
      "Collective: returns the machine with a new measurement of the cost of reading from other "
      "ranks.");
  using weft::probe::LinesInCache;
  nb::class_<LinesInCache>(m, "LinesInCache",
                           "The arithmetic of a forward transform, on lines that stay in cache.")
      .def(
          "__init__",
          [](LinesInCache* self, const weft::Plan& plan) {
            const nb::gil_scoped_release release;
            new (self) LinesInCache(plan, weft::api::local_options(plan));
          },
          "plan"_a)
      .def("run", &LinesInCache::run, nb::call_guard<nb::gil_scoped_release>(),
           "Transforms all lines of the busiest rank once.");
  m.def("mpi_library", &weft::comm::mpi_library_version,
        "Returns the description of the MPI library, in one line.");
  m.def("mpi_standard", &weft::comm::mpi_standard_version,
        "Returns the version of the MPI standard.");
  m.def("mpi_is_running", &weft::comm::is_running,
        "Returns True between MPI_Init and MPI_Finalize.");
  m.def("transpose_instructions", &weft::kernel::transpose_instructions,
        "Returns the instructions that transpose tiles: avx512, avx2 or portable.");
  m.def(
      "instruction_set",
      [] { return std::string(weft::kernel::to_string(weft::kernel::instruction_set())); },
      "Returns the instruction set that kernels use: v1, v3 or v4.");
  m.def("engines", &weft::kernel::engine_names,
        "Returns the local FFT libraries of this build, the default first.");
  m.def(
      "engine_description",
      [](const std::string& name) { return weft::kernel::engine(name).description(); }, "name"_a,
      "Returns the version and instruction sets of a local FFT library.");
  m.def("set_count_limit", &weft::comm::set_count_limit, "elements"_a,
        "Sets the largest count of one MPI call, for tests; 0 restores the default.");
  m.def(
      "duplicates", [] { return weft::comm::communicator_counts().duplicates; },
      "Returns the number of duplicates of communicators that weft holds.");
  m.attr("mpiexec") = WEFT_MPIEXEC;
  m.attr("compiler") = __VERSION__;
}

}  // namespace

NB_MODULE(_running, m) {
  m.doc() = "Transforms and redistribution of weft, over MPI.";
  nb::module_::import_("weft._planning");  // registers the types of layouts and plans
  weft::python::translate_errors();
  bind_fft(m);
  weft::python::bind_halo(m);
  weft::python::bind_poisson(m);
  bind_collectives(m);
  bind_environment(m);
  weft::python::bind_memory(m);
  weft::python::bind_ooc_runs(m);
  weft::python::bind_ooc_runs_on_ranks(m);
  weft::python::bind_records(m);
}
