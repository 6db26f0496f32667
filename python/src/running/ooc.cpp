#include "running/ooc.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common.hpp"
#include "kernel/engine.hpp"
#include "ooc/run/run_on_files.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

ooc::StoredArray to_stored(const Stored& given) {
  const auto& [path, is_set, offset, bytes] = given;
  return {.path = path, .is_set = is_set, .offset = offset, .bytes = bytes};
}

void tell(const nb::object& progress, const ooc::PassProgress& at) {
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  if (!progress.is_none()) progress(at.pass, at.passes, at.panels_done, at.panels);
}

}  // namespace

ooc::PassFiles files_of(const Stored& input, const Stored& output,
                        const std::vector<std::string>& scratch_directories,
                        const std::string& backend) {
  return {.input = to_stored(input),
          .output = to_stored(output),
          .scratch_directories = scratch_directories,
          .backend = disk::backend_from_string(backend)};
}

ooc::PassOptions options_of(const RunSettings& settings, const nb::object& progress) {
  return {.effort = from_string<Effort>(settings.effort),
          .sign = settings.sign,
          .scale = settings.scale,
          .orthogonal = settings.orthogonal,
          .on_panel = [&progress](const ooc::PassProgress& at) { tell(progress, at); }};
}

ooc::PassProgress start_of(const std::tuple<std::int64_t, std::int64_t, bool>& given) {
  return {.pass = std::get<0>(given),
          .panels_done = std::get<1>(given),
          .has_journal = std::get<2>(given)};
}

ooc::Checkpoints checkpoints_of(const nb::object& keeper) {
  return {.is_due =
              [&keeper] {
                const nb::gil_scoped_acquire held;
                return nb::cast<bool>(keeper.attr("is_due")());
              },
          .keep =
              [&keeper](const ooc::PassProgress& at) {
                const nb::gil_scoped_acquire held;
                const nb::object error =
                    keeper.attr("keep")(at.pass, at.panels_done, at.has_journal);
                if (const auto failed = to_error(nb::cast<GivenError>(error))) throw Error(*failed);
              }};
}

nb::dict as_dict(const ooc::PassOutcome& outcome) {
  nb::dict moved;
  moved["memory_bytes"] = outcome.held_bytes;
  moved["read_bytes"] = outcome.bytes_read;
  moved["written_bytes"] = outcome.bytes_written;
  moved["backend"] = disk::to_string(outcome.backend);
  moved["found_not_finite"] = outcome.found_not_finite;
  return moved;
}

namespace {

nb::dict run_passes(const ooc::KPassPlan& plan, const Stored& input, const Stored& output,
                    const RunSettings& settings, const nb::object& progress, bool moves_only,
                    const std::optional<Stored>& scratch,
                    const std::tuple<std::int64_t, std::int64_t, bool>& start,
                    const nb::object& keeper) {
  ooc::PassFiles files = files_of(input, output, settings.scratch_directories, settings.backend);
  if (scratch) files.scratch = to_stored(*scratch);
  ooc::PassOptions options = options_of(settings, progress);
  options.moves_only = moves_only;
  options.start = start_of(start);
  files.checks_output = !keeper.is_none() && !plan.problem.in_place;
  if (!keeper.is_none()) options.checkpoints = checkpoints_of(keeper);
  ooc::PassOutcome outcome;
  {
    const nb::gil_scoped_release release;
    outcome = ooc::run_on_files(plan, files, options);
  }
  return as_dict(outcome);
}

}  // namespace

void bind_ooc_runs(nb::module_& m) {
  nb::class_<RunSettings>(m, "RunSettings", "Options of passes, the same on every rank.")
      .def(
          "__init__",
          [](RunSettings* self, std::vector<std::string> scratch_directories, std::string backend,
             std::string effort, int sign, double scale, bool orthogonal) {
            new (self) RunSettings{std::move(scratch_directories),
                                   std::move(backend),
                                   std::move(effort),
                                   sign,
                                   scale,
                                   orthogonal};
          },
          "scratch_directories"_a, "backend"_a, "effort"_a, "sign"_a, "scale"_a, "orthogonal"_a);
  m.def("run_passes", &run_passes, "plan"_a, "input"_a, "output"_a, "settings"_a,
        "progress"_a.none(), "moves_only"_a = false, "scratch"_a.none() = nb::none(),
        "start"_a = std::tuple<std::int64_t, std::int64_t, bool>(0, 0, false),
        "keeper"_a.none() = nb::none(),
        "Executes the passes of a plan on existing files, from the panel `start` on; "
        "weft.ooc.fft is its interface.");
  m.def(
      "engine_learnt",
      [](const std::string& precision) {
        return kernel::default_engine().learnt(from_string<Precision>(precision));
      },
      "precision"_a, "Returns the wisdom of the local FFT library.");
  m.def(
      "engine_learn",
      [](const std::string& precision, const std::string& text) {
        kernel::default_engine().learn(from_string<Precision>(precision), text);
      },
      "precision"_a, "text"_a, "Imports wisdom of the local FFT library from another process.");
  m.def(
      "engine_description", [] { return kernel::default_engine().description(); },
      "Returns the library, its version and instruction sets.");
}

}  // namespace weft::python
