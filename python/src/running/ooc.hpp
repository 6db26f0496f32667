#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "ooc/run/run_on_files.hpp"

namespace weft::python {

/// A stored array: its path, and whether the path is the index of a set. For a plain file also the
/// array's first byte and its number of bytes.
using Stored = std::tuple<std::string, bool, std::int64_t, std::int64_t>;

/// Options of passes, the same on every rank.
struct RunSettings {
  std::vector<std::string> scratch_directories;
  std::string backend;
  std::string effort;
  int sign = -1;  ///< of the exponent
  double scale = 1;
  bool orthogonal = false;  ///< cosine and sine transforms are orthogonal up to the scale
};

ooc::PassFiles files_of(const Stored& input, const Stored& output,
                        const std::vector<std::string>& scratch_directories,
                        const std::string& backend);

/// Returns the options of a run that reports to `progress`, which must outlive the run. Ctrl-C and
/// exceptions of `progress` end the run.
ooc::PassOptions options_of(const RunSettings& settings, const nanobind::object& progress);
/// Returns the progress at which a run starts. `given` is the pass, the number of finished panels,
/// and whether the next panel is in the journal.
ooc::PassProgress start_of(const std::tuple<std::int64_t, std::int64_t, bool>& given);

/// Returns the checkpoints of `keeper`, which has is_due() and keep(pass, finished panels, whether
/// the next panel is in the journal). keep() raises an error of this rank, or returns an error for
/// all ranks.
ooc::Checkpoints checkpoints_of(const nanobind::object& keeper);

nanobind::dict as_dict(const ooc::PassOutcome& outcome);

/// Binds out-of-core transforms of files.
void bind_ooc_runs(nanobind::module_& m);

}  // namespace weft::python
