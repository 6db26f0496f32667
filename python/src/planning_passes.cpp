#include "planning_passes.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "common.hpp"
#include "ooc/passes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

using ooc::FftPass;
using ooc::FftPasses;

ooc::OutputOrder order_of(const std::string& word) {
  if (word == "natural") return ooc::OutputOrder::natural;
  if (word == "transposed") return ooc::OutputOrder::transposed;
  throw Error(ErrorCode::invalid_argument,
              "an order must be one of natural, transposed; given \"" + word + "\"; give one");
}

const char* word_of(ooc::Where where) {
  return where == ooc::Where::input ? "input" : where == ooc::Where::output ? "output" : "scratch";
}

FftPasses planned(const Shape& shape, const std::vector<int>& axes, const std::string& precision,
                  bool real_input, const std::string& order, std::int64_t memory_bytes,
                  std::int64_t block_bytes, int threads) {
  return ooc::plan_passes({.shape = shape,
                           .axes = axes,
                           .precision = from_string<Precision>(precision),
                           .order = order_of(order),
                           .real_input = real_input,
                           .memory_bytes = memory_bytes,
                           .block_bytes = block_bytes,
                           .threads = threads});
}

nb::tuple as_tuple(const std::vector<std::int64_t>& values) {
  nb::list list;
  for (const std::int64_t value : values) list.append(value);
  return nb::tuple(list);
}

nb::tuple result_shape(const FftPasses& plan) {
  const Shape& shape = plan.problem.shape;
  if (plan.problem.real_input) return as_tuple({shape[0] / 2 + 1});
  if (plan.transposed_rows == 1) return as_tuple(shape);
  return as_tuple({plan.transposed_rows, shape[0] / plan.transposed_rows});
}

nb::dict pass_of(const FftPasses& plan, const FftPass& pass) {
  const ooc::PassCounts counts = counts_of(plan, pass);
  std::vector<std::int64_t> lengths;
  for (const ooc::PanelAxis& axis : pass.axes) lengths.push_back(axis.length);
  nb::dict found;
  found["radix"] = pass.radix;
  found["lines"] = as_tuple(lengths);
  found["panels"] = counts.panels;
  found["read_runs"] = counts.read_runs;
  found["written_runs"] = counts.written_runs;
  found["shortest_run_bytes"] = counts.shortest_run_bytes;
  found["read_bytes"] = counts.read_bytes;
  found["written_bytes"] = counts.written_bytes;
  found["source"] = word_of(pass.source);
  found["target"] = word_of(pass.target);
  return found;
}

nb::tuple passes_of(const FftPasses& plan) {
  nb::list passes;
  for (const FftPass& pass : plan.passes) passes.append(pass_of(plan, pass));
  return nb::tuple(passes);
}

}  // namespace

void bind_passes(nb::module_& m) {
  nb::class_<FftPasses>(m, "OutOfCorePlan",
                        "The passes of an out-of-core FFT, plain data; from weft.ooc.plan.")
      .def_prop_ro(
          "shape", [](const FftPasses& p) { return as_tuple(p.problem.shape); },
          "Of the input; reals for r2c.")
      .def_prop_ro("result_shape", &result_shape,
                   "Of the output; in transposed order [k1, k2] holds X[k1 + result_shape[0] * "
                   "k2].")
      .def_prop_ro(
          "axes",
          [](const FftPasses& p) {
            return as_tuple({p.problem.axes.begin(), p.problem.axes.end()});
          },
          "Those that are transformed.")
      .def_prop_ro(
          "kind", [](const FftPasses& p) { return p.problem.real_input ? "r2c" : "c2c"; },
          "c2c or r2c.")
      .def_prop_ro(
          "precision", [](const FftPasses& p) { return to_string(p.problem.precision); },
          "f32 or f64.")
      .def_prop_ro(
          "block_bytes", [](const FftPasses& p) { return p.problem.block_bytes; },
          "What no transfer is to be shorter than.")
      .def_prop_ro(
          "threads", [](const FftPasses& p) { return p.problem.threads; }, "That compute.")
      .def_ro("ranks", &FftPasses::ranks, "That the panels are dealt to, each with the memory.")
      .def_prop_ro(
          "pass_count", [](const FftPasses& p) { return p.passes.size(); }, "How many passes.")
      .def_prop_ro("passes", &passes_of,
                   "In their order: radix, lengths of lines, panels, runs read and written, the "
                   "shortest run and all\nbytes of each, and where it reads and writes.")
      .def_prop_ro(
          "read_bytes", [](const FftPasses& p) { return counts_of(p).read_bytes; },
          "Bytes that all passes read.")
      .def_prop_ro(
          "written_bytes", [](const FftPasses& p) { return counts_of(p).written_bytes; },
          "Bytes that all passes write.")
      .def_prop_ro("input_bytes", &FftPasses::input_bytes, "Bytes of the input.")
      .def_prop_ro("output_bytes", &FftPasses::output_bytes, "Bytes of the output.")
      .def_ro("scratch_bytes", &FftPasses::scratch_bytes, "Temporary space on disks.")
      .def_prop_ro(
          "memory_bytes", [](const FftPasses& p) { return ooc::memory_bytes(p); },
          "Memory that the passes hold; tables of the local FFT library are not counted.")
      .def("__repr__", [](const FftPasses& p) {
        return "<weft.ooc.Plan " + to_string(p.problem.shape) + ", " +
               std::to_string(p.passes.size()) + " passes>";
      });
  m.def("plan_out_of_core", &planned, "shape"_a, "axes"_a, "precision"_a, "real_input"_a, "order"_a,
        "memory_bytes"_a, "block_bytes"_a, "threads"_a,
        "Plans the fewest passes over the disks; pure.");
}

}  // namespace weft::python
