#include "ooc/run/pass_executor.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include <weft/error.hpp>

#include "base/memory.hpp"
#include "kernel/progress.hpp"
#include "ooc/run/panel_transform.hpp"

namespace weft::ooc {
namespace {

static_assert(sizeof(disk::Run) == listed_run_bytes);

/// A panel that is being read or written.
struct Transfer {
  disk::Volume::Ticket ticket = 0;
  char* memory = nullptr;
};

/// One pass: its buffers, and the panels in progress.
class PassRun {
 public:
  /// `scratch` has the journal.
  PassRun(const KPassPlan& plan, std::size_t index, disk::Volume& source, disk::Volume& target,
          disk::Volume* scratch, const PassOptions& options)
      : plan_(plan),
        pass_(plan.passes[index]),
        memory_(memory_of(plan, pass_)),
        source_element_bytes_(plan.source_element_bytes(pass_)),
        target_element_bytes_(plan.target_element_bytes(pass_)),
        source_(source),
        target_(target),
        scratch_(scratch),
        options_(options),
        panels_(memory_.panels_bytes),
        transform_(plan, index, options) {
    progress_ = {static_cast<std::int64_t>(index), std::ssize(plan.passes), 0, panel_count(pass_)};
    if (progress_.pass == options.start.pass) progress_.panels_done = options.start.panels_done;
    kept_ = progress_.panels_done;
    for (int k = 0; k < plan.problem.buffers; ++k)
      free_.push_back(panels_.as<char>() + k * memory_.panel_bytes);
    runs_.reserve(static_cast<std::size_t>(memory_.run_bytes) / sizeof(disk::Run));
  }
  PassRun(const PassRun&) = delete;
  PassRun& operator=(const PassRun&) = delete;

  /// No transfer may outlive its memory, even after an error.
  ~PassRun() {
    if (reading_) wait_quietly(source_, *reading_);
    for (const Transfer& transfer : writing_) wait_quietly(target_, transfer);
  }

  std::int64_t held_bytes() const {
    const auto runs = static_cast<std::int64_t>(runs_.capacity() * sizeof(disk::Run));
    return panels_.size() + runs + transform_.held_bytes();
  }

  void run() {
    if (options_.start.has_journal && progress_.pass == options_.start.pass) write_from_journal();
    start_read(progress_.panels_done);
    for (std::int64_t i = progress_.panels_done; i < progress_.panels; ++i) {
      char* from = waited_read();
      char* other = pass_.transforms_in_place() ? from : free_buffer();
      // If no buffer is free, starting a read would wait until the previous panel is written, and
      // the disks would have nothing to write meanwhile.
      if (!free_.empty() || writing_.size() > 1) start_read(i + 1);
      const std::vector<Panel> parts = panel_parts(pass_, i);
      if (!options_.moves_only) transform(parts, from, other, i + 1);
      char* to = pass_.ends_in_source() ? from : other;
      if (from != other) free_.push_back(to == from ? other : from);
      keep_if_due();
      if (pass_.journaled && options_.checkpoints.keep) write_journal(i, parts, to);
      list_runs(writes_of(pass_, parts), target_element_bytes_, to);
      writing_.push_back({target_.start_write(runs_), to});
      if (!reading_) start_read(i + 1);
    }
    while (!writing_.empty()) end_write();
    if (options_.checkpoints.keep) keep();
  }

 private:
  /// If all buffers are in use, the next panel is read into the buffer of the previous panel, as
  /// soon as the previous panel is written. The end of this write is checked between tiles.
  class NextRead final : public kernel::Progress {
   public:
    NextRead(PassRun& run, std::int64_t index) : run_(run), index_(index) {}

    void poke() override {
      if (failure_ || run_.reading_ || index_ >= run_.progress_.panels || !run_.has_written())
        return;
      try {
        run_.end_write();
        run_.start_read(index_);
      } catch (...) {  // no exception may leave the threads that transform
        failure_ = std::current_exception();
      }
    }

