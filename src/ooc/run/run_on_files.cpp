#include "ooc/run/run_on_files.hpp"

#include <memory>

#include "base/direct_io.hpp"
#include "disk/striped_set.hpp"

namespace weft::ooc {
namespace {

/// Returns the plan's block size, rounded up to the alignment of blocks in sets.
std::int64_t set_block_bytes(const KPassPlan& plan) {
  return direct_io_rounded(plan.problem.block_bytes);
}

std::unique_ptr<disk::StripedSet> opened(const StoredArray& array, disk::Mode mode,
                                         const disk::SetOptions& options,
                                         const std::optional<disk::PlainSums>& sums = {}) {
  if (array.is_set) return disk::open_set(array.path, mode, options);
  return disk::plain_set(disk::open_data_file(array.path, mode), array.offset, array.bytes, mode,
                         options, sums);
}

std::unique_ptr<disk::StripedSet> opened_output(const KPassPlan& plan, const PassFiles& files,
                                                const PassOptions& options) {
  std::optional<disk::PlainSums> sums;
  if (files.checks_output) sums = {files.output.path + ".sums", set_block_bytes(plan)};
  disk::SetOptions set_options = {.backend = files.backend, .verify = true};
  if (plan.problem.in_place) set_options.incomplete_remedy = remedy_in_place(options);
  return opened(files.output, disk::Mode::write, set_options, sums);
}

std::unique_ptr<disk::StripedSet> opened_scratch(const KPassPlan& plan, const PassFiles& files) {
  if (plan.scratch_bytes == 0) return nullptr;
  if (files.scratch)
    return opened(*files.scratch, disk::Mode::write, {.backend = files.backend, .verify = true});
  const std::int64_t block = set_block_bytes(plan);
  const auto disks = static_cast<int>(files.scratch_directories.size());
  return disk::scratch_set(files.scratch_directories,
                           {.bytes = plan.scratch_bytes,
                            .block_bytes = block,
                            .skew_rows = default_skew_rows(plan.scratch_bytes, block, disks)},
                           {.backend = files.backend});
}

void add_counters(const disk::StripedSet* set, PassOutcome& outcome) {
  if (set == nullptr) return;
  const disk::SetCounters counters = set->counters();
  for (const disk::DiskCounters& each : counters.disks) {
    outcome.bytes_read += each.bytes_read;
    outcome.bytes_written += each.bytes_written;
  }
}

}  // namespace

std::string remedy_in_place(const PassOptions& options) {
  return options.checkpoints.keep
             ? "give the same command with --in-place again, which resumes it"
             : "it has no checkpoints to resume from: remove it and write it again";
}

PassOutcome run_on_files(const KPassPlan& plan, const PassFiles& files,
                         const PassOptions& options) {
  const bool in_place = plan.problem.in_place;
  std::unique_ptr<disk::StripedSet> input;
  if (!in_place)
    input = opened(files.input, disk::Mode::read, {.backend = files.backend, .verify = true});
  const auto output = opened_output(plan, files, options);
  const auto scratch = opened_scratch(plan, files);
  PassOutcome outcome;
  outcome.backend = output->backend().kind;
  PassOptions run_options = options;
  run_options.found_not_finite = &outcome.found_not_finite;
  outcome.held_bytes =
      run_passes(plan, in_place ? *output : *input, *output, scratch.get(), run_options);
  output->flush();
  for (const disk::StripedSet* set : {input.get(), output.get(), scratch.get()})
    add_counters(set, outcome);
  return outcome;
}

}  // namespace weft::ooc
