// weft._planning: layouts, problems and plans. Links no MPI.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>

#include <nanobind/stl/array.h>
#include <weft/machine.hpp>
#include <weft/plan.hpp>
#include <weft/round_trip.hpp>

#include "common.hpp"
#include "plan/parts_json.hpp"
#include "planner/decision.hpp"
#include "planning/alternatives.hpp"
#include "planning/bmmc.hpp"
#include "planning/disks.hpp"
#include "planning/layouts.hpp"
#include "planning/machines.hpp"
#include "planning/ooc.hpp"
#include "planning/ranks.hpp"
#include "planning/superlevels.hpp"
#include "planning/wisdom.hpp"
#include "planning/words.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using weft::python::as_tuple;

namespace {

/// output.empty() returns an array in node memory, and so does a call without `out`.
constexpr weft::planner::Freedom outputs_of_python{.outputs_in_node_memory = true};

/// Returns the address of an array. The buffer protocol takes a fifth of the time of
/// `__array_interface__`, but it refuses some dtypes.
std::uintptr_t start_of(nb::handle array) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_STRIDES) == 0) {
    const auto start = reinterpret_cast<std::uintptr_t>(buffer.buf);
    PyBuffer_Release(&buffer);
    return start;
  }
  PyErr_Clear();
  return nb::cast<std::uintptr_t>(array.attr("__array_interface__")["data"][0]);
}

weft::Kinds kinds_of(const std::vector<std::string>& words) {
  std::vector<weft::Kind> each;
  for (const std::string& word : words) each.push_back(weft::from_string<weft::Kind>(word));
  return weft::Kinds(std::move(each));
}

/// Returns the shape of the output for axes that are not checked yet.
weft::Shape output_shape(const weft::Shape& shape, const std::vector<int>& axes,
                         const std::vector<std::string>& kinds,
                         const std::vector<std::int64_t>& modes) {
  weft::Problem problem;
  problem.shape = shape;
  problem.axes = axes;
  problem.kinds = kinds_of(kinds);
  problem.modes = modes;
  return checked(problem).output_shape();
}

/// Returns the shape of the input for axes that are not checked yet.
weft::Shape input_shape(const weft::Shape& shape, const std::vector<int>& axes,
                        const std::vector<std::int64_t>& support) {
  weft::Problem problem;
  problem.shape = shape;
  problem.axes = axes;
  problem.support = support;
  return checked(problem).input_shape();
}

weft::Problem make_problem(const weft::Shape& shape, const std::vector<int>& axes,
                           const std::vector<std::string>& kinds, const std::string& element,
                           const std::vector<std::int64_t>& modes,
                           const std::vector<std::int64_t>& support, std::int64_t components,
                           const std::string& precision, std::int64_t ranks,
                           std::int64_t ranks_per_node, std::optional<weft::Layout> input,
                           bool all_ranks, const std::string& output_choice,
                           std::optional<weft::Layout> output, const std::string& norm, int sign,
                           int threads, const std::string& effort, bool overwrite_input,
                           const weft::Exchange& exchange) {
  weft::Problem problem;
  problem.shape = shape;
  problem.axes = axes;
  problem.kinds = kinds_of(kinds);
  problem.element = weft::from_string<weft::Element>(element);
  problem.modes = modes;
  problem.support = support;
  problem.components = components;
  problem.precision = weft::from_string<weft::Precision>(precision);
  problem.ranks = ranks;
  problem.ranks_per_node = ranks_per_node;
  problem.has_input = input.has_value();
  if (input) problem.input = *input;
  problem.all_ranks = all_ranks;
  problem.output_choice = weft::from_string<weft::OutputChoice>(output_choice);
  if (output) problem.output = *output;
  problem.norm = weft::from_string<weft::Norm>(norm);
  problem.sign = sign;
  problem.threads = threads;
  problem.effort = weft::from_string<weft::Effort>(effort);
  problem.overwrite_input = overwrite_input;
  problem.exchange = exchange;
  return problem;
}

