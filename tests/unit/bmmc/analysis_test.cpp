#include "bmmc/plan/analysis.hpp"

#include <gtest/gtest.h>

#include <ctime>

#include "bmmc/plan/permutations.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::bmmc {
namespace {

using test_support::expect_error;

/// Returns the computer FLEET of paper 003, Fig. 7. The paper does not give B; docs/out-of-core.md
/// gives the assumed value.
SuperlevelFft fleet() {
  return {.points = 1 << 25,
          .memory_bytes = 1 << 24,
          .block_bytes = 8192,
          .disks = 4,
          .processors = 4,
          .factoring = Factoring::published};
}

struct Row {
  FftMethod method;
  std::int64_t butterfly_messages, butterfly_mb, permutation_messages, permutation_mb;
  std::int64_t messages, mb;
};

/// Cuts off the fraction. The paper says "to the nearest million bytes", but its 603 and 771 are
/// 603.98 and 771.75 cut off.
std::int64_t to_mb(std::int64_t bytes) { return bytes / 1000000; }

TEST(Superlevels, have_every_number_of_the_table_of_figure_7) {
  const std::vector<Row> table = {
      {FftMethod::stripe_communicating, 64, 268, 480, 503, 544, 771},
      {FftMethod::memoryload_communicating, 64, 268, 504, 603, 568, 872},
      {FftMethod::processor_local, 0, 0, 480, 503, 480, 503},
      {FftMethod::memoryload_local, 0, 0, 480, 503, 480, 503}};
  for (const Row& row : table) {
    SCOPED_TRACE(to_string(row.method));
    const FftAnalysis found = analyze(fleet(), row.method);
    EXPECT_EQ(found.butterfly_messages, row.butterfly_messages);
    EXPECT_EQ(to_mb(found.butterfly_bytes), row.butterfly_mb);
    EXPECT_EQ(found.permutation_messages, row.permutation_messages);
    EXPECT_EQ(to_mb(found.permutation_bytes), row.permutation_mb);
    EXPECT_EQ(found.messages(), row.messages);
    EXPECT_EQ(to_mb(found.bytes()), row.mb);
    EXPECT_EQ(found.depths.size(), 2u);
    EXPECT_EQ(found.passes, 8);
    EXPECT_EQ(found.parallel_ios, 8 * 2 * (std::int64_t{1} << 25) / (512 * 4));
  }
}

TEST(Superlevels, messages_of_figure_7_do_not_depend_on_the_block_size) {
  for (const std::int64_t block_bytes : {2048, 4096, 8192, 16384}) {
    SuperlevelFft fft = fleet();
    fft.block_bytes = block_bytes;
    EXPECT_EQ(analyze(fft, FftMethod::stripe_communicating).messages(), 544) << block_bytes;
    EXPECT_EQ(analyze(fft, FftMethod::memoryload_communicating).messages(), 568) << block_bytes;
    EXPECT_EQ(analyze(fft, FftMethod::processor_local).messages(), 480) << block_bytes;
    EXPECT_EQ(analyze(fft, FftMethod::memoryload_local).messages(), 480) << block_bytes;
  }
}

TEST(Superlevels, least_crossing_sends_less) {
  SuperlevelFft fft = fleet();
  fft.factoring = Factoring::least_crossing;
  for (const FftMethod method : fft_methods) {
    const FftAnalysis ours = analyze(fft, method);
    const FftAnalysis published = analyze(fleet(), method);
    EXPECT_EQ(ours.permutation_bytes, 3 * (3 << 20) * 32) << to_string(method);
    EXPECT_LT(ours.bytes(), published.bytes()) << to_string(method);
    EXPECT_EQ(ours.passes, published.passes);
  }
}

/// These cases have one processor, whose memory is one buffer. The reversal needs ceil(min(m, n -
/// m) / (m - b)) + 1 passes, and each superlevel one more.
TEST(Superlevels, passes_are_those_of_the_formula) {
  struct Case {
    int n, m, b;
    std::int64_t passes;
  };
  for (const Case& each : {Case{36, 30, 12, 8}, Case{40, 30, 12, 8}, Case{42, 33, 12, 8},
                           Case{36, 30, 18, 8}, Case{46, 33, 14, 8}, Case{24, 23, 12, 8},
                           Case{25, 21, 12, 8}, Case{36, 30, 27, 11}, Case{36, 30, 26, 11}}) {
    const SuperlevelFft fft{.points = std::int64_t{1} << each.n,
                            .memory_bytes = std::int64_t{16} << each.m,
                            .block_bytes = std::int64_t{16} << each.b,
                            .butterfly_buffers = 1,
                            .permutation_buffers = 1,
                            .factoring = Factoring::published};
    EXPECT_EQ(analyze(fft, FftMethod::stripe_communicating).passes, each.passes)
        << each.n << " " << each.m << " " << each.b;
  }
}

/// Changes of the band size cancel, and the rotations add up to a full turn. So the bit reversal
/// remains.
TEST(Superlevels, permutations_together_are_the_bit_reversal) {
  for (const FftMethod method : fft_methods)
    for (const Factoring factoring : {Factoring::published, Factoring::least_crossing}) {
      SuperlevelFft fft = fleet();
      fft.factoring = factoring;
      std::vector<PermutationPass> passes;
      for (const PermutationAnalysis& each : analyze(fft, method).permutations)
        passes.insert(passes.end(), each.passes.begin(), each.passes.end());
      EXPECT_EQ(composed(passes, 25), Bmmc{bit_reversal(25)}) << to_string(method);
    }
}

TEST(Superlevels, one_processor_sends_nothing) {
  const SuperlevelFft fft{.points = std::int64_t{1} << 36,
                          .memory_bytes = std::int64_t{1} << 34,
                          .block_bytes = 1 << 16,
                          .disks = 4};
  for (const FftMethod method : fft_methods) {
    const FftAnalysis found = analyze(fft, method);
    EXPECT_EQ(found.messages() + found.bytes(), 0);
    EXPECT_EQ(found.passes, 8);
  }
}

/// Paper 003, section 6: M/P = 2^20 records, P = 256.
TEST(Superlevels, two_superlevels_suffice_in_the_range_of_the_paper) {
  EXPECT_EQ(superlevel_range(28, 2), std::make_pair(29, 56));
  EXPECT_EQ(superlevel_range(20, 2), std::make_pair(21, 40));
  SuperlevelFft fft{.points = std::int64_t{1} << 40,
                    .memory_bytes = 1 << 24,
                    .block_bytes = 8192,
                    .disks = 256,
                    .processors = 256,
                    .butterfly_buffers = 1,
                    .permutation_buffers = 1};
  EXPECT_EQ(analyze(fft, FftMethod::memoryload_local).depths, (std::vector<int>{20, 20}));
  EXPECT_EQ(analyze(fft, FftMethod::stripe_communicating).depths, (std::vector<int>{28, 12}));
  fft.points *= 2;
  EXPECT_EQ(analyze(fft, FftMethod::memoryload_local).depths, (std::vector<int>{20, 20, 1}));
}

TEST(Superlevels, are_analysed_in_well_under_a_second) {
  const std::clock_t start = std::clock();  // processor time, without other programs
  for (const FftMethod method : fft_methods) analyze(fleet(), method);
  EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC);
}

