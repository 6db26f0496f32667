#include "bmmc/run/superlevel_pass.hpp"

#include <array>
#include <optional>
#include <variant>
#include <vector>

#include "base/memory.hpp"
#include "bmmc/run/butterflies.hpp"
#include "kernel/finite.hpp"

namespace weft::bmmc {
namespace {

using ButterflyWork = std::variant<LocalButterflies, CrossingButterflies>;

/// One superlevel of one processor.
class SuperlevelRunner {
 public:
  SuperlevelRunner(const Superlevel& level, const DiskModel& disks, disk::Volume& volume, int sign,
                   long double scale, const kernel::LocalOptions& options, const RecordRun& run)
      : level_(level),
        disks_(disks),
        options_(options),
        run_(run),
        processor_(run.processor()),
        block_bytes_(run.record_bytes << disks.b),
        load_bytes_(run.record_bytes << (level.lg_load - disks.p)),
        read_(volume),
        written_{LoadTransfer(volume), LoadTransfer(volume), LoadTransfer(volume)} {
    for (AlignedBuffer& buffer : buffers_) buffer = AlignedBuffer(load_bytes_);
    for (const ButterflyStep& step : level.steps) {
      if (step.is_local) {
        steps_.emplace_back(LocalButterflies(level, step, processor_, sign, scale, options));
        scale = 1;  // only the first local step applies the scale
      } else {
        steps_.emplace_back(CrossingButterflies(level, step, processor_, sign, options));
        if (received_.size() == 0) received_ = AlignedBuffer(load_bytes_ / 2);
      }
    }
  }

  void execute() {
    run_.together([&] { start_read(0); });
    for (std::int64_t load = 0; load < loads(); ++load) {
      run_.together([&] {
        deferred_.settle();
        wait_for(read_, times().butterfly_read_s);
        start_read(load + 1);
      });
      look_for_not_finite(load);
      for (std::size_t k = 0; k < steps_.size(); ++k) execute_step(k, load);
      deferred_.run([&] {
        start_write(load);
        if (run_.on_load) run_.on_load();
      });
    }
    run_.together([&] {
      deferred_.settle();
      for (LoadTransfer& written : written_) wait_for(written, times().butterfly_write_s);
    });
  }

 private:
  SuperlevelTimes& times() const { return run_.counts->times; }
  std::int64_t loads() const { return std::int64_t{1} << (disks_.n - level_.lg_load); }
  static std::size_t buffer_index(std::int64_t load) { return static_cast<std::size_t>(load % 3); }
  char* memory(std::int64_t load) { return buffers_.at(buffer_index(load)).as<char>(); }

  void wait_for(LoadTransfer& transfer, double& seconds) {
    watch_ = PhaseClock();
    transfer.wait();
    watch_.add_to(seconds);
  }

  /// Load `load` - 3 used the same buffer, so its write must end first.
  void start_read(std::int64_t load) {
    if (load >= loads()) return;
    wait_for(written_.at(buffer_index(load)), times().butterfly_write_s);
    start_transfer(true, load, read_);
    watch_.add_to(times().butterfly_read_s);
  }

  void start_write(std::int64_t load) {
    watch_ = PhaseClock();
    start_transfer(false, load, written_.at(buffer_index(load)));
    watch_.add_to(times().butterfly_write_s);
  }

  /// The stripes of a load are consecutive, and this processor's disks are neighbours. So a
  /// transfer has one run for each stripe.
  void start_transfer(bool reads, std::int64_t load, LoadTransfer& transfer) {
    const std::int64_t disks = std::int64_t{1} << disks_.d;
    const std::int64_t own = disks >> disks_.p;
    const std::int64_t stripes = std::int64_t{1} << (level_.lg_load - disks_.b - disks_.d);
    char* at = memory(load);
    std::vector<std::int64_t> blocks(static_cast<std::size_t>(own));
    for (std::int64_t stripe = load * stripes; stripe < (load + 1) * stripes; ++stripe) {
      for (std::int64_t k = 0; k < own; ++k)
        blocks[static_cast<std::size_t>(k)] = stripe * disks + processor_ * own + k;
      transfer.start(reads, blocks, block_bytes_, at);
      at += own * block_bytes_;
      ++run_.counts->parallel_ios;
    }
  }

  void look_for_not_finite(std::int64_t load) {
    if (!run_.counts->looks_at_input || run_.counts->found_not_finite) return;
    const std::int64_t reals = 2 * load_bytes_ / run_.record_bytes;
    run_.counts->found_not_finite =
        !kernel::all_finite(options_.precision, reals, options_.threads, memory(load));
  }

  void execute_step(std::size_t k, std::int64_t load) {
    const ButterflyStep& step = level_.steps[k];
    watch_ = PhaseClock();
    if (const auto* local = std::get_if<LocalButterflies>(&steps_[k])) {
      deferred_.run([&] { local->execute(memory(load), load); });
      watch_.add_to(times().butterfly_compute_s);
    } else {
      cross(std::get<CrossingButterflies>(steps_[k]), step, load);
    }
  }

  /// Each processor sends half of its inputs to its peer, and receives half of the results.
  void cross(const CrossingButterflies& butterflies, const ButterflyStep& step, std::int64_t load) {
    const bool is_zero = (processor_ >> step.processor_bit & 1) == 0;
    const int peer = processor_ ^ (1 << step.processor_bit);
    const std::int64_t half_bytes = load_bytes_ / 2;
    const std::int64_t half = half_bytes / run_.record_bytes;
    char* const own = memory(load) + (is_zero ? 0 : half_bytes);
    char* const other = memory(load) + (is_zero ? half_bytes : 0);
    char* const received = received_.as<char>();
    swap_with(peer, other, received, half_bytes);
    butterflies.execute(is_zero ? own : received, is_zero ? received : own, is_zero ? 0 : half,
                        half, load);
    watch_.add_to(times().butterfly_compute_s);
    swap_with(peer, received, other, half_bytes);
  }

  void swap_with(int peer, char* from, char* to, std::int64_t bytes) {
    const std::array<ProcessorExchange::ProcessorMessage, 1> sent = {{{peer, from, bytes}}};
    const std::array<ProcessorExchange::ProcessorMessage, 1> received = {{{peer, to, bytes}}};
    run_.peers->exchange(sent, received);
    watch_.add_to(times().butterfly_communication_s);
    ++run_.counts->butterflies.messages;
    run_.counts->butterflies.bytes += bytes;
  }

  const Superlevel& level_;
  const DiskModel& disks_;
  const kernel::LocalOptions& options_;
  const RecordRun& run_;
  const int processor_;
  const std::int64_t block_bytes_;
  const std::int64_t load_bytes_;
  std::vector<ButterflyWork> steps_;
  std::array<AlignedBuffer, 3> buffers_;
  AlignedBuffer received_;
  Deferred deferred_;
  PhaseClock watch_;
  // These are the last members, so that all transfers end before the buffers are freed.
  LoadTransfer read_;
  std::array<LoadTransfer, 3> written_;
};

}  // namespace

void execute_superlevel(const Superlevel& level, const DiskModel& disks, disk::Volume& volume,
                        int sign, long double scale, const kernel::LocalOptions& options,
                        const RecordRun& run) {
  std::optional<SuperlevelRunner> runner;
  run.together([&] { runner.emplace(level, disks, volume, sign, scale, options, run); });
  runner->execute();
}

}  // namespace weft::bmmc
