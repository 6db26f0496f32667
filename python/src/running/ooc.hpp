#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "ooc/run/run_on_files.hpp"

namespace weft::python {

/// Path, whether it is that of a set's index; of a plain file the array's first byte and bytes.
using Stored = std::tuple<std::string, bool, std::int64_t, std::int64_t>;

ooc::PassesFiles files_of(const Stored& input, const Stored& output,
                          const std::vector<std::string>& scratch_directories,
                          const std::string& backend);

/// Of a run that tells `progress`, which must outlive it, how far it is. Ctrl-C and what it raises end
/// the run.
ooc::PassesOptions options_of(const std::string& effort, int sign, double scale,
                              const nanobind::object& progress);

/// `kept` has is_due() and keep(pass, panels done, whether what comes next is in the journal), which
/// raises its error, or returns one that is to be that of all ranks.
ooc::Checkpoints checkpoints_of(const nanobind::object& kept);

nanobind::dict as_dict(const ooc::PassesOutcome& outcome);

/// Out-of-core transforms of files.
void bind_ooc_runs(nanobind::module_& m);

}  // namespace weft::python