void bind_problem(nb::module_& m) {
  using weft::Problem;
  nb::class_<Problem> bound(m, "Problem",
                            "A transform to plan: the array, its layout, and the wanted output.");
  bound
      .def_prop_ro(
          "shape", [](const Problem& p) { return as_tuple(p.shape); }, "Extents of the grid.")
      .def_prop_ro(
          "axes", [](const Problem& p) { return as_tuple(p.axes); }, "Transformed axes.")
      .def_prop_ro(
          "kinds",
          [](const Problem& p) {
            std::vector<std::string> words;
            for (const weft::Kind kind : p.kinds.each()) words.push_back(weft::to_string(kind));
            return as_tuple(words);
          },
          "The kind of each of the axes.")
      .def_prop_ro(
          "kind", [](const Problem& p) { return weft::to_string(p.kinds); },
          "The kinds in words: r2c if the last axis is r2c and the others c2c.")
      .def_prop_ro(
          "modes",
          [](const Problem& p) {
            std::vector<std::int64_t> modes;
            for (const int axis : p.axes) modes.push_back(p.modes_of(axis));
            return as_tuple(modes);
          },
          "The number of wavenumbers of the spectrum along each of the axes.")
      .def_prop_ro(
          "support",
          [](const Problem& p) {
            std::vector<std::int64_t> support;
            for (const int axis : p.axes) support.push_back(p.support_of(axis));
            return as_tuple(support);
          },
          "The number of points of the array in space along each of the axes.")
      .def_prop_ro(
          "components",
          [](const Problem& p) {
            return p.components > 0 ? std::optional<std::int64_t>(p.components) : std::nullopt;
          },
          "Extent of the arrays' leading axis, which every rank holds whole; None if there is "
          "none.")
      .def_prop_ro(
          "halved_axis",
          [](const Problem& p) {
            return p.has_halved_axis() ? std::optional<int>(p.halved_axis()) : std::nullopt;
          },
          "The axis of kind r2c, which is halved; None if there is none.")
      .def_prop_ro(
          "precision", [](const Problem& p) { return weft::to_string(p.precision); },
          "f32, f64 or f80.")
      .def_ro("ranks", &Problem::ranks, "Number of ranks.")
      .def_ro("all_ranks", &Problem::all_ranks,
              "Whether every rank gets a part of an input that weft chooses.")
      .def_ro("ranks_per_node", &Problem::ranks_per_node, "Ranks of a node, which share memory.")
      .def_prop_ro(
          "norm", [](const Problem& p) { return weft::to_string(p.norm); },
          "Which direction scales.")
      .def_ro("sign", &Problem::sign, "Sign of the exponent of forward.")
      .def_ro("threads", &Problem::threads, "Threads of a rank.")
      .def_prop_ro(
          "effort", [](const Problem& p) { return weft::to_string(p.effort); },
          "The search for a plan: estimate, measure or exhaustive.")
      .def_ro("overwrite_input", &Problem::overwrite_input, "True when the input may be destroyed.")
      .def(
          "to_json", [](const Problem& p) { return weft::to_json(p); }, "JSON text.")
      .def_static(
          "from_json", [](const std::string& text) { return weft::problem_from_json(text); },
          "text"_a, "Inverse of to_json. Refuses text that is damaged, and an impossible problem.")
      .def("__repr__", [](const Problem& p) {
        return "<weft.Problem " + weft::to_string(p.kinds) + " " + weft::to_string(p.shape) + " " +
               weft::to_string(p.precision) + " on " + std::to_string(p.ranks) + " ranks>";
      });
  weft::python::bind_value(
      bound, [](const Problem& p) { return weft::to_json(p); },
      [](const std::string& text) { return weft::problem_from_json(text); });
  m.def("output_shape", &output_shape, "shape"_a, "axes"_a, "kinds"_a, "modes"_a,
        "Returns the shape of the output of a transform of these axes.");
  m.def("input_shape", &input_shape, "shape"_a, "axes"_a, "support"_a,
        "Returns the shape of the input of a transform of these axes.");
  m.def("make_problem", &make_problem, "shape"_a, "axes"_a, "kinds"_a, "element"_a, "modes"_a,
        "support"_a, "components"_a, "precision"_a, "ranks"_a, "ranks_per_node"_a, "input"_a.none(),
        "all_ranks"_a, "output_choice"_a, "output"_a.none(), "norm"_a, "sign"_a, "threads"_a,
        "effort"_a, "overwrite_input"_a, "exchange"_a,
        "Collects the options of a transform; checked when it is planned.");
  m.def("with_layouts_like", &weft::with_layouts_like, "problem"_a, "other"_a,
        "Takes the layouts of another plan for the sides whose global arrays have the same shape.");
}

