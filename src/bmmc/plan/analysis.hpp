#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bmmc/plan/permutation_pass.hpp"
#include "bmmc/plan/processor_traffic.hpp"
#include "bmmc/plan/superlevel.hpp"

namespace weft::bmmc {

/// The four variants of Cormen and Nicol (paper 003), section 6. They differ in the band size beta:
/// a processor has beta/P consecutive records. They also differ in the span F of a mini-butterfly,
/// a transform of F points in memory.
enum class FftMethod {
  stripe_communicating,      ///< beta = BD, F = M
  memoryload_communicating,  ///< beta = M, F = M
  processor_local,           ///< beta = N, F = M/P
  memoryload_local           ///< beta = M, F = M/P
};
extern const std::vector<FftMethod> fft_methods;
/// Returns the paper's name, such as "stripe-major/communication".
const char* to_string(FftMethod method);
/// Inverse of to_string(). Errors: Error(invalid_argument) that lists the words.
FftMethod fft_method_of(std::string_view word);

/// The factors of the permutations that are counted.
enum class Factoring {
  published,      ///< MLD passes and an MRC pass, lowest bits first; reproduces paper 003, Fig. 7
  least_crossing  ///< the choice of factored()
};

const char* to_string(Factoring factoring);
/// Inverse of to_string(). Errors: Error(invalid_argument) that lists the words.
Factoring factoring_of(std::string_view word);

/// An out-of-core FFT by superlevels. Numbers are powers of two.
struct SuperlevelFft {
  std::int64_t points = 0;
  std::int64_t memory_bytes = 0;  ///< of each processor
  std::int64_t block_bytes = 0;
  std::int64_t disks = 1;
  std::int64_t processors = 1;
  std::int64_t record_bytes = 16;
  /// Number of buffers into which memory is divided. One buffer holds a load of mini-butterflies.
  std::int64_t butterfly_buffers = 2;
  /// Number of buffers while records are permuted.
  std::int64_t permutation_buffers = 4;
  Factoring factoring = Factoring::least_crossing;
  friend bool operator==(const SuperlevelFft&, const SuperlevelFft&) = default;
};

/// One permutation of the whole array: its passes and the traffic between processors in each.
struct PermutationAnalysis {
  std::string name;
  std::vector<PermutationPass> passes;
  std::vector<ProcessorTraffic> crossings;
};

struct FftAnalysis {
  SuperlevelFft fft;  ///< the analyzed transform
  FftMethod method = FftMethod::stripe_communicating;
  DiskModel disks;          ///< its memory is that of permutations
  int lg_band = 0;          ///< lg of beta, in records
  int lg_span = 0;          ///< lg of F, in records
  std::vector<int> depths;  ///< number of butterfly stages of each superlevel
  std::vector<Superlevel> levels;
  std::vector<PermutationAnalysis> permutations;  ///< one before the first superlevel, then one
                                                  ///< after each
  std::int64_t passes = 0;                        ///< passes over the disks, for permutations and
                                                  ///< superlevels
  std::int64_t parallel_ios = 0;
  // For one processor. If processors differ, messages are those of the busiest, and bytes are the
  // average.
  std::int64_t butterfly_messages = 0;
  std::int64_t butterfly_bytes = 0;
  std::int64_t permutation_messages = 0;
  std::int64_t permutation_bytes = 0;

  std::int64_t messages() const { return butterfly_messages + permutation_messages; }
  std::int64_t bytes() const { return butterfly_bytes + permutation_bytes; }
  /// The other members follow from these two.
  friend bool operator==(const FftAnalysis& a, const FftAnalysis& b) {
    return a.method == b.method && a.fft == b.fft;
  }
};

/// Counts the work of a method without any data. The work is a bit reversal, then in each
/// superlevel N/F mini-butterflies and a rotation by its depth. The permutations also convert the
/// band size.
///
/// A stage of mini-butterflies may have inputs on two processors. It then needs two messages of
/// half a load each: one for half of the inputs, and one for half of the results.
///
/// Errors  Error(invalid_argument) unless all sizes are powers of two, P <= D, F >= 2, and N
///         exceeds memory. Each buffer must have room for two blocks of each disk.
/// Cost    milliseconds for all sizes.
/// Source  Cormen and Nicol (003), sections 5 and 6.
FftAnalysis analyze(const SuperlevelFft& fft, FftMethod method);

/// Returns lg of the smallest and largest N for this number of superlevels.
std::pair<int, int> superlevel_range(int lg_span, int superlevels);

}  // namespace weft::bmmc
