#include "planning/ooc.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common.hpp"
#include "ooc/plan/k_pass_planner.hpp"
#include "ooc/plan/kinds.hpp"
#include "ooc/plan/pass_plan.hpp"
#include "ooc/plan/pass_plan_json.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

using ooc::KPass;
using ooc::KPassPlan;

/// Replaces r2c by c2r in the words of kinds, if the transform is an inverse.
std::string named_in_direction(const ooc::KPassProblem& problem, std::string words) {
  const auto at = problem.real_input ? std::string::npos : words.find("r2c");
  return at == std::string::npos ? words : words.replace(at, 3, "c2r");
}

std::string kind_of(const KPassPlan& plan) {
  return named_in_direction(plan.problem, to_string(kinds_of(plan.problem)));
}

nb::tuple kind_of_each(const KPassPlan& plan) {
  nb::list words;
  const weft::Kinds kinds = kinds_of(plan.problem);
  for (const Kind kind : kinds.each())
    words.append(named_in_direction(plan.problem, to_string(kind)));
  return nb::tuple(words);
}

weft::Kinds to_kinds(const std::vector<std::string>& words) {
  std::vector<Kind> each;
  for (const std::string& word : words) each.push_back(from_string<Kind>(word));
  return weft::Kinds(std::move(each));
}

std::int64_t logical_length(const std::string& kind, std::int64_t length) {
  return traits_of(from_string<Kind>(kind)).logical_length(length);
}

/// The operator's name and its numbers; axis and order of a derivative; the lengths of the box.
using GivenFilter =
    std::tuple<std::string, std::vector<double>, int, std::int64_t, std::vector<double>>;

ooc::SpectralFilter to_filter(const GivenFilter& given) {
  const auto& [kind, numbers, axis, order, lengths] = given;
  return {from_string<ooc::FilterKind>(kind), numbers, axis, order, lengths};
}

nb::object filter_of(const KPassPlan& plan) {
  if (!plan.problem.filter) return nb::none();
  const ooc::SpectralFilter& filter = *plan.problem.filter;
  nb::dict found;
  found["operator"] = to_string(filter.kind);
  found["numbers"] = nb::cast(filter.numbers);
  if (filter.kind == ooc::FilterKind::derivative) {
    found["axis"] = filter.axis;
    found["order"] = filter.order;
  }
  found["lengths"] = nb::cast(filter.lengths);
  return found;
}

KPassPlan planned_passes(const Shape& shape, const std::vector<int>& axes,
                         const std::string& precision, const std::vector<std::string>& kinds,
                         bool inverse, const std::string& element, const std::string& order,
                         std::int64_t memory_bytes, std::int64_t block_bytes, int threads,
                         bool preserve_inputs, const std::string& input_type, bool in_place,
                         const std::optional<GivenFilter>& filter) {
  ooc::KPassProblem problem{.shape = shape,
                            .axes = axes,
                            .precision = from_string<Precision>(precision),
                            .order = from_string<ooc::OutputOrder>(order),
                            .memory_bytes = memory_bytes,
                            .block_bytes = block_bytes,
                            .threads = threads,
                            .preserve_inputs = preserve_inputs,
                            .in_place = in_place,
                            .input_type = input_type.empty()
                                              ? std::nullopt
                                              : std::optional(ooc::element_type(input_type)),
                            .filter = filter ? std::optional(to_filter(*filter)) : std::nullopt};
  ooc::set_kinds(problem, to_kinds(kinds), inverse ? Direction::backward : Direction::forward,
                 from_string<Element>(element));
  return ooc::plan_passes(problem);
}

nb::tuple result_shape(const KPassPlan& plan) {
  const Shape& shape = plan.problem.shape;
  if (plan.problem.filter) return as_tuple(shape);
  if (plan.problem.real_input) return as_tuple(complex_shape(plan.problem));
  if (plan.transposed_rows == 1) return as_tuple(shape);
  return as_tuple(Shape{plan.transposed_rows, shape[0] / plan.transposed_rows});
}

nb::dict pass_of(const KPassPlan& plan, const KPass& pass) {
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
  found["journal_bytes"] = counts.journal_bytes;
  found["source"] = to_string(pass.source);
  found["target"] = to_string(pass.target);
  if (plan.problem.filter) found["filters"] = pass.filters;
  return found;
}

nb::tuple passes_of(const KPassPlan& plan) {
  nb::list passes;
  for (const KPass& pass : plan.passes) passes.append(pass_of(plan, pass));
  return nb::tuple(passes);
}

}  // namespace

