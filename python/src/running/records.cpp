#include "running/records.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "bmmc/ranks/records_on_files.hpp"
#include "bmmc/run/detect.hpp"
#include "common.hpp"
#include "disk/striped_set.hpp"
#include "planning/bmmc.hpp"
#include "running/handles.hpp"
#include "running/ooc.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

/// Returns a function that reports to `progress`, which must outlive the function.
bmmc::LoadProgress progress_reporter(const nb::object& progress) {
  return [&progress](std::int64_t done, std::int64_t loads) {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    if (!progress.is_none()) progress(done, loads);
  };
}

nb::dict parts_of(const bmmc::SuperlevelTimes& times) {
  nb::dict parts;
  parts["permuting, communication"] = times.permuting_communication_s;
  parts["butterflies, communication"] = times.butterfly_communication_s;
  parts["permuting, the rest"] = times.permuting_rest_s;
  parts["butterflies, computing"] = times.butterfly_compute_s;
  parts["butterflies, reading"] = times.butterfly_read_s;
  parts["butterflies, writing"] = times.butterfly_write_s;
  return parts;
}

nb::dict as_dict(const bmmc::RecordsOutcome& outcome) {
  nb::dict done;
  done["read_bytes"] = outcome.bytes_read;
  done["written_bytes"] = outcome.bytes_written;
  done["parallel_ios"] = outcome.parallel_ios;
  done["messages"] = outcome.permuting.messages + outcome.butterflies.messages;
  done["sent_bytes"] = outcome.permuting.bytes + outcome.butterflies.bytes;
  done["parts"] = parts_of(outcome.times);
  done["backend"] = disk::to_string(outcome.backend);
  done["found_not_finite"] = outcome.found_not_finite;
  return done;
}

nb::dict transform(const bmmc::FftAnalysis& plan, const Stored& input, const Stored& output,
                   const std::vector<std::string>& scratch_directories, const std::string& backend,
                   const std::string& precision, const std::string& effort, int threads, int sign,
                   double scale, const nb::object& progress, const std::optional<int>& comm) {
  const ooc::PassFiles files = files_of(input, output, scratch_directories, backend);
  const bmmc::SuperlevelsOptions options = {
      .local = {.precision = from_string<Precision>(precision),
                .effort = from_string<Effort>(effort),
                .threads = threads},
      .sign = sign,
      .scale = scale,
      .on_load = progress_reporter(progress)};
  bmmc::RecordsOutcome outcome;
  {
    const nb::gil_scoped_release release;
    outcome = bmmc::run_superlevels_on_files(plan, files, options, group_of(comm));
  }
  return as_dict(outcome);
}

nb::dict permute(const PermutationPlan& plan, std::int64_t record_bytes, const Stored& input,
                 const Stored& output, const std::vector<std::string>& scratch_directories,
                 const std::string& backend, const nb::object& progress,
                 const std::optional<int>& comm) {
  const ooc::PassFiles files = files_of(input, output, scratch_directories, backend);
  bmmc::RecordsOutcome outcome;
  {
    const nb::gil_scoped_release release;
    outcome = bmmc::run_permutation_on_files(plan.passes, plan.disks, record_bytes, files,
                                             progress_reporter(progress), group_of(comm));
  }
  return as_dict(outcome);
}

/// If the targets are a permutation over GF(2), returns the rows of its matrix, and its complement.
/// In every case returns the number of parallel reads.
std::tuple<std::optional<std::pair<std::vector<bmmc::Bits>, bmmc::Bits>>, std::int64_t> detected(
    const Stored& targets, std::int64_t block_records, std::int64_t disks,
    const std::string& backend) {
  const auto& [path, is_set, offset, bytes] = targets;
  const disk::SetOptions options = {.backend = disk::backend_from_string(backend), .verify = true};
  const std::int64_t records = bytes / 8;
  const bmmc::DiskModel model = bmmc::disk_model(records, records, block_records, disks, 1);
  bmmc::Detection found;
  {
    const nb::gil_scoped_release release;
    const auto set = is_set ? disk::open_set(path, disk::Mode::read, options)
                            : disk::plain_set(disk::open_data_file(path, disk::Mode::read), offset,
                                              bytes, disk::Mode::read, options);
    found = bmmc::detect(*set, model);
  }
  if (!found.permutation) return {std::nullopt, found.parallel_reads};
  std::vector<bmmc::Bits> rows;
  for (int i = 0; i < model.n; ++i) rows.push_back(found.permutation->matrix.row(i));
  return {std::pair(rows, found.permutation->complement), found.parallel_reads};
}

}  // namespace

void bind_records(nb::module_& m) {
  m.def(
      "check_record_files",
      [](const Stored& input, std::int64_t scratch_directories, int disks,
         std::int64_t block_bytes) {
        const auto& [path, is_set, offset, bytes] = input;
        bmmc::check_record_files({.path = path, .is_set = is_set, .offset = offset, .bytes = bytes},
                                 scratch_directories, disks, block_bytes);
      },
      "input"_a, "scratch_directories"_a, "disks"_a, "block_bytes"_a,
      "Raises InvalidArgument for files that several ranks cannot use together.");
  m.def("run_superlevels", &transform, "plan"_a, "input"_a, "output"_a, "scratch_directories"_a,
        "backend"_a, "precision"_a, "effort"_a, "threads"_a, "sign"_a, "scale"_a,
        "progress"_a.none(), "comm"_a.none(),
        "Executes an FFT by superlevels on existing files; collective with a "
        "communicator.\nweft.ooc.fft is its interface.");
  m.def("run_permutation", &permute, "plan"_a, "record_bytes"_a, "input"_a, "output"_a,
        "scratch_directories"_a, "backend"_a, "progress"_a.none(), "comm"_a.none(),
        "Permutes the records of a file; weft.ooc.permute is its interface.");
  m.def("detect_permutation", &detected, "targets"_a, "block_records"_a, "disks"_a, "backend"_a,
        "Reads the targets of a permutation from a file. Returns the matrix and complement over "
        "GF(2),\nor None, and the number of parallel reads; weft.ooc.detect is its interface.");
}

}  // namespace weft::python
