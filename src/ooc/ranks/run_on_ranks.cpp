#include "ooc/ranks/run_on_ranks.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "base/memory.hpp"
#include "base/rounding.hpp"
#include "comm/agreement.hpp"
#include "ooc/plan/kinds.hpp"
#include "ooc/ranks/batch_exchange.hpp"
#include "ooc/ranks/disk_transfers.hpp"
#include "ooc/ranks/round_journal.hpp"
#include "ooc/run/panel_transform.hpp"

namespace weft::ooc {
namespace {

/// The start of each block of one side of a batch; blocks are in rank order.
class Cursors {
 public:
  explicit Cursors(const std::vector<std::int64_t>& bytes) : next_(bytes.size()) {
    for (std::size_t rank = 1; rank < bytes.size(); ++rank)
      next_[rank] = next_[rank - 1] + bytes[rank - 1];
  }
  /// Returns the place of the next bytes of a rank's block.
  std::int64_t advance(int rank, std::int64_t bytes) {
    return std::exchange(next_[static_cast<std::size_t>(rank)],
                         next_[static_cast<std::size_t>(rank)] + bytes);
  }

 private:
  std::vector<std::int64_t> next_;
};

struct SideOnDisks {
  PassSide side;
  disk::Volume* volume = nullptr;    ///< volume of this rank, which may have no part of the array
  std::function<void()> flush = {};  ///< collective. If empty, each rank flushes its volume
};

/// Returns the bytes of a batch on this rank's disks.
std::int64_t on_own_disks(const ExchangeRound::RoundBatch& batch) {
  return std::accumulate(batch.on_disks.begin(), batch.on_disks.end(), std::int64_t{0});
}

/// One pass on this rank. It has four buffers: for input from the disks, for a panel, for messages
/// or the transformed panel, and for output to the disks.
class PassOnRanks {
 public:
  /// `journal` is the journal of this rank, if the pass is journaled and there are checkpoints.
  PassOnRanks(const KPassPlan& plan, std::size_t index, const comm::Communicator& comm,
              const SideOnDisks& source, const SideOnDisks& target, disk::Volume* journal,
              const PassOptions& options)
      : pass_(plan.passes[index]),
        schedule_(pass_, plan.ranks),
        comm_(comm),
        source_(source.side),
        target_(target.side),
        target_volume_(target.volume),
        flush_target_(target.flush),
        options_(options),
        exchange_(comm) {
    progress_ = {static_cast<std::int64_t>(index), std::ssize(plan.passes), 0, schedule_.panels()};
    if (progress_.pass == options.start.pass) progress_.panels_done = options.start.panels_done;
    if (journal != nullptr) journal_.emplace(*journal, plan, batch_bytes(target_));
    comm::together(comm, [&] { allocate(plan, index, source.volume, target.volume); });
  }

  std::int64_t held_bytes() const { return held_bytes_; }
  RankTraffic sent() const { return exchange_.sent(); }

  void run() {
    std::int64_t first = rounds_of(progress_.panels_done);
    if (options_.start.has_journal && progress_.pass == options_.start.pass)
      write_from_journal(first++, no_batch);
    here([&] { start_read(first, 0); });
    for (std::int64_t round = first; round < schedule_.rounds(); ++round) {
      read(round);
      here([&] { transform(round); });
      write(round);
      if (!journal_ && round + 1 < schedule_.rounds() && is_due()) keep(round + 1, false);
    }
    here([&] { wait_for_writes(schedule_.rounds()); });
    comm::agree_or_throw(comm_, failed_);
    // This checkpoint is kept before the next pass overwrites the input of this pass.
    if (options_.checkpoints.keep && progress_.pass + 1 < progress_.passes)
      keep(schedule_.rounds(), false);
  }

 private:
  static constexpr std::int64_t no_batch = -1;

  /// Does work of this rank alone. The first failure is reported to all ranks at their next
  /// agreement. Until then the rank does no more work.
  template <class Work>
  void here(Work&& work) {
    if (!failed_) failed_ = comm::error_of(std::forward<Work>(work));
  }

  void allocate(const KPassPlan& plan, std::size_t index, disk::Volume* source,
                disk::Volume* target) {
    const PassMemory memory = memory_of(plan, pass_);
    buffers_ = AlignedBuffer(memory.panels_bytes);
    char* first = buffers_.as<char>();
    incoming_ = first;
    panel_ = first + memory.panel_bytes;
    other_ = first + 2 * memory.panel_bytes;
    outgoing_ = first + 3 * memory.panel_bytes;
    list_.reserve(static_cast<std::size_t>(memory.run_bytes) / sizeof(disk::Run));
    transform_.emplace(plan, index, options_);
    reads_.emplace(source, disk::AccessDirection::read, list_);
    writes_.emplace(target, disk::AccessDirection::write, list_);
    const auto runs = static_cast<std::int64_t>(list_.capacity() * sizeof(disk::Run));
    held_bytes_ = buffers_.size() + runs + transform_->held_bytes();
  }

