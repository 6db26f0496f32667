#include "ooc/ranks/run_on_shared_files.hpp"

#include <array>
#include <span>

#include "base/checked.hpp"
#include "base/direct_io.hpp"
#include "comm/agreement.hpp"
#include "disk/set_index.hpp"
#include "ooc/ranks/shared_sets.hpp"

namespace weft::ooc {
namespace {

OpenSet opened_scratch(const KPassPlan& plan, const PassFiles& files, int rank, int volume) {
  const std::int64_t bytes = scratch_bytes(plan, rank, volume);
  if (bytes == 0) return nullptr;
  if (!files.own_scratch.empty())
    return disk::open_set(files.own_scratch.at(static_cast<std::size_t>(volume)), disk::Mode::write,
                          {.backend = files.backend, .verify = true});
  const auto disks =
      checked_cast<int>(std::ssize(files.scratch_directories), "scratch directories");
  if (disks == 0)
    throw Error(ErrorCode::invalid_argument,
                "scratch space is in one or more directories; given none; name one for each disk");
  const Share own = disks_of_rank(disks, plan.ranks, rank);
  const std::span<const std::string> directories(files.scratch_directories);
  const auto mine = directories.subspan(static_cast<std::size_t>(own.first),
                                        static_cast<std::size_t>(own.count()));
  return disk::scratch_set(
      {mine.begin(), mine.end()},
      {.bytes = bytes, .block_bytes = direct_io_rounded(plan.problem.block_bytes)},
      {.backend = files.backend});
}

struct OpenSharedSets {
  OpenSet input;
  OpenSet output;
  std::array<OpenSet, scratch_volumes> scratch;
};

/// Opens the sets. In place `input` remains empty, because the output is also the input.
OpenSharedSets opened_all(const KPassPlan& plan, const PassFiles& files,
                          const comm::Communicator& comm, const PassOptions& options) {
  OpenSharedSets sets;
  disk::SetOptions set_options = {.backend = files.backend, .verify = true};
  if (plan.problem.in_place)
    set_options.incomplete_remedy = remedy_in_place(options);
  else
    sets.input = open_own_disks(files.input, comm, disk::Mode::read, set_options);
  sets.output = open_own_disks(files.output, comm, disk::Mode::write, set_options);
  for (int k = 0; k < scratch_volumes; ++k)
    sets.scratch.at(static_cast<std::size_t>(k)) = opened_scratch(plan, files, comm.rank(), k);
  return sets;
}

void add_counters(const disk::StripedSet* set, PassOutcome& outcome) {
  if (set == nullptr) return;
  const disk::SetCounters counters = set->counters();
  for (const disk::DiskCounters& each : counters.disks) {
    outcome.bytes_read += each.bytes_read;
    outcome.bytes_written += each.bytes_written;
  }
}

SharedOutcome of_all_ranks(const SharedOutcome& mine, const comm::Communicator& comm) {
  SharedOutcome all = mine;
  all.passes.held_bytes = comm.max(mine.passes.held_bytes);
  all.passes.bytes_read = comm.sum(mine.passes.bytes_read);
  all.passes.bytes_written = comm.sum(mine.passes.bytes_written);
  all.passes.found_not_finite = comm.sum(std::int64_t{mine.passes.found_not_finite}) > 0;
  all.sent = {comm.sum(mine.sent.messages), comm.sum(mine.sent.bytes)};
  return all;
}

}  // namespace

OwnershipPtr ownership_of(const StoredArray& array, int ranks) {
  if (array.is_set) return owned_by_disks(disk::read_index(array.path).striping, ranks);
  return owned_by_parts(array.offset, array.bytes, ranks);
}

SharedOutcome run_on_shared_files(const KPassPlan& plan, const PassFiles& files,
                                  const comm::Communicator& comm, const PassOptions& options) {
  VolumesOnRanks volumes;
  const OpenSharedSets sets = comm::together(comm, [&] {
    volumes.output.ownership = ownership_of(files.output, plan.ranks);
    volumes.input.ownership =
        plan.problem.in_place ? volumes.output.ownership : ownership_of(files.input, plan.ranks);
    return opened_all(plan, files, comm, options);
  });
  volumes.input.volume = plan.problem.in_place ? sets.output.get() : sets.input.get();
  volumes.output.volume = sets.output.get();
  for (std::size_t k = 0; k < volumes.scratch.size(); ++k)
    volumes.scratch.at(k) = sets.scratch.at(k).get();
  const auto flush = [&] { flush_shared(*sets.output, *volumes.output.ownership, comm); };
  volumes.flush_output = flush;
  SharedOutcome mine;
  mine.passes.backend = sets.output->backend().kind;
  PassOptions pass_options = options;
  pass_options.found_not_finite = &mine.passes.found_not_finite;
  const RanksOutcome outcome = run_on_ranks(plan, comm, volumes, pass_options);
  mine.passes.held_bytes = outcome.held_bytes;
  mine.sent = outcome.sent;
  flush();
  add_counters(sets.input.get(), mine.passes);
  add_counters(sets.output.get(), mine.passes);
  for (const OpenSet& set : sets.scratch) add_counters(set.get(), mine.passes);
  return of_all_ranks(mine, comm);
}

}  // namespace weft::ooc