void bind_stage(nb::module_& m) {
  using weft::Stage;
  nb::class_<Stage> bound(m, "Stage", "The transforms that are done in one layout.");
  bound.def_ro("source", &Stage::source, "Layout before the transforms.")
      .def_ro("target", &Stage::target,
              "Layout after the transforms; its extents differ if the stage halves, pads or "
              "truncates an axis, or views one axis as two.")
      .def_ro("twiddles", &Stage::twiddles,
              "Whether element (k1, j2) is multiplied by exp(sign*2*pi*i*k1*j2/n).")
      .def_ro("folds", &Stage::folds,
              "Whether the columns of axis 1 leave the stage in the order 0, n2-1, 1, n2-2, ...")
      .def_ro("chirps", &Stage::chirps,
              "Whether the stage is the first or last one of a convolution, with the chirp.")
      .def_ro("convolves", &Stage::convolves,
              "Whether lines are transformed, multiplied by a spectrum, and transformed back.")
      .def_prop_ro(
          "axes", [](const Stage& s) { return as_tuple(s.axes); }, "Axes in the order of forward.")
      .def_prop_ro(
          "source_element", [](const Stage& s) { return weft::to_string(s.source_element); },
          "The numbers of the array before the stage, forward: real or complex.")
      .def_prop_ro(
          "target_element", [](const Stage& s) { return weft::to_string(s.target_element); },
          "The numbers of the array after the stage.")
      .def("__repr__", [](const Stage& s) {
        std::string axes;
        for (int axis : s.axes) axes += (axes.empty() ? "" : ", ") + std::to_string(axis);
        return "<weft.Stage axes (" + axes + ") of " + s.source.describe() + ">";
      });
  weft::python::bind_value(
      bound, [](const Stage& s) { return weft::to_json(s); },
      [](const std::string& text) { return weft::stage_from_json(text); });
}

void bind_exchange(nb::module_& m) {
  using weft::Exchange;
  nb::class_<Exchange> bound(m, "PlannedExchange",
                             "An exchange of a plan: it moves the array from the layout of one "
                             "stage to that of the next.");
  bound
      .def_prop_ro(
          "method", [](const Exchange& e) { return weft::to_string(e.method); },
          "Word of the method; docs/exchanges.md explains it.")
      .def_prop_ro(
          "wire_form", [](const Exchange& e) { return weft::to_string(e.wire_form); },
          "packed or datatype; automatic where the method has none.")
      .def_prop_ro(
          "schedule", [](const Exchange& e) { return weft::to_string(e.schedule); },
          "Order of the messages: pairwise, cyclic or scattered; automatic where the method has "
          "none.")
      .def_prop_ro(
          "requests", [](const Exchange& e) { return weft::to_string(e.requests); },
          "ordinary or persistent; automatic where the method has none.")
      .def_ro("chunks", &Exchange::chunks, "Parts in which the array is sent.")
      .def_prop_ro(
          "nodes", [](const Exchange& e) { return weft::to_string(e.nodes); },
          "The exchange within a node: unaware, separate or combined; automatic where the method "
          "has none.")
      .def_prop_ro(
          "wire", [](const Exchange& e) { return weft::to_string(e.wire); },
          "same, or f32: doubles are sent as floats.")
      .def_ro("piece_bytes", &Exchange::piece_bytes,
              "Largest number of bytes of a piece of a block; 0: whole blocks.")
      .def(
          "describe", [](const Exchange& e) { return weft::describe(e); },
          "The method and its other choices in words.")
      .def("__repr__",
           [](const Exchange& e) { return "<weft.PlannedExchange " + weft::describe(e) + ">"; });
  weft::python::bind_value(
      bound, [](const Exchange& e) { return weft::to_json(e); },
      [](const std::string& text) { return weft::exchange_from_json(text); });
}

