#include "ooc/run/run_on_files.hpp"

#include <memory>

#include "disk/striped_set.hpp"

namespace weft::ooc {
namespace {

/// What blocks of several disks are whole multiples of.
constexpr std::int64_t granule_bytes = 4096;

std::unique_ptr<disk::StripedSet> opened(const StoredArray& array, disk::Mode mode,
                                         const disk::SetOptions& options) {
  if (array.is_set) return disk::open_set(array.path, mode, options);
  return disk::plain_set(disk::open_data_file(array.path, mode), array.offset, array.bytes, mode,
                         options);
}

std::unique_ptr<disk::StripedSet> scratch_of(const FftPasses& plan, const PassesFiles& files) {
  if (plan.scratch_bytes == 0) return nullptr;
  const std::int64_t granules = (plan.problem.block_bytes + granule_bytes - 1) / granule_bytes;
  const std::int64_t block = granules * granule_bytes;
  const auto disks = static_cast<int>(files.scratch_directories.size());
  return disk::scratch_set(files.scratch_directories,
                           {.bytes = plan.scratch_bytes,
                            .block_bytes = block,
                            .skew_rows = disk::usual_skew_rows(plan.scratch_bytes, block, disks)},
                           {.backend = files.backend});
}

void add_counters(const disk::StripedSet* set, PassesOutcome& outcome) {
  if (set == nullptr) return;
  const disk::SetCounters counters = set->counters();
  for (const disk::DiskCounters& each : counters.disks) {
    outcome.bytes_read += each.bytes_read;
    outcome.bytes_written += each.bytes_written;
  }
}

}  // namespace

PassesOutcome run_on_files(const FftPasses& plan, const PassesFiles& files,
                           const PassesOptions& options) {
  const auto input =
      opened(files.input, disk::Mode::read, {.backend = files.backend, .verify = true});
  const auto output = opened(files.output, disk::Mode::write, {.backend = files.backend});
  const auto scratch = scratch_of(plan, files);
  PassesOutcome outcome;
  outcome.backend = output->backend().kind;
  outcome.held_bytes = run_passes(plan, *input, *output, scratch.get(), options);
  output->flush();
  for (const disk::StripedSet* set : {input.get(), output.get(), scratch.get()})
    add_counters(set, outcome);
  return outcome;
}

}  // namespace weft::ooc