  /// Brings this rank's panel of the round into panel_.
  void read(std::int64_t round) {
    const ExchangeRound pieces(source_, round);
    const ExchangeRound::RoundBatches all = pieces.batches(comm_.rank());
    for (std::size_t batch = 0; batch < all.batches.size(); ++batch) {
      const ExchangeRound::RoundBatch& bytes = all.batches[batch];
      here([&] { reads_->wait(); });
      if (is_local(all))
        std::swap(incoming_, panel_);
      else
        exchange_.execute(failed_, bytes.on_disks, bytes.of_panel, incoming_, other_);
      here([&] {
        if (batch + 1 < all.batches.size())
          start_read(round, batch + 1);
        else
          start_read(round + 1, 0);
        if (!is_local(all)) unpack(pieces, batch, bytes.of_panel);
      });
    }
  }

  void transform(std::int64_t round) {
    const auto panel = schedule_.panel(round, comm_.rank());
    if (!panel) return;
    const std::vector<Panel> parts = panel_parts(pass_, *panel);
    transform_->execute(parts, panel_, pass_.transforms_in_place() ? panel_ : other_);
    if (!pass_.ends_in_source()) std::swap(panel_, other_);
  }

  /// Writes panel_ to the disks.
  void write(std::int64_t round) {
    const ExchangeRound pieces(target_, round);
    const ExchangeRound::RoundBatches all = pieces.batches(comm_.rank());
    std::int64_t in_memory = no_batch;
    for (std::size_t batch = 0; batch < all.batches.size(); ++batch) {
      const ExchangeRound::RoundBatch& bytes = all.batches[batch];
      here([&] {
        if (!is_local(all)) pack(pieces, batch, bytes.of_panel);
        if (batch == 0)
          wait_for_writes(round);
        else
          writes_->wait();
      });
      if (is_local(all))
        std::swap(panel_, outgoing_);
      else
        exchange_.execute(failed_, bytes.of_panel, bytes.on_disks, other_, outgoing_);
      if (on_own_disks(bytes) > 0) in_memory = static_cast<std::int64_t>(batch);
      here([&] {
        if (journal_)
          journal_->write(round, static_cast<std::int64_t>(batch), on_own_disks(bytes), outgoing_);
        else
          start(*writes_, pieces, batch, outgoing_);
      });
    }
    if (!journal_) return;
    keep(round, true);  // keeps a checkpoint before the round overwrites its input
    write_from_journal(round, in_memory);
  }

  /// Starts to write a round over its input. `in_memory` is the number of the batch that is still
  /// in outgoing_.
  void write_from_journal(std::int64_t round, std::int64_t in_memory) {
    here([&] {
      const ExchangeRound pieces(target_, round);
      const ExchangeRound::RoundBatches all = pieces.batches(comm_.rank());
      for (std::int64_t batch = std::ssize(all.batches); batch-- > 0;) {
        const auto number = static_cast<std::size_t>(batch);
        writes_->wait();
        if (batch != in_memory)
          journal_->read(round, batch, on_own_disks(all.batches[number]), outgoing_);
        start(*writes_, pieces, number, outgoing_);
      }
    });
  }

  /// Returns whether all ranks have their own panels on disk in memory order, so that no exchange
  /// is needed.
  static bool is_local(const ExchangeRound::RoundBatches& all) {
    return !all.crosses && all.batches.size() == 1;
  }

  void start_read(std::int64_t round, std::size_t batch) {
    if (round < schedule_.rounds()) start(*reads_, ExchangeRound(source_, round), batch, incoming_);
  }

  void start(DiskTransfers& transfers, const ExchangeRound& pieces, std::size_t batch,
             char* memory) const {
    pieces.for_each_piece([&](const RoundPiece& piece) {
      if (piece.disk_rank == comm_.rank() && piece.batch == static_cast<std::int64_t>(batch))
        transfers.add({piece.volume_offset, piece.bytes,
                       reinterpret_cast<std::byte*>(memory + piece.buffer_offset)});
    });
    transfers.start();
  }

  void wait_for_writes(std::int64_t rounds_done) {
    writes_->wait();
    const std::int64_t panels = std::min(schedule_.panels(), rounds_done * comm_.size());
    if (panels == progress_.panels_done) return;
    progress_.panels_done = panels;
    if (options_.on_panel) options_.on_panel(progress_);
  }

  std::int64_t rounds_of(std::int64_t panels) const { return divided_up(panels, comm_.size()); }