void bind_passes(nb::module_& m) {
  nb::class_<KPassPlan> bound(
      m, "OutOfCorePlan",
      "Plan of the passes of an out-of-core FFT, as plain data. weft.ooc.plan() "
      "returns it.");
  bound
      .def_prop_ro(
          "shape", [](const KPassPlan& p) { return as_tuple(p.problem.shape); },
          "Shape of the array of reals for r2c and c2r, otherwise of the input.")
      .def_prop_ro("result_shape", &result_shape,
                   "Shape of the output. In transposed order, element [k1, k2] is number "
                   "k1 + result_shape[0] * k2 of the spectrum.")
      .def_prop_ro(
          "axes", [](const KPassPlan& p) { return as_tuple(p.problem.axes); }, "Transformed axes.")
      .def_prop_ro(
          "kind", &kind_of,
          "The kinds in words: one word for all axes, or one for each. An inverse has the inverse "
          "kinds.")
      .def_prop_ro("kinds", &kind_of_each,
                   "The kind of each transformed axis. An inverse has the inverse kinds.")
      .def_prop_ro(
          "filter", &filter_of,
          "The operator of a filter with its numbers, axis, order and lengths, as a dict. None "
          "for a transform.")
      .def_prop_ro(
          "writes_reals", [](const KPassPlan& p) { return p.problem.real_output; },
          "Whether the output has real numbers.")
      .def_prop_ro(
          "precision", [](const KPassPlan& p) { return to_string(p.problem.precision); },
          "f32 or f64.")
      .def_prop_ro(
          "block_bytes", [](const KPassPlan& p) { return p.problem.block_bytes; },
          "Wanted minimum transfer size. Some transfers may be smaller; see shortest_run_bytes.")
      .def_prop_ro(
          "threads", [](const KPassPlan& p) { return p.problem.threads; },
          "Number of threads that compute.")
      .def_prop_ro(
          "preserve_inputs", [](const KPassPlan& p) { return p.problem.preserve_inputs; },
          "Whether passes can be repeated: each keeps its input, or first writes its results to a "
          "journal.")
      .def_prop_ro(
          "in_place", [](const KPassPlan& p) { return p.problem.in_place; },
          "Whether the output takes the place of the input.")
      .def_ro("ranks", &KPassPlan::ranks, "Number of ranks. Each may use the memory of the plan.")
      .def_prop_ro(
          "pass_count", [](const KPassPlan& p) { return p.passes.size(); }, "Number of passes.")
      .def_prop_ro(
          "passes", &passes_of,
          "A dict for each pass, in order: radix, lengths of lines, counts of panels, runs and "
          "bytes,\nthe shortest run, source and target.")
      .def_prop_ro(
          "read_bytes", [](const KPassPlan& p) { return counts_of(p).read_bytes; },
          "Bytes that all passes read.")
      .def_prop_ro(
          "written_bytes", [](const KPassPlan& p) { return counts_of(p).written_bytes; },
          "Bytes that all passes write, with those of the journal.")
      .def_prop_ro(
          "journal_bytes", [](const KPassPlan& p) { return counts_of(p).journal_bytes; },
          "Bytes that passes write to the journal, so that these passes can be repeated.")
      .def_ro("convolution_points", &KPassPlan::convolution_points,
              "Length of the transforms of Bluestein's algorithm; 0: not used.")
      .def_ro("kernel_passes", &KPassPlan::kernel_passes,
              "The first kernel_passes passes make the kernel of the convolution.")
      .def_prop_ro("input_bytes", &KPassPlan::input_bytes, "Bytes of the input.")
      .def_prop_ro("output_bytes", &KPassPlan::output_bytes, "Bytes of the output.")
      .def_ro("scratch_bytes", &KPassPlan::scratch_bytes, "Temporary space on disks.")
      .def_prop_ro(
          "memory_bytes", [](const KPassPlan& p) { return ooc::memory_bytes(p); },
          "Memory of the pass that needs most, without tables of the local FFT library.")
      .def(
          "to_json", [](const KPassPlan& p) { return ooc::to_json(p); }, "JSON text.")
      .def_static(
          "from_json", [](const std::string& text) { return ooc::plan_from_json(text); }, "text"_a,
          "Inverse of to_json. Refuses damaged text, unknown keys and inconsistent plans.")
      .def("__repr__", [](const KPassPlan& p) {
        return "<weft.ooc.OutOfCorePlan " + to_string(p.problem.shape) + ", " +
               std::to_string(p.passes.size()) + " passes>";
      });
  bind_value(
      bound, [](const KPassPlan& plan) { return ooc::to_json(plan); },
      [](const std::string& text) { return ooc::plan_from_json(text); });
  m.def("plan_passes", &planned_passes, "shape"_a, "axes"_a, "precision"_a, "kinds"_a, "inverse"_a,
        "element"_a, "order"_a, "memory_bytes"_a, "block_bytes"_a, "threads"_a,
        "preserve_inputs"_a = false, "input_type"_a = "", "in_place"_a = false,
        "filter"_a = nb::none(), "Plans the fewest passes over the disks. Pure.");
  m.def("logical_length", &logical_length, "kind"_a, "length"_a,
        "Returns the factor of a forward transform and an unscaled inverse of a line. Pure.");
}

}  // namespace weft::python
