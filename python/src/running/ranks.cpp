#include "running/ranks.hpp"

#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "comm/from_mpi.hpp"
#include "comm/mpi.hpp"
#include "common.hpp"
#include "ooc/ranks/run_on_shared_files.hpp"
#include "running/ooc.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

nb::dict run_passes_on_ranks(const ooc::KPassPlan& plan, const Stored& input, const Stored& output,
                             const RunSettings& settings, const nb::object& progress, int comm,
                             const std::vector<std::string>& own_scratch,
                             const std::tuple<std::int64_t, std::int64_t, bool>& start,
                             const nb::object& keeper) {
  ooc::PassFiles files = files_of(input, output, settings.scratch_directories, settings.backend);
  files.own_scratch = own_scratch;
  ooc::PassOptions options = options_of(settings, progress);
  options.start = start_of(start);
  if (!keeper.is_none()) options.checkpoints = checkpoints_of(keeper);
  ooc::SharedOutcome outcome;
  {
    const nb::gil_scoped_release release;
    outcome =
        ooc::run_on_shared_files(plan, files, comm::communicator_of(MPI_Comm_f2c(comm)), options);
  }
  nb::dict moved = as_dict(outcome.passes);
  moved["messages"] = outcome.sent.messages;
  moved["sent_bytes"] = outcome.sent.bytes;
  return moved;
}

}  // namespace

void bind_ooc_runs_on_ranks(nb::module_& m) {
  m.def("run_passes_on_ranks", &run_passes_on_ranks, "plan"_a, "input"_a, "output"_a, "settings"_a,
        "progress"_a.none(), "comm"_a, "own_scratch"_a = std::vector<std::string>(),
        "start"_a = std::tuple<std::int64_t, std::int64_t, bool>(0, 0, false),
        "keeper"_a.none() = nb::none(),
        "Collective: executes a plan for ranks on existing files, from the panel `start` "
        "on;\nweft.ooc.fft is its interface.");
}

}  // namespace weft::python