  /// Returns whether a checkpoint is due. Collective if there are checkpoints.
  bool is_due() {
    if (!options_.checkpoints.keep) return false;
    bool due = false;
    here([&] { due = comm_.rank() == 0 && options_.checkpoints.is_due(); });
    return comm::agree_or_throw(comm_, failed_, due);
  }

  /// Keeps a checkpoint when all writes are on their disks. The first rank keeps it after all other
  /// ranks. `has_journal` says that the next round is in the journals. Collective.
  void keep(std::int64_t rounds_done, bool has_journal) {
    here([&] {
      wait_for_writes(rounds_done);
      if (has_journal) journal_->flush();
    });
    comm::agree_or_throw(comm_, failed_);
    if (flush_target_)
      flush_target_();
    else
      comm::together(comm_, [&] {
        if (target_volume_ != nullptr) target_volume_->flush();
      });
    PassProgress at = progress_;
    at.has_journal = has_journal;
    const bool is_first = comm_.rank() == 0;
    for (const bool of_first : {false, true})
      comm::together(comm_, [&] {
        if (is_first == of_first) options_.checkpoints.keep(at);
      });
  }

  void unpack(const ExchangeRound& pieces, std::size_t batch,
              const std::vector<std::int64_t>& bytes) {
    for_own_panel(pieces, batch, bytes, [&](const RoundPiece& piece, std::int64_t at) {
      std::memcpy(panel_ + piece.panel_offset, other_ + at, static_cast<std::size_t>(piece.bytes));
    });
  }

  void pack(const ExchangeRound& pieces, std::size_t batch,
            const std::vector<std::int64_t>& bytes) {
    for_own_panel(pieces, batch, bytes, [&](const RoundPiece& piece, std::int64_t at) {
      std::memcpy(other_ + at, panel_ + piece.panel_offset, static_cast<std::size_t>(piece.bytes));
    });
  }

  template <class Visit>
  void for_own_panel(const ExchangeRound& pieces, std::size_t batch,
                     const std::vector<std::int64_t>& bytes, Visit&& visit) const {
    Cursors cursors(bytes);
    pieces.for_each_piece([&](const RoundPiece& piece) {
      if (piece.panel_rank == comm_.rank() && piece.batch == static_cast<std::int64_t>(batch))
        visit(piece, cursors.advance(piece.disk_rank, piece.bytes));
    });
  }

