// Predicted time of superlevels, on machines with round figures.
#include "bmmc/plan/cost.hpp"

#include <gtest/gtest.h>

#include "unit/support/round_prices.hpp"

namespace weft::bmmc {
namespace {

using namespace test_support;

constexpr std::int64_t mib = 1 << 20;

TEST(Price, of_superlevels_is_that_of_their_passes) {
  const SuperlevelFft fft{.points = 1 << 20,
                          .memory_bytes = mib,
                          .block_bytes = 4096,
                          .butterfly_buffers = 4,
                          .permutation_buffers = 8};
  const FftAnalysis analysis = analyze(fft, FftMethod::stripe_communicating);
  Disk disk = round_disk();
  disk.read_access_s = disk.write_access_s = 0;
  const auto price = [&] {
    return cost_of(fft, analysis, Precision::f64, 1, round_machine(), {.disks = {disk}});
  };
  const double pass_s = 16.0 * (1 << 20) * (1 / 1e6 + 1 / 5e5);
  EXPECT_NEAR(price().disk_s, static_cast<double>(analysis.passes) * pass_s, 1e-6);
  EXPECT_EQ(price().message_s, 0);
  EXPECT_GE(price().seconds, price().disk_s * 0.999);
  // Striped I/O makes one access for each load: 1/4 of memory in butterflies, 1/8 in permutations.
  // Independent I/O makes one access for each block.
  disk.read_access_s = disk.write_access_s = 1;
  disk.read_bytes_per_s = disk.write_bytes_per_s = 1e30;
  double accesses = 2 * 64 * static_cast<double>(analysis.depths.size());
  int independent = 0;
  for (const PermutationAnalysis& permutation : analysis.permutations)
    for (const PermutationPass& pass : permutation.passes) {
      EXPECT_NE(pass.kind, PassKind::grouped);
      accesses += pass.kind == PassKind::mrc ? 2 * 128 : 128 + 4096;
      independent += pass.kind == PassKind::mrc ? 0 : 1;
    }
  EXPECT_GT(independent, 0);
  EXPECT_NEAR(price().disk_s, accesses, 1e-6);
}

}  // namespace
}  // namespace weft::bmmc