    void rethrow() const {
      if (failure_) std::rethrow_exception(failure_);
    }

   private:
    PassRun& run_;
    std::int64_t index_;
    std::exception_ptr failure_;
  };

  void transform(const std::vector<Panel>& parts, char* from, char* to, std::int64_t next) {
    NextRead next_read(*this, next);
    transform_.execute(parts, from, to, &next_read);
    next_read.rethrow();
  }

  bool has_written() { return !writing_.empty() && target_.has_ended(writing_.front().ticket); }

  void start_read(std::int64_t index) {
    if (index >= progress_.panels) return;
    char* memory = free_buffer();
    list_runs(reads_of(pass_, panel_parts(pass_, index)), source_element_bytes_, memory);
    reading_ = {source_.start_read(runs_), memory};
  }

  /// Waits for the panel that was being read and returns its memory.
  char* waited_read() {
    const Transfer transfer = *reading_;
    reading_.reset();
    source_.wait(transfer.ticket);
    return transfer.memory;
  }

  char* free_buffer() {
    if (free_.empty()) end_write();
    char* memory = free_.back();
    free_.pop_back();
    return memory;
  }

  void keep_if_due() {
    const Checkpoints& checkpoints = options_.checkpoints;
    if (checkpoints.keep && progress_.panels_done > kept_ && checkpoints.is_due()) keep();
  }

  void end_write() {
    const Transfer transfer = writing_.front();
    writing_.pop_front();
    target_.wait(transfer.ticket);
    free_.push_back(transfer.memory);
    ++progress_.panels_done;
    if (options_.on_panel) options_.on_panel(progress_);
  }

  void keep() {
    while (!writing_.empty()) end_write();  // flush() does not include writes in progress
    if (progress_.panels_done == progress_.panels && progress_.pass + 1 == progress_.passes) return;
    target_.flush();
    options_.checkpoints.keep(progress_);
    kept_ = progress_.panels_done;
  }

  /// Writes a panel to the journal and keeps a checkpoint, before the panel overwrites its input.
  /// The slot has an older panel, which is completely written by now.
  void write_journal(std::int64_t index, const std::vector<Panel>& parts, char* panel) {
    while (!writing_.empty()) end_write();
    scratch_->wait(scratch_->start_write(journal_runs(index, parts, panel)));
    scratch_->flush();
    if (&target_ != scratch_) target_.flush();
    PassProgress at = progress_;
    at.has_journal = true;
    options_.checkpoints.keep(at);
  }

  /// Writes the panel that the previous process had in its journal when it ended.
  void write_from_journal() {
    const std::vector<Panel> parts = panel_parts(pass_, progress_.panels_done);
    char* panel = free_buffer();
    scratch_->wait(scratch_->start_read(journal_runs(progress_.panels_done, parts, panel)));
    list_runs(writes_of(pass_, parts), target_element_bytes_, panel);
    writing_.push_back({target_.start_write(runs_), panel});
    end_write();
  }

  std::vector<disk::Run> journal_runs(std::int64_t index, const std::vector<Panel>& parts,
                                      char* panel) const {
    std::int64_t bytes = 0;
    for (const RunGrid& grid : writes_of(pass_, parts))
      bytes += grid.runs() * grid.length * target_element_bytes_;
    return {{plan_.journal_byte(index), bytes, reinterpret_cast<std::byte*>(panel)}};
  }

  void list_runs(const std::vector<RunGrid>& grids, std::int64_t element_bytes, char* memory) {
    runs_.clear();
    for (const RunGrid& grid : grids)
      grid.for_each([&](std::int64_t first) {
        const std::int64_t bytes = grid.length * element_bytes;
        runs_.push_back({first * element_bytes, bytes, reinterpret_cast<std::byte*>(memory)});
        memory += bytes;
      });
  }

  static void wait_quietly(disk::Volume& volume, const Transfer& transfer) noexcept {
    try {
      volume.wait(transfer.ticket);
    } catch (...) {  // report the error that ended the pass
    }
  }

