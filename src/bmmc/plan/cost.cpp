#include "bmmc/plan/cost.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "model/cost.hpp"
#include "model/moving.hpp"
#include "model/pipeline.hpp"

namespace weft::bmmc {
namespace {

class SuperlevelsCostModel {
 public:
  SuperlevelsCostModel(const SuperlevelFft& fft, Precision precision, int threads,
                       const Machine& machine, const model::DiskAssignment& storage)
      : fft_(fft),
        machine_(machine),
        storage_(storage),
        points_(static_cast<double>(fft.points)),
        bytes_(points_ * static_cast<double>(fft.record_bytes)) {
    problem_.precision = precision;
    problem_.threads = threads;
    problem_.ranks = fft.processors;
  }

  SuperlevelsCost cost(const FftAnalysis& analysis) {
    passes_ = analysis.passes;
    for (const PermutationAnalysis& permutation : analysis.permutations)
      for (const PermutationPass& pass : permutation.passes) add_permutation(pass.kind);
    for (const int depth : analysis.depths) add_superlevel(depth);
    cost_.message_s =
        model::message_seconds(machine_.within_node, analysis.messages(), analysis.bytes());
    cost_.seconds += cost_.message_s;
    return cost_;
  }

 private:
  void add_permutation(PassKind kind) {
    const bool reads_blocks = kind == PassKind::mld_inverse || kind == PassKind::grouped;
    const bool writes_blocks = kind == PassKind::mld || kind == PassKind::grouped;
    add_pass(reads_blocks, writes_blocks, moving_s(model::Moved::transposed),
             fft_.permutation_buffers);
  }

  void add_superlevel(int depth) {
    const double lines = std::ldexp(points_, -depth) / static_cast<double>(fft_.processors) *
                         model::line_seconds(machine_, problem_.precision, problem_.effort,
                                             Kind::c2c, std::int64_t{1} << depth);
    const double twiddles = model::twiddle_seconds(machine_, problem_.precision, problem_.effort,
                                                   fft_.points / fft_.processors);
    const double arithmetic_s =
        (lines + twiddles) * model::time_against_one_core(problem_, fft_.processors, machine_);
    add_pass(false, false, arithmetic_s + moving_s(model::Moved::contiguous),
             fft_.butterfly_buffers);
  }

  double moving_s(model::Moved how) const {
    return model::moving_seconds(2 * bytes_ / static_cast<double>(fft_.processors), how, problem_,
                                 fft_.processors, machine_);
  }

  /// Adds a pass. The first pass reads the input, and the last one writes the output. Loads are
  /// loads of all processors together.
  void add_pass(bool reads_blocks, bool writes_blocks, double compute_s, std::int64_t buffers) {
    const model::VolumeRole source =
        done_ == 0 ? model::VolumeRole::input : model::VolumeRole::scratch;
    const model::VolumeRole target =
        ++done_ == passes_ ? model::VolumeRole::output : model::VolumeRole::scratch;
    const std::int64_t load = fft_.processors * (fft_.memory_bytes / buffers);
    const auto loads = static_cast<std::int64_t>(bytes_) / load;
    const auto work = [&](bool blocks) {
      return model::DiskWork{blocks ? load / fft_.block_bytes : 1, static_cast<double>(load)};
    };
    std::vector<double> reading(storage_.disks.size());
    std::vector<double> writing(reading.size());
    add_seconds(storage_, source, model::DiskAccess::read, work(reads_blocks), fft_.block_bytes,
                reading);
    add_seconds(storage_, target, model::DiskAccess::write, work(writes_blocks), fft_.block_bytes,
                writing);
    const auto busiest = [&](const std::vector<double>& seconds) {
      return storage_.asynchronous ? *std::max_element(seconds.begin(), seconds.end())
                                   : std::accumulate(seconds.begin(), seconds.end(), 0.0);
    };
    const auto count = static_cast<double>(loads);
    model::PipelineTimes one{
        .read_s = busiest(reading), .write_s = busiest(writing), .compute_s = compute_s / count};
    std::transform(reading.begin(), reading.end(), writing.begin(), reading.begin(), std::plus{});
    one.disk_s = busiest(reading);
    cost_.disk_s += count * one.disk_s;
    cost_.compute_s += compute_s;
    cost_.seconds += model::pipelined_seconds(one, loads, storage_.asynchronous);
  }

  const SuperlevelFft& fft_;
  const Machine& machine_;
  const model::DiskAssignment& storage_;
  double points_;
  double bytes_;
  std::int64_t passes_ = 0;
  std::int64_t done_ = 0;
  Problem problem_;
  SuperlevelsCost cost_;
};

}  // namespace

SuperlevelsCost cost_of(const SuperlevelFft& fft, const FftAnalysis& analysis, Precision precision,
                        int threads, const Machine& machine, const model::DiskAssignment& storage) {
  check(machine);
  check(storage);
  return SuperlevelsCostModel(fft, precision, threads, machine, storage).cost(analysis);
}

}  // namespace weft::bmmc
