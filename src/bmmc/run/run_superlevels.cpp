#include "bmmc/run/run_superlevels.hpp"

#include <string>

#include <weft/error.hpp>

#include "bmmc/run/permute.hpp"
#include "bmmc/run/superlevel_pass.hpp"

namespace weft::bmmc {
namespace {

/// Volumes for permuting passes. Each pass reads the result of the previous one. Targets alternate
/// so that the last pass writes to volumes.output.
class AlternatingVolumes {
 public:
  AlternatingVolumes(const RecordVolumes& volumes, std::int64_t passes)
      : volumes_(volumes), left_(passes) {
    at_ = volumes.input;
  }

  disk::Volume& source() const { return *at_; }
  /// Returns the target of the next pass. From then on this volume is the source.
  disk::Volume& target() {
    at_ = --left_ % 2 == 0 ? volumes_.output : volumes_.scratch;
    return *at_;
  }

 private:
  RecordVolumes volumes_;
  std::int64_t left_;
  disk::Volume* at_;
};

void check_volume(const char* what, const disk::Volume* volume, std::int64_t bytes) {
  const std::int64_t given = volume == nullptr ? 0 : volume->bytes();
  if (given < bytes)
    throw Error(ErrorCode::invalid_argument,
                std::string("the ") + what + " volume must hold at least " + std::to_string(bytes) +
                    " bytes; given " + std::to_string(given) + "; give a larger one");
}

void check(const RecordVolumes& volumes, std::int64_t bytes, std::int64_t passes) {
  check_volume("input", volumes.input, bytes);
  check_volume("output", volumes.output, bytes);
  if (passes > 1) check_volume("scratch", volumes.scratch, bytes);
  if (volumes.input == volumes.output || volumes.input == volumes.scratch ||
      volumes.output == volumes.scratch)
    throw Error(
        ErrorCode::invalid_argument,
        "input, output and scratch must be different volumes; given one twice; give each its own");
}

void permute(const std::vector<PermutationPass>& passes, const DiskModel& disks,
             AlternatingVolumes& volumes, const RecordRun& run) {
  for (const PermutationPass& pass : passes) {
    disk::Volume& source = volumes.source();
    execute_pass(pass, disks, source, volumes.target(), run);
  }
}

std::int64_t loads_of(const std::vector<PermutationPass>& passes, const DiskModel& disks) {
  std::int64_t loads = 0;
  for (const PermutationPass& pass : passes)
    loads += std::int64_t{1} << (disks.n - pass.group.dimension());
  return loads;
}

/// Counts loads and reports them.
std::function<void()> load_counter(const LoadProgress& on_load, std::int64_t loads) {
  if (!on_load) return {};
  return [on_load, loads, done = std::int64_t{0}]() mutable { on_load(++done, loads); };
}

}  // namespace

SuperlevelCounts run_permutation(const std::vector<PermutationPass>& passes, const DiskModel& disks,
                                 std::int64_t record_bytes, const RecordVolumes& volumes,
                                 ProcessorExchange* peers, const LoadProgress& on_load) {
  check(volumes, record_bytes << disks.n, std::ssize(passes));
  SuperlevelCounts counts;
  const RecordRun run = {record_bytes, peers, &counts,
                         load_counter(on_load, loads_of(passes, disks))};
  AlternatingVolumes alternating(volumes, std::ssize(passes));
  permute(passes, disks, alternating, run);
  return counts;
}

std::int64_t permuting_passes(const FftAnalysis& fft) {
  return fft.passes - std::ssize(fft.levels);
}

SuperlevelCounts run_superlevels(const FftAnalysis& fft, const RecordVolumes& volumes,
                                 const SuperlevelsOptions& options, ProcessorExchange* peers) {
  const std::int64_t record_bytes = complex_bytes(options.local.precision);
  check(volumes, record_bytes << fft.disks.n, permuting_passes(fft));
  std::int64_t loads = 0;
  for (const PermutationAnalysis& each : fft.permutations)
    loads += loads_of(each.passes, fft.disks);
  for (const Superlevel& level : fft.levels)
    loads += std::int64_t{1} << (fft.disks.n - level.lg_load);
  SuperlevelCounts counts;
  const RecordRun run = {record_bytes, peers, &counts, load_counter(options.on_load, loads)};
  kernel::LocalOptions local = options.local;
  if (local.engine == nullptr) local.engine = &kernel::default_engine();
  AlternatingVolumes alternating(volumes, permuting_passes(fft));
  permute(fft.permutations.front().passes, fft.disks, alternating, run);
  for (std::size_t k = 0; k < fft.levels.size(); ++k) {
    counts.looks_at_input = k == 0;  // later superlevels do not read the input
    execute_superlevel(fft.levels[k], fft.disks, alternating.source(), options.sign,
                       k == 0 ? options.scale : 1, local, run);
    permute(fft.permutations[k + 1].passes, fft.disks, alternating, run);
  }
  return counts;
}

}  // namespace weft::bmmc
