#include "ooc/run/run_passes.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <weft/error.hpp>

#include "base/memory.hpp"
#include "ooc/run/chirp.hpp"
#include "ooc/run/paired_reals.hpp"
#include "ooc/run/panel_ends.hpp"
#include "ooc/run/panel_lines.hpp"

namespace weft::ooc {
namespace {

/// A panel that is being read or written.
struct Transfer {
  disk::Volume::Ticket ticket = 0;
  char* memory = nullptr;
};

/// One pass: what it holds, and the panels on their way through memory.
class PassRun {
 public:
  PassRun(const FftPasses& plan, std::size_t index, disk::Volume& source, disk::Volume& target,
          const PassesOptions& options)
      : problem_(plan.problem),
        pass_(plan.passes[index]),
        memory_(memory_of(plan, pass_)),
        source_element_bytes_(plan.source_element_bytes(pass_)),
        target_element_bytes_(plan.target_element_bytes(pass_)),
        sign_(pass_.other_sign ? -options.sign : options.sign),
        source_(source),
        target_(target),
        options_(options),
        panels_(memory_.panels_bytes),
        tiles_(memory_.tile_bytes) {
    progress_ = {static_cast<std::int64_t>(index), std::ssize(plan.passes), 0, panel_count(pass_)};
    for (int k = 0; k < plan.problem.buffers; ++k)
      free_.push_back(panels_.as<char>() + k * memory_.panel_bytes);
    runs_.reserve(static_cast<std::size_t>(memory_.run_bytes) / sizeof(disk::Run));
    if (pass_.has_twiddles()) twiddles_.emplace(pass_.twiddle_length, sign_);
    if (pass_.chirp != Chirp::none) chirp_roots_.emplace(2 * pass_.chirp_length, options.sign);
    make_lines(index + 1 == plan.passes.size());
  }
  PassRun(const PassRun&) = delete;
  PassRun& operator=(const PassRun&) = delete;

  /// Nothing may be under way to memory that goes: after an error, too.
  ~PassRun() {
    if (reading_) wait_quietly(source_, *reading_);
    for (const Transfer& transfer : writing_) wait_quietly(target_, transfer);
  }

  std::int64_t held_bytes() const {
    const auto runs = static_cast<std::int64_t>(runs_.capacity() * sizeof(disk::Run));
    const auto table = [](const std::optional<Twiddles>& twiddles) {
      return twiddles ? Twiddles::table_bytes(twiddles->length()) : 0;
    };
    return panels_.size() + tiles_.size() + runs + table(twiddles_) + table(chirp_roots_);
  }

  void run() {
    start_read(0);
    for (std::int64_t i = 0; i < progress_.panels; ++i) {
      char* from = waited_read();
      char* to = pass_.keeps_order() && !pass_.halves() ? from : free_buffer();
      // To wait for the panel before would leave the disks without anything to write meanwhile.
      if (!free_.empty() || writing_.size() > 1) start_read(i + 1);
      const std::vector<Panel> parts = panel_parts(pass_, i);
      transform(parts, from, to);
      if (from != to) free_.push_back(from);
      list_runs(writes_of(pass_, parts), target_element_bytes_, to);
      writing_.push_back({target_.start_write(runs_), to});
      if (!reading_) start_read(i + 1);
    }
    while (!writing_.empty()) wait_for_write();
  }

 private:
  void make_lines(bool is_last) {
    for (const PanelAxis& axis : pass_.axes)
      add_lines(axis, sign_,
                is_last && &axis == &pass_.axes.back() ? options_.scale * pass_.scale : 1);
    if (pass_.convolves) add_lines(pass_.axes[0], -sign_, 1);
  }

  void add_lines(const PanelAxis& axis, int sign, long double scale) {
    using kernel::LineKind;
    const kernel::LocalOptions local{
        .engine = options_.engine != nullptr ? options_.engine : &kernel::default_engine(),
        .precision = problem_.precision,
        .effort = options_.effort,
        .threads = problem_.threads};
    kernel::AxisTransform transform{
        .kind = sign < 0 ? LineKind::c2c_forward : LineKind::c2c_backward,
        .length = axis.length,
        .scale = scale};
    if (axis.halved) {
      transform.kind = pass_.reads_reals ? LineKind::r2c : LineKind::c2r;
      transform.conjugate_output = pass_.reads_reals && sign > 0;
      transform.conjugate_input = pass_.writes_reals && sign < 0;
    }
    const bool multiplies = pass_.twiddle != TwiddleBy::none;
    lines_.emplace_back(pass_, axis, transform, local, multiplies ? &*twiddles_ : nullptr);
  }

  void transform(const std::vector<Panel>& parts, char* from, char* to) {
    before_lines(parts, from);
    if (pass_.convolves)
      convolve(parts[0], from);
    else
      transform_lines(parts, from, to);
    if (pass_.unpacks_reals)
      unpack_reals(pass_, parts, *twiddles_, problem_.precision, problem_.threads, to);
    if (pass_.chirp == Chirp::last)
      multiply_by_chirp(pass_, parts[0], *chirp_roots_, problem_.precision, problem_.threads, to);
    if (pass_.writes_reals && !pass_.halves())
      keep_real_parts(pass_, parts, problem_.precision, to);
  }

