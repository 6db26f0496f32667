#include "bmmc/ranks/records_on_files.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <weft/error.hpp>

#include "base/direct_io.hpp"
#include "bmmc/ranks/mpi_processor_exchange.hpp"
#include "comm/agreement.hpp"
#include "disk/set_index.hpp"
#include "ooc/ranks/run_on_shared_files.hpp"
#include "ooc/ranks/shared_sets.hpp"

namespace weft::bmmc {
namespace {

/// Scratch space of one rank. It is addressed by block numbers of the array, but has only the
/// blocks of the rank's own disks. Each run is a single block.
class OwnDisksVolume final : public disk::Volume {
 public:
  OwnDisksVolume(ooc::OpenSet set, std::int64_t bytes, int disks, const ooc::Share& own)
      : set_(std::move(set)), bytes_(bytes), disks_(disks), own_(own) {}

  std::int64_t bytes() const override { return bytes_; }
  Ticket start_read(std::span<const disk::Run> runs) override {
    return set_->start_read(placed(runs));
  }
  Ticket start_write(std::span<const disk::Run> runs) override {
    return set_->start_write(placed(runs));
  }
  void wait(Ticket ticket) override { set_->wait(ticket); }
  bool has_ended(Ticket ticket) override { return set_->has_ended(ticket); }
  void flush() override { set_->flush(); }

  const disk::StripedSet& set() const { return *set_; }

 private:
  std::span<const disk::Run> placed(std::span<const disk::Run> runs) {
    placed_.assign(runs.begin(), runs.end());
    const std::int64_t block_bytes = set_->striping().block_bytes;
    for (disk::Run& run : placed_) {
      const std::int64_t block = run.offset / block_bytes;
      const std::int64_t mine = block / disks_ * own_.count() + block % disks_ - own_.first;
      run.offset = mine * block_bytes;
    }
    return placed_;
  }

  ooc::OpenSet set_;
  std::int64_t bytes_;
  int disks_;
  ooc::Share own_;
  std::vector<disk::Run> placed_;
};

/// The open files of one rank.
struct OpenRecordSets {
  ooc::OpenSet input;
  ooc::OpenSet output;
  ooc::OpenSet scratch;                         ///< scratch space, if there is only one rank
  std::unique_ptr<OwnDisksVolume> own_scratch;  ///< scratch space of this rank, if there are
                                                ///< several

  RecordVolumes volumes() const {
    disk::Volume* temporary = scratch.get();
    return {input.get(), output.get(), own_scratch ? own_scratch.get() : temporary};
  }
};

/// Sizes that files must have.
struct RecordFileSizes {
  DiskModel disks;
  std::int64_t record_bytes = 0;
  bool needs_scratch = false;

