#include "bmmc/plan/analysis.hpp"

#include <algorithm>
#include <bit>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "bmmc/plan/mld_factorisation.hpp"
#include "bmmc/plan/permutations.hpp"

namespace weft::bmmc {
namespace {

/// Values that follow from the sizes.
struct Sizes {
  DiskModel permuting;  ///< with the memory of permutations
  int lg_memoryload;    ///< lg of the records of a load of mini-butterflies, over all processors
};

std::int64_t divided(std::int64_t value, std::int64_t divisor, const std::string& name) {
  const std::int64_t nearest = std::max<std::int64_t>(1, value / divisor);
  if (value < divisor || value % divisor != 0)
    throw Error(ErrorCode::invalid_argument,
                name + " must be a multiple of " + std::to_string(divisor) + " bytes; given " +
                    std::to_string(value) + "; for example " + std::to_string(divisor * nearest));
  return value / divisor;
}

/// Returns the disk model, with one of `buffers` buffers of memory.
DiskModel model_with(const SuperlevelFft& fft, std::int64_t buffers) {
  const std::string name = "the memory of a processor";
  const std::int64_t unit = checked_mul(fft.record_bytes, buffers, name);
  const std::int64_t records = divided(fft.memory_bytes, unit, name);
  const std::int64_t block_records = divided(fft.block_bytes, fft.record_bytes, "a block");
  if (checked_mul(records, fft.processors, name) <
      checked_mul(2, checked_mul(block_records, fft.disks, "a stripe"), "two stripes"))
    throw Error(ErrorCode::invalid_argument,
                "each buffer of memory must hold two blocks of each disk: M >= 2BD; given " +
                    std::to_string(fft.memory_bytes) + " bytes a processor in " +
                    std::to_string(buffers) + " buffers, " + std::to_string(fft.processors) +
                    " processors, and " + std::to_string(fft.disks) + " disks with blocks of " +
                    std::to_string(fft.block_bytes) +
                    " bytes; give more memory, smaller blocks or fewer disks");
  return disk_model(fft.points, records * fft.processors, block_records, fft.disks, fft.processors);
}

Sizes sizes_of(const SuperlevelFft& fft) {
  if (fft.record_bytes < 1 || fft.butterfly_buffers < 1 || fft.permutation_buffers < 1)
    throw Error(ErrorCode::invalid_argument,
                "a record has at least 1 byte and memory at least 1 buffer; given " +
                    std::to_string(fft.record_bytes) + " bytes, " +
                    std::to_string(fft.butterfly_buffers) + " and " +
                    std::to_string(fft.permutation_buffers) + " buffers; give 1 or more");
  if (fft.processors < 1 || fft.disks < fft.processors)
    throw Error(ErrorCode::invalid_argument,
                "there is at least 1 processor, each with a disk of its own: P <= D; given " +
                    std::to_string(fft.processors) + " processors and " +
                    std::to_string(fft.disks) +
                    " disks; count a shared disk once for each processor");
  const std::int64_t in_memory =
      checked_mul(fft.memory_bytes / fft.record_bytes, fft.processors, "memory");
  if (fft.points <= in_memory)
    throw Error(
        ErrorCode::invalid_argument,
        "out of core N is more than memory holds: N > M; given N = " + std::to_string(fft.points) +
            " points and memory of " + std::to_string(in_memory) + " records; transform in memory");
  checked_mul(fft.points, fft.record_bytes, "bytes of the data");
  return {model_with(fft, fft.permutation_buffers), model_with(fft, fft.butterfly_buffers).m};
}

bool communicates(FftMethod method) {
  return method == FftMethod::stripe_communicating || method == FftMethod::memoryload_communicating;
}

int lg_band_of(FftMethod method, const Sizes& sizes) {
  if (method == FftMethod::stripe_communicating) return sizes.permuting.b + sizes.permuting.d;
  return method == FftMethod::processor_local ? sizes.permuting.n : sizes.lg_memoryload;
}

std::vector<int> depths_of(int n, int lg_span) {
  std::vector<int> depths;
  for (int rest = n; rest > 0; rest -= lg_span) depths.push_back(std::min(rest, lg_span));
  return depths;
}

PermutationAnalysis permuted(const std::string& name, const BitMatrix& a, const DiskModel& disks,
                             Factoring factoring) {
  PermutationAnalysis result{name, {}, {}};
  result.passes = factoring == Factoring::published
                      ? dispersal_factors({a}, disks, SwapOrder::lowest_first)
                      : factored({a}, disks);
  for (const PermutationPass& pass : result.passes)
    result.crossings.push_back(processor_traffic(pass, disks));
  return result;
}

/// Returns the permutations: bit reversal from band size BD, then a rotation after each superlevel,
/// the last one to band size BD.
std::vector<PermutationAnalysis> permutations_of(const std::vector<int>& depths, int lg_band,
                                                 const DiskModel& disks, Factoring factoring) {
  const BitMatrix place = placement(lg_band, disks);
  const BitMatrix back = inverse(place);
  std::vector<PermutationAnalysis> all = {
      permuted("bit reversal", place * bit_reversal(disks.n), disks, factoring)};
  for (std::size_t level = 0; level < depths.size(); ++level) {
    const BitMatrix rotated = right_rotation(disks.n, depths[level]) * back;
    const bool is_last = level + 1 == depths.size();
    all.push_back(permuted("rotation by " + std::to_string(depths[level]),
                           is_last ? rotated : place * rotated, disks, factoring));
  }
  return all;
}

std::vector<Superlevel> levels_of(const FftAnalysis& analysis, const Sizes& sizes) {
  const BitMatrix place = placement(analysis.lg_band, sizes.permuting);
  std::vector<Superlevel> levels;
  int done = 0;
  for (const int depth : analysis.depths) {
    levels.push_back(superlevel(depth, done, sizes.lg_memoryload, place, sizes.permuting));
    done += depth;
  }
  return levels;
}

void count_butterflies(const SuperlevelFft& fft, const DiskModel& disks, FftAnalysis& result) {
  if (!communicates(result.method)) return;
  const std::int64_t loads = std::int64_t{1} << (disks.n - result.lg_span);
  const std::int64_t load_bytes =
      (std::int64_t{1} << (result.lg_span - disks.p)) * fft.record_bytes;
  for (const int depth : result.depths) {
    const std::int64_t crossing_stages = std::clamp(depth - (result.lg_band - disks.p), 0, disks.p);
    result.butterfly_messages += 2 * crossing_stages * loads;
    result.butterfly_bytes += crossing_stages * loads * load_bytes;
  }
}

}  // namespace

FftAnalysis analyze(const SuperlevelFft& fft, FftMethod method) {
  const Sizes sizes = sizes_of(fft);
  const DiskModel& disks = sizes.permuting;
  FftAnalysis result;
  result.fft = fft;
  result.method = method;
  result.disks = disks;
  result.lg_band = lg_band_of(method, sizes);
  result.lg_span = sizes.lg_memoryload - (communicates(method) ? 0 : disks.p);
  if (result.lg_span < 1)
    throw Error(ErrorCode::invalid_argument,
                "a mini-butterfly spans at least 2 records; a buffer of one processor holds 1; "
                "give more memory");
  result.depths = depths_of(disks.n, result.lg_span);
  result.permutations = permutations_of(result.depths, result.lg_band, disks, fft.factoring);
  count_butterflies(fft, disks, result);
  result.levels = levels_of(result, sizes);
  const auto superlevels = static_cast<std::int64_t>(result.depths.size());
  result.passes = superlevels;
  result.parallel_ios = superlevels * disks.ios_of_a_pass();
  for (const PermutationAnalysis& each : result.permutations) {
    result.passes += static_cast<std::int64_t>(each.passes.size());
    result.parallel_ios += parallel_ios(each.passes, disks);
    for (const ProcessorTraffic& crossed : each.crossings) {
      result.permutation_messages += crossed.messages;
      result.permutation_bytes += crossed.records * fft.record_bytes;
    }
  }
  return result;
}

std::pair<int, int> superlevel_range(int lg_span, int superlevels) {
  return {lg_span * (superlevels - 1) + 1, lg_span * superlevels};
}

}  // namespace weft::bmmc
