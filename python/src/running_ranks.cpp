#include "running_ranks.hpp"

#include <nanobind/stl/tuple.h>

#include <string>
#include <vector>

#include "comm/mpi.hpp"
#include "common.hpp"
#include "ooc/ranks/run_on_shared_files.hpp"
#include "running_ooc.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

nb::dict run(const ooc::FftPasses& plan, const Stored& input, const Stored& output,
             const std::vector<std::string>& scratch_directories, const std::string& backend,
             const std::string& effort, int sign, double scale, const nb::object& progress,
             int comm) {
  const ooc::PassesFiles files = files_of(input, output, scratch_directories, backend);
  const ooc::PassesOptions options = options_of(effort, sign, scale, progress);
  ooc::SharedOutcome outcome;
  {
    const nb::gil_scoped_release release;
    outcome =
        ooc::run_on_shared_files(plan, files, comm::Communicator::of(MPI_Comm_f2c(comm)), options);
  }
  nb::dict moved = as_dict(outcome.passes);
  moved["messages"] = outcome.sent.messages;
  moved["sent_bytes"] = outcome.sent.bytes;
  return moved;
}

}  // namespace

void bind_ooc_runs_on_ranks(nb::module_& m) {
  m.def("run_out_of_core_on_ranks", &run, "plan"_a, "input"_a, "output"_a, "scratch_directories"_a,
        "backend"_a, "effort"_a, "sign"_a, "scale"_a, "progress"_a.none(), "comm"_a,
        "Collective: executes a plan that was dealt to ranks on files that are there; weft.ooc.fft "
        "is its face.");
}

}  // namespace weft::python
