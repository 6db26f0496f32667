#include "running_ooc.hpp"

#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "common.hpp"
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

ooc::PassesFiles files_of(const Stored& input, const Stored& output,
                          const std::vector<std::string>& scratch_directories,
                          const std::string& backend) {
  return {.input = to_stored(input),
          .output = to_stored(output),
          .scratch_directories = scratch_directories,
          .backend = disk::backend_from_string(backend)};
}

ooc::PassesOptions options_of(const std::string& effort, int sign, double scale,
                              const nb::object& progress) {
  return {.effort = from_string<Effort>(effort),
          .sign = sign,
          .scale = scale,
          .on_panel = [&progress](const ooc::PassProgress& at) { tell(progress, at); }};
}

nb::dict as_dict(const ooc::PassesOutcome& outcome) {
  nb::dict moved;
  moved["memory_bytes"] = outcome.held_bytes;
  moved["read_bytes"] = outcome.bytes_read;
  moved["written_bytes"] = outcome.bytes_written;
  moved["backend"] = disk::to_string(outcome.backend);
  return moved;
}

namespace {

nb::dict run(const ooc::FftPasses& plan, const Stored& input, const Stored& output,
             const std::vector<std::string>& scratch_directories, const std::string& backend,
             const std::string& effort, int sign, double scale, const nb::object& progress,
             bool moves_only) {
  const ooc::PassesFiles files = files_of(input, output, scratch_directories, backend);
  ooc::PassesOptions options = options_of(effort, sign, scale, progress);
  options.moves_only = moves_only;
  ooc::PassesOutcome outcome;
  {
    const nb::gil_scoped_release release;
    outcome = ooc::run_on_files(plan, files, options);
  }
  return as_dict(outcome);
}

}  // namespace

void bind_ooc_runs(nb::module_& m) {
  m.def("run_out_of_core", &run, "plan"_a, "input"_a, "output"_a, "scratch_directories"_a,
        "backend"_a, "effort"_a, "sign"_a, "scale"_a, "progress"_a.none(), "moves_only"_a = false,
        "Executes the passes of a plan on files that are there; weft.ooc.fft is its face.");
}

}  // namespace weft::python