  const KPassPlan& plan_;
  const KPass& pass_;
  PassMemory memory_;
  std::int64_t source_element_bytes_;
  std::int64_t target_element_bytes_;
  disk::Volume& source_;
  disk::Volume& target_;
  disk::Volume* scratch_;
  const PassOptions& options_;
  PassProgress progress_;
  std::int64_t kept_ = 0;  ///< panels of this pass in the last checkpoint
  AlignedBuffer panels_;
  PanelTransform transform_;
  std::vector<disk::Run> runs_;
  std::vector<char*> free_;
  std::optional<Transfer> reading_;
  std::deque<Transfer> writing_;  ///< the oldest first
};

void check_volume(const char* what, const disk::Volume* volume, std::int64_t bytes) {
  const std::int64_t volume_bytes = volume == nullptr ? 0 : volume->bytes();
  if (volume_bytes < bytes)
    throw Error(ErrorCode::invalid_argument,
                std::string("the ") + what + " volume holds " + std::to_string(bytes) +
                    " bytes; given " + std::to_string(volume_bytes) + "; give a larger one");
}

void check_start(const KPassPlan& plan, const PassOptions& options) {
  const PassProgress& start = options.start;
  const bool is_pass = start.pass >= 0 && start.pass < std::ssize(plan.passes);
  if (!is_pass || start.panels_done < 0 ||
      start.panels_done > panel_count(plan.passes[static_cast<std::size_t>(start.pass)]))
    throw Error(ErrorCode::invalid_argument,
                "a transform begins at a panel of one of its passes; given panel " +
                    std::to_string(start.panels_done) + " of pass " + std::to_string(start.pass) +
                    "; give one that a checkpoint has kept");
  const KPass& pass = plan.passes[static_cast<std::size_t>(start.pass)];
  if (start.has_journal && !(pass.journaled && start.panels_done < panel_count(pass)))
    throw Error(ErrorCode::invalid_argument,
                "a panel comes from the journal of a journaled pass; given panel " +
                    std::to_string(start.panels_done) + " of pass " + std::to_string(start.pass) +
                    "; give one that a checkpoint has kept");
  const bool resumes = start.pass > 0 || start.panels_done > 0;
  if ((resumes || options.checkpoints.keep) && !plan.problem.preserve_inputs)
    throw Error(ErrorCode::invalid_argument,
                "checkpoints need passes that keep their input; given a plan of others; plan "
                "with preserve_inputs");
}

}  // namespace

std::int64_t run_passes(const KPassPlan& plan, disk::Volume& input, disk::Volume& output,
                        disk::Volume* scratch, const PassOptions& options) {
  if (options.sign != -1 && options.sign != 1)
    throw Error(ErrorCode::invalid_argument, "the sign of the exponent is -1 or 1; given " +
                                                 std::to_string(options.sign) + "; give -1 or 1");
  check_volume("input", &input, plan.input_bytes());
  check_volume("output", &output, plan.output_bytes());
  check_volume("scratch", scratch, plan.scratch_bytes);
  if ((&input == &output) != plan.problem.in_place || &input == scratch || &output == scratch)
    throw Error(ErrorCode::invalid_argument,
                "input, output and scratch are different volumes, but for input and output of a "
                "plan in place; given otherwise; give each its own");
  const auto volume = [&](model::VolumeRole where) -> disk::Volume& {
    return where == model::VolumeRole::scratch  ? *scratch
           : where == model::VolumeRole::output ? output
                                                : input;
  };
  check_start(plan, options);
  std::int64_t most = 0;
  for (auto i = static_cast<std::size_t>(options.start.pass); i < plan.passes.size(); ++i) {
    const KPass& pass = plan.passes[i];
    PassRun run(plan, i, volume(pass.source), volume(pass.target), scratch, options);
    most = std::max(most, run.held_bytes());
    run.run();
  }
  return most;
}

}  // namespace weft::ooc