TEST(Superlevels, refuse_impossible_sizes) {
  const auto refused = [](const std::vector<std::string>& words, auto change) {
    SuperlevelFft fft = fleet();
    change(fft);
    expect_error(ErrorCode::invalid_argument, words,
                 [&] { analyze(fft, FftMethod::stripe_communicating); });
  };
  refused({"power of two", "1000000000"}, [](SuperlevelFft& f) { f.points = 1000000000; });
  refused({"N > M", "2097152", "4194304"}, [](SuperlevelFft& f) { f.points = 1 << 21; });
  refused({"M >= 2BD"}, [](SuperlevelFft& f) { f.block_bytes = 1 << 22; });
  refused({"4 buffers", "4194304 bytes"}, [](SuperlevelFft& f) { f.block_bytes = 1 << 22; });
  refused({"P <= D", "4 processors", "2 disks"}, [](SuperlevelFft& f) { f.disks = 2; });
  refused({"at least 1 processor", "-4"}, [](SuperlevelFft& f) { f.processors = -4; });
  refused({"processors", "power of two", "3"}, [](SuperlevelFft& f) { f.processors = 3; });
  refused({"block", "16"}, [](SuperlevelFft& f) { f.block_bytes = 8; });
  refused({"1 buffer", "0 and 4"}, [](SuperlevelFft& f) { f.butterfly_buffers = 0; });
  refused({"power of two", "memory", "4000000"},
          [](SuperlevelFft& f) { f.memory_bytes = 64000000; });
  expect_error(ErrorCode::invalid_argument, {"stripe-major/communication", "fastest"},
               [] { fft_method_of("fastest"); });
}

}  // namespace
}  // namespace weft::bmmc