void bind_engines(nb::module_& m) {
  using weft::EngineVersion;
  using weft::LineEngine;
  nb::class_<LineEngine> lines(m, "LineEngine",
                               "The engine of the local FFTs along lines of one kind and length.");
  lines
      .def_prop_ro(
          "kind", [](const LineEngine& e) { return weft::to_string(e.kind); },
          "c2c, or r2c for both directions.")
      .def_ro("length", &LineEngine::length, "Points of a line, real ones for r2c.")
      .def_ro("lines", &LineEngine::lines,
              "Lines of the trial: as many as a rank has, at most 32 MiB.")
      .def_ro("across_memory", &LineEngine::across_memory,
              "Whether elements that are adjacent in memory belong to adjacent lines.")
      .def_ro("engine", &LineEngine::engine, "Name of the engine.")
      .def_ro("across_tile", &LineEngine::across_tile,
              "Whether lines are copied to a tile in cache without transposing them.")
      .def("__repr__", [](const LineEngine& e) {
        return std::string("<weft.LineEngine ") + weft::to_string(e.kind) + " of " +
               std::to_string(e.length) + " points" + (e.across_memory ? " across memory" : "") +
               " by " + e.engine + (e.across_tile ? ", not transposed" : "") + ">";
      });
  weft::python::bind_value(
      lines, [](const LineEngine& e) { return weft::to_json(e); },
      [](const std::string& text) { return weft::line_engine_from_json(text); });
  nb::class_<EngineVersion> engine(
      m, "EngineVersion",
      "A library of local FFTs of a plan, or weft itself for products with twiddles.");
  engine.def_ro("name", &EngineVersion::name, "fftw, ducc0 or weft.")
      .def_ro("library", &EngineVersion::library, "Version and instruction sets.")
      .def("__repr__", [](const EngineVersion& e) {
        return "<weft.EngineVersion " + e.name + ": " + e.library + ">";
      });
  weft::python::bind_value(
      engine, [](const EngineVersion& e) { return weft::to_json(e); },
      [](const std::string& text) { return weft::engine_version_from_json(text); });
}