  const KPass& pass_;
  PanelSchedule schedule_;
  comm::Communicator comm_;
  PassSide source_;
  PassSide target_;
  disk::Volume* target_volume_;
  std::function<void()> flush_target_;
  const PassOptions& options_;
  BatchExchange exchange_;
  PassProgress progress_;
  std::optional<Error> failed_;
  std::int64_t held_bytes_ = 0;
  AlignedBuffer buffers_;
  char* incoming_ = nullptr;
  char* panel_ = nullptr;
  char* other_ = nullptr;
  char* outgoing_ = nullptr;
  std::vector<disk::Run> list_;
  std::optional<PanelTransform> transform_;
  std::optional<RoundJournal> journal_;
  // These are the last members, so that all transfers end before the buffers are freed.
  std::optional<DiskTransfers> reads_;
  std::optional<DiskTransfers> writes_;
};

void require_volume(const char* what, const disk::Volume* volume, std::int64_t bytes) {
  const std::int64_t volume_bytes = volume == nullptr ? 0 : volume->bytes();
  if (volume_bytes < bytes)
    throw Error(ErrorCode::invalid_argument,
                std::string("the ") + what + " volume of a rank holds " + std::to_string(bytes) +
                    " bytes; given " + std::to_string(volume_bytes) + "; give a larger one");
}

/// Checks the progress at which a run starts. It must be between two rounds. The next round may be
/// in the journals only if the pass is journaled and there are checkpoints.
void check_start(const KPassPlan& plan, const PassOptions& options) {
  const PassProgress& start = options.start;
  const bool is_pass = start.pass >= 0 && start.pass < std::ssize(plan.passes);
  const KPass none;
  const KPass& pass = is_pass ? plan.passes[static_cast<std::size_t>(start.pass)] : none;
  const std::int64_t panels = panel_count(pass);
  const std::int64_t done = start.panels_done;
  const bool has_journal = pass.journaled && done < panels && options.checkpoints.keep;
  if (is_pass && (has_journal || !start.has_journal) && done >= 0 && done <= panels &&
      (done == panels || done % plan.ranks == 0))
    return;
  throw Error(ErrorCode::invalid_argument,
              "a transform on ranks begins at a round of one of its passes; given panel " +
                  std::to_string(done) + " of pass " + std::to_string(start.pass) +
                  (start.has_journal ? " in a journal" : "") +
                  "; give one that a checkpoint has kept");
}

/// Checks the volumes. Checks that plans with checkpoints keep their input; in place this needs
/// journals.
void check_in_place(const KPassPlan& plan, const VolumesOnRanks& volumes,
                    const PassOptions& options) {
  if ((volumes.input.volume == volumes.output.volume) != plan.problem.in_place)
    throw Error(ErrorCode::invalid_argument,
                "input and output are different volumes, but for a plan in place; given otherwise; "
                "give two volumes");
  const bool resumes = options.start.pass > 0 || options.start.panels_done > 0;
  if ((resumes || options.checkpoints.keep) && !plan.problem.preserve_inputs)
    throw Error(ErrorCode::invalid_argument,
                "checkpoints need passes that keep their input; given a plan of others; plan "
                "with preserve_inputs");
}

void check(const KPassPlan& plan, const comm::Communicator& comm, const VolumesOnRanks& volumes,
           const PassOptions& options) {
  if (plan.ranks != comm.size())
    throw Error(ErrorCode::invalid_argument,
                "passes run on as many ranks as they are planned for; planned for " +
                    std::to_string(plan.ranks) + ", given " + std::to_string(comm.size()) +
                    " ranks; plan for these");
  if (options.sign != -1 && options.sign != 1)
    throw Error(ErrorCode::invalid_argument, "the sign of the exponent is -1 or 1; given " +
                                                 std::to_string(options.sign) + "; give -1 or 1");
  check_start(plan, options);
  check_in_place(plan, volumes, options);
  require_volume("input", volumes.input.volume, plan.input_bytes());
  require_volume("output", volumes.output.volume, plan.output_bytes());
  for (int k = 0; k < scratch_volumes; ++k)
    require_volume("scratch", volumes.scratch.at(static_cast<std::size_t>(k)),
                   scratch_bytes(plan, comm.rank(), k));
}

void require_same_problem(const KPassPlan& plan, const comm::Communicator& comm,
                          const PassOptions& options) {
  const KPassProblem& problem = plan.problem;
  std::string axes;
  for (const int axis : problem.axes) axes += std::to_string(axis) + " ";
  comm::require_same(comm,
                     {{"shape", weft::to_string(problem.shape)},
                      {"axes", axes},
                      {"kinds", weft::to_string(kinds_of(problem))},
                      {"precision", to_string(problem.precision)},
                      {"real input", std::to_string(static_cast<int>(problem.real_input))},
                      {"real output", std::to_string(static_cast<int>(problem.real_output))},
                      {"order", std::to_string(static_cast<int>(problem.order))},
                      {"filter", problem.filter ? to_string(problem.filter->kind) : "none"},
                      {"memory_bytes", std::to_string(problem.memory_bytes)},
                      {"block_bytes", std::to_string(problem.block_bytes)},
                      {"threads", std::to_string(problem.threads)},
                      {"sign", std::to_string(options.sign)},
                      {"scale", std::to_string(options.scale)},
                      {"orthogonal", options.orthogonal ? "yes" : "no"},
                      {"first pass", std::to_string(options.start.pass)},
                      {"panels done", std::to_string(options.start.panels_done)},
                      {"next round in journals", options.start.has_journal ? "yes" : "no"},
                      {"checkpoints", options.checkpoints.keep ? "kept" : "none"}},
                     "all ranks transform the same array on disks");
}

}  // namespace

RanksOutcome run_on_ranks(const KPassPlan& plan, const comm::Communicator& comm,
                          const VolumesOnRanks& volumes, const PassOptions& options) {
  comm::together(comm, [&] { check(plan, comm, volumes, options); });
  require_same_problem(plan, comm, options);
  const auto scratch = [&](std::size_t written_by) {
    return volumes.scratch.at(static_cast<std::size_t>(scratch_written_by(plan, written_by)));
  };
  const auto source = [&](std::size_t pass) -> SideOnDisks {
    const bool is_scratch = plan.passes[pass].source == model::VolumeRole::scratch;
    return {reading_side(plan, pass, volumes.input.ownership),
            is_scratch ? scratch(pass - 1) : volumes.input.volume};
  };
  const auto target = [&](std::size_t pass) -> SideOnDisks {
    const PassSide side = writing_side(plan, pass, volumes.output.ownership);
    if (plan.passes[pass].target == model::VolumeRole::scratch) return {side, scratch(pass)};
    return {side, volumes.output.volume, volumes.flush_output};
  };
  RanksOutcome outcome;
  for (auto i = static_cast<std::size_t>(options.start.pass); i < plan.passes.size(); ++i) {
    const bool has_journal = plan.passes[i].journaled && options.checkpoints.keep;
    PassOnRanks run(plan, i, comm, source(i), target(i), has_journal ? volumes.scratch[0] : nullptr,
                    options);
    run.run();
    outcome.held_bytes = std::max(outcome.held_bytes, run.held_bytes());
    outcome.sent += run.sent();
  }
  return outcome;
}

}  // namespace weft::ooc