  int count() const { return 1 << disks.d; }
  std::int64_t block_bytes() const { return record_bytes << disks.b; }
};

void require_round_robin(const char* what, const ooc::StoredArray& array, int disks,
                         std::int64_t block_bytes) {
  const std::string rule = std::string("on several ranks the ") + what +
                           " must be a striped set without skew, with " + std::to_string(disks) +
                           " disks and blocks of " + std::to_string(block_bytes) + " bytes; ";
  const std::string remedy =
      "; copy it with weft ooc copy --no-skew, this --block and this number of --disk";
  if (!array.is_set)
    throw Error(ErrorCode::invalid_argument, rule + "given the file " + array.path + remedy);
  const Striping striping = disk::read_index(array.path).striping;
  const std::int64_t band = striping.block_bytes * striping.disks;
  if (striping.disks == disks && striping.block_bytes == block_bytes && striping.skew_rows == 0 &&
      (striping.processors == 1 || striping.band_bytes == 0 || striping.band_bytes == band))
    return;
  throw Error(ErrorCode::invalid_argument,
              rule + "given " + array.path + ", " + std::to_string(striping.disks) +
                  " disks, blocks of " + std::to_string(striping.block_bytes) + " bytes, skew by " +
                  std::to_string(striping.skew_rows) + " rows" + remedy);
}

void open_scratch(const RecordFileSizes& layout, const ooc::PassFiles& files,
                  const comm::Communicator& comm, OpenRecordSets& all) {
  const auto& directories = files.scratch_directories;
  const std::int64_t bytes = layout.record_bytes << layout.disks.n;
  const disk::SetOptions options = {.backend = files.backend};
  const std::int64_t block = direct_io_rounded(layout.block_bytes());
  if (comm.size() == 1) {
    all.scratch = disk::scratch_set(directories, {.bytes = bytes, .block_bytes = block}, options);
    return;
  }
  const ooc::Share own = ooc::disks_of_rank(layout.count(), comm.size(), comm.rank());
  const auto first = directories.begin() + own.first;
  all.own_scratch = std::make_unique<OwnDisksVolume>(
      disk::scratch_set({first, first + own.count()},
                        {.bytes = bytes / comm.size(), .block_bytes = block}, options),
      bytes, layout.count(), own);
}

OpenRecordSets opened(const RecordFileSizes& layout, const ooc::PassFiles& files,
                      const comm::Communicator& comm) {
  if (comm.size() != 1 << layout.disks.p)
    throw Error(ErrorCode::invalid_argument, "a plan of " + std::to_string(1 << layout.disks.p) +
                                                 " processors takes as many ranks; given " +
                                                 std::to_string(comm.size()) + "; plan for these");
  if (comm.size() > 1) {
    check_record_files(files.input, std::ssize(files.scratch_directories), layout.count(),
                       layout.block_bytes());
    require_round_robin("output", files.output, layout.count(), layout.block_bytes());
  }
  OpenRecordSets all;
  all.input = ooc::open_own_disks(files.input, comm, disk::Mode::read,
                                  {.backend = files.backend, .verify = true});
  all.output =
      ooc::open_own_disks(files.output, comm, disk::Mode::write, {.backend = files.backend});
  if (layout.needs_scratch) open_scratch(layout, files, comm, all);
  return all;
}

double average(double mine, const comm::Communicator& comm) { return comm.sum(mine) / comm.size(); }

MessageCount of_all(const MessageCount& mine, const comm::Communicator& comm) {
  return {comm.max(mine.messages), comm.sum(mine.bytes) / comm.size()};
}

void add_disks(const disk::StripedSet* set, RecordsOutcome& outcome) {
  if (set == nullptr) return;
  for (const disk::DiskCounters& each : set->counters().disks) {
    outcome.bytes_read += each.bytes_read;
    outcome.bytes_written += each.bytes_written;
  }
}

RecordsOutcome outcome_of(const SuperlevelCounts& mine, const OpenRecordSets& sets,
                          const comm::Communicator& comm) {
  RecordsOutcome outcome;
  const SuperlevelTimes& times = mine.times;
  outcome.times = {average(times.permuting_communication_s, comm),
                   average(times.butterfly_communication_s, comm),
                   average(times.permuting_rest_s, comm),
                   average(times.butterfly_compute_s, comm),
                   average(times.butterfly_read_s, comm),
                   average(times.butterfly_write_s, comm)};
  outcome.permuting = of_all(mine.permuting, comm);
  outcome.butterflies = of_all(mine.butterflies, comm);
  outcome.found_not_finite = comm.sum(std::int64_t{mine.found_not_finite}) > 0;
  outcome.parallel_ios = comm.max(mine.parallel_ios);
  for (const disk::StripedSet* set : {sets.input.get(), sets.output.get(), sets.scratch.get()})
    add_disks(set, outcome);
  if (sets.own_scratch) add_disks(&sets.own_scratch->set(), outcome);
  outcome.bytes_read = comm.sum(outcome.bytes_read);
  outcome.bytes_written = comm.sum(outcome.bytes_written);
  outcome.backend = sets.output->backend().kind;
  return outcome;
}

using RecordWork = std::function<SuperlevelCounts(const RecordVolumes&, ProcessorExchange*)>;

RecordsOutcome run_on_files(const RecordFileSizes& layout, const ooc::PassFiles& files,
                            const comm::Communicator& comm, const RecordWork& work) {
  const OpenRecordSets sets = comm::together(comm, [&] { return opened(layout, files, comm); });
  std::optional<MpiProcessorExchange> peers;
  if (comm.size() > 1) peers.emplace(comm);
  const SuperlevelCounts mine = work(sets.volumes(), peers ? &*peers : nullptr);
  if (comm.size() == 1)
    sets.output->flush();
  else
    ooc::flush_shared(*sets.output, *ooc::ownership_of(files.output, comm.size()), comm);
  return outcome_of(mine, sets, comm);
}

}  // namespace

void check_record_files(const ooc::StoredArray& input, std::int64_t scratch_directories, int disks,
                        std::int64_t block_bytes) {
  require_round_robin("input", input, disks, block_bytes);
  if (scratch_directories != disks)
    throw Error(ErrorCode::invalid_argument,
                "on several ranks there is a scratch directory for each of the " +
                    std::to_string(disks) + " disks; given " + std::to_string(scratch_directories) +
                    "; name as many");
}

RecordsOutcome run_superlevels_on_files(const FftAnalysis& fft, const ooc::PassFiles& files,
                                        const SuperlevelsOptions& options,
                                        const comm::Communicator& comm) {
  const RecordFileSizes layout = {fft.disks, complex_bytes(options.local.precision),
                                  permuting_passes(fft) > 1};
  return run_on_files(layout, files, comm,
                      [&](const RecordVolumes& volumes, ProcessorExchange* peers) {
                        return run_superlevels(fft, volumes, options, peers);
                      });
}

RecordsOutcome run_permutation_on_files(const std::vector<PermutationPass>& passes,
                                        const DiskModel& disks, std::int64_t record_bytes,
                                        const ooc::PassFiles& files, const LoadProgress& on_load,
                                        const comm::Communicator& comm) {
  return run_on_files({disks, record_bytes, passes.size() > 1}, files, comm,
                      [&](const RecordVolumes& volumes, ProcessorExchange* peers) {
                        return run_permutation(passes, disks, record_bytes, volumes, peers,
                                               on_load);
                      });
}

}  // namespace weft::bmmc