void bind_plan(nb::module_& m) {
  using weft::Plan;
  bind_stage(m);
  bind_exchange(m);
  bind_engines(m);
  nb::class_<Plan> bound(
      m, "Plan",
      "A list of stages with one exchange between each two: plain data, made without MPI.\n\n"
      "Backward runs the same stages in the opposite order.");
  bound.def_ro("problem", &Plan::problem, "The problem, with defaults filled in.")
      .def_prop_ro(
          "stages", [](const Plan& p) { return as_tuple(p.stages); },
          "The stages in the order of forward.")
      .def_prop_ro(
          "exchanges", [](const Plan& p) { return as_tuple(p.exchanges); },
          "The exchanges between the stages: one fewer than the stages.")
      .def_prop_ro(
          "input", [](const Plan& p) { return p.input(); },
          "Layout of the input of forward, of one component.")
      .def_prop_ro(
          "output", [](const Plan& p) { return p.output(); },
          "Layout of the output of forward, of one component.")
      .def_prop_ro("input_array", &Plan::input_array, "The input with the axis of components.")
      .def_prop_ro("output_array", &Plan::output_array, "The output with the axis of components.")
      .def_prop_ro(
          "line_effort", [](const Plan& p) { return std::string(to_string(p.line_effort)); },
          "Effort for the local FFTs: that of the problem, or less if the budget is too short.")
      .def_ro("chosen_by", &Plan::chosen_by, "fixed rule, model, trials or wisdom.")
      .def_prop_ro(
          "notes", [](const Plan& p) { return as_tuple(p.notes); }, "Remarks on the choice.")
      .def_ro("prediction", &Plan::prediction, "The prediction; None without a machine.")
      .def_prop_ro(
          "line_engines", [](const Plan& p) { return as_tuple(p.line_engines); },
          "The engine of each kind and length of lines; empty until a transform chooses them.")
      .def_prop_ro(
          "engines", [](const Plan& p) { return as_tuple(p.engines); },
          "The engines of line_engines, with their versions.")
      .def(
          "explain", [](const Plan& p) { return weft::explain(p); },
          "Describes the plan and its reasons in a few lines.")
      .def(
          "to_json", [](const Plan& p) { return weft::to_json(p); }, "JSON text.")
      .def_static(
          "from_json", [](const std::string& text) { return weft::plan_from_json(text); }, "text"_a,
          "Inverse of to_json. Refuses text that is damaged, unknown or inconsistent.")
      .def("__repr__", [](const Plan& p) {
        return "<weft.Plan " + weft::to_string(p.problem.shape) + ", " +
               std::to_string(p.stages.size()) + " stages on " + std::to_string(p.problem.ranks) +
               " ranks>";
      });
  weft::python::bind_value(
      bound, [](const Plan& p) { return weft::to_json(p); },
      [](const std::string& text) { return weft::plan_from_json(text); });
  m.def("make_plan", nb::overload_cast<const weft::Problem&>(&weft::make_plan), "problem"_a,
        "Plans a problem by a fixed rule; pure.");
  m.def(
      "make_plan",
      [](const weft::Problem& problem, const weft::Machine& machine, const std::string& note) {
        weft::Plan plan = weft::planner::make_plan(problem, machine, outputs_of_python);
        if (!note.empty()) plan.notes.push_back(note);
        return plan;
      },
      "problem"_a, "machine"_a, "note"_a = "",
      "Plans a problem by a model of the machine; pure. `note` states the origin of the machine.");
  m.def(
      "candidates",
      [](const weft::Problem& problem, const weft::Machine& machine) {
        return as_tuple(weft::planner::candidates(problem, machine, outputs_of_python));
      },
      "problem"_a, "machine"_a,
      "Returns the best plan of each kind, fastest first by the model; pure.");
  m.def("predict", nb::overload_cast<const weft::Plan&, const weft::Machine&>(&weft::predict),
        "plan"_a, "machine"_a, "Predicts the time of a plan; pure.");
  m.def(
      "predict_apply",
      [](const weft::Plan& plan, const weft::Machine& machine, bool in_spectrum,
         const std::array<std::int64_t, 4>& counts, bool has_before, bool has_after) {
        const auto [stored_in, in, out, stored_out] = counts;
        return weft::predict(plan,
                             {in_spectrum ? weft::ApplyIn::spectrum : weft::ApplyIn::space,
                              {stored_in, in, out, stored_out},
                              has_before,
                              has_after},
                             machine);
      },
      "plan"_a, "machine"_a, "in_spectrum"_a, "counts"_a, "has_before"_a, "has_after"_a,
      "Predicts the time of a round trip; pure. `counts`: inputs, fields there and back, outputs.");
}

}  // namespace

NB_MODULE(_planning, m) {
  m.doc() = "Layouts, problems and plans of weft; needs no MPI.";
  // A program may still hold objects when Python ends. This needs no warning.
  nanobind::set_leak_warnings(std::getenv("WEFT_DEBUG") != nullptr);
  weft::python::translate_errors();
  weft::python::bind_layout(m);
  bind_problem(m);
  weft::python::bind_machines(m);
  bind_plan(m);
  weft::python::bind_wisdom(m);
  weft::python::bind_superlevels(m);
  weft::python::bind_bmmc(m);
  weft::python::bind_passes(m);
  weft::python::bind_rank_passes(m);
  weft::python::bind_alternatives(m);
  weft::python::bind_disks(m);
  weft::python::bind_words(m);
  m.def("all_exchanges", &weft::all_exchanges, "problem"_a, "chunks"_a, "piece_bytes"_a = 0,
        "Returns every exchange that can run a problem, in one chunk and in `chunks`, whole and in "
        "pieces.");
  m.def("start_of", &start_of, "array"_a,
        "Returns the address of a numpy array, even of an array without elements.");
  m.attr("EVERY_SLICE") = weft::every_slice;
  m.attr("ALL_MODES") = weft::all_modes;
  m.attr("ALL_POINTS") = weft::all_points;
  m.attr("TWO_THIRDS") = weft::two_thirds;
  m.attr("THREADS_MAX") = weft::threads_max;
  m.attr("version") = WEFT_VERSION;
}