  void before_lines(const std::vector<Panel>& parts, char* panel) {
    if (pass_.chirp == Chirp::kernel)
      make_kernel(pass_, parts[0], *chirp_roots_, problem_.precision, problem_.threads, panel);
    else if (pass_.completes_source())
      complete_source(pass_, parts, problem_.precision, panel);
    if (pass_.chirp == Chirp::first)
      multiply_by_chirp(pass_, parts[0], *chirp_roots_, problem_.precision, problem_.threads,
                        panel);
    if (pass_.packs_reals)
      pack_reals(pass_, parts, *twiddles_, problem_.precision, problem_.threads, panel);
  }

  /// One of the axes goes from one buffer to the other, the last one where it makes reals. Those before
  /// and behind it stay where they lie.
  void transform_lines(const std::vector<Panel>& parts, char* from, char* to) {
    const std::size_t moving = pass_.writes_reals ? lines_.size() - 1 : 0;
    std::int64_t offset = 0;
    for (const Panel& panel : parts) {
      for (std::size_t k = 0; k < lines_.size(); ++k)
        lines_[k].execute((k <= moving ? from : to) + offset, (k < moving ? from : to) + offset,
                          panel, tiles_.data());
      offset += elements(pass_, panel) * complex_bytes(problem_.precision);
    }
  }

  void convolve(const Panel& panel, char* memory) {
    lines_[0].execute(memory, memory, panel, tiles_.data());
    multiply_by_kernel(elements(pass_, panel), problem_.precision, problem_.threads, memory);
    lines_[1].execute(memory, memory, panel, tiles_.data());
  }

  void start_read(std::int64_t index) {
    if (index >= progress_.panels) return;
    char* memory = free_buffer();
    list_runs(reads_of(pass_, panel_parts(pass_, index)), source_element_bytes_, memory);
    reading_ = {source_.start_read(runs_), memory};
  }

  /// The panel that was being read.
  char* waited_read() {
    const Transfer transfer = *reading_;
    reading_.reset();
    source_.wait(transfer.ticket);
    return transfer.memory;
  }

  char* free_buffer() {
    if (free_.empty()) wait_for_write();
    char* memory = free_.back();
    free_.pop_back();
    return memory;
  }

  void wait_for_write() {
    const Transfer transfer = writing_.front();
    writing_.pop_front();
    target_.wait(transfer.ticket);
    free_.push_back(transfer.memory);
    ++progress_.panels_done;
    if (options_.on_panel) options_.on_panel(progress_);
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
    } catch (...) {  // the error that ended the pass is the one to tell
    }
  }

  const PassesProblem& problem_;
  const FftPass& pass_;
  PassMemory memory_;
  std::int64_t source_element_bytes_;
  std::int64_t target_element_bytes_;
  int sign_;
  disk::Volume& source_;
  disk::Volume& target_;
  const PassesOptions& options_;
  PassProgress progress_;
  AlignedBuffer panels_;
  AlignedBuffer tiles_;
  std::vector<disk::Run> runs_;
  std::optional<Twiddles> twiddles_;
  std::optional<Twiddles> chirp_roots_;
  std::vector<PanelLines> lines_;
  std::vector<char*> free_;
  std::optional<Transfer> reading_;
  std::deque<Transfer> writing_;  ///< the oldest first
};

void check_volume(const char* what, const disk::Volume* volume, std::int64_t bytes) {
  const std::int64_t given = volume == nullptr ? 0 : volume->bytes();
  if (given < bytes)
    throw Error(ErrorCode::invalid_argument, std::string("the ") + what + " volume holds " +
                                                 std::to_string(bytes) + " bytes; given " +
                                                 std::to_string(given) + "; give a larger one");
}

}  // namespace

std::int64_t run_passes(const FftPasses& plan, disk::Volume& input, disk::Volume& output,
                        disk::Volume* scratch, const PassesOptions& options) {
  if (options.sign != -1 && options.sign != 1)
    throw Error(ErrorCode::invalid_argument, "the sign of the exponent is -1 or 1; given " +
                                                 std::to_string(options.sign) + "; give -1 or 1");
  check_volume("input", &input, plan.input_bytes());
  check_volume("output", &output, plan.output_bytes());
  check_volume("scratch", scratch, plan.scratch_bytes);
  if (&input == &output || &input == scratch || &output == scratch)
    throw Error(ErrorCode::invalid_argument,
                "input, output and scratch are different volumes; given one twice; give others");
  const auto volume = [&](Where where) -> disk::Volume& {
    return where == Where::scratch ? *scratch : where == Where::output ? output : input;
  };
  std::int64_t most = 0;
  for (std::size_t i = 0; i < plan.passes.size(); ++i) {
    PassRun run(plan, i, volume(plan.passes[i].source), volume(plan.passes[i].target), options);
    most = std::max(most, run.held_bytes());
    run.run();
  }
  return most;
}

}  // namespace weft::ooc
