// FFTs by superlevels, and permutations, on disks in memory, by one processor and by several.
#include "bmmc/run/run_superlevels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "bmmc/plan/mld_factorisation.hpp"
#include "bmmc/plan/permutations.hpp"
#include "bmmc/plan/processor_traffic.hpp"
#include "bmmc/run/permute.hpp"
#include "bmmc/run/superlevel_pass.hpp"
#include "support/ooc_reference.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"
#include "unit/support/model_disks.hpp"
#include "unit/support/random_bits.hpp"
#include "unit/support/thread_processor_exchange.hpp"

namespace weft::bmmc {
namespace {

using test_support::Exact;
using test_support::expect_error;
using test_support::ModelDisks;
using test_support::on_processors;
using test_support::random_exact;
using test_support::random_nonsingular;
using test_support::transform_exact;

/// Logarithms of numbers: points, records in a processor's memory, records in a block, disks, and
/// processors.
struct Sizes {
  int n, lg_memory, b, d, p;
};

std::string name_of(const Sizes& k) {
  return "n " + std::to_string(k.n) + ", memory " + std::to_string(k.lg_memory) + ", b " +
         std::to_string(k.b) + ", d " + std::to_string(k.d) + ", p " + std::to_string(k.p);
}

FftAnalysis analyzed(const Sizes& k, FftMethod method, std::int64_t record_bytes) {
  return analyze({.points = std::int64_t{1} << k.n,
                  .memory_bytes = record_bytes << k.lg_memory,
                  .block_bytes = record_bytes << k.b,
                  .disks = std::int64_t{1} << k.d,
                  .processors = std::int64_t{1} << k.p,
                  .record_bytes = record_bytes,
                  .butterfly_buffers = butterfly_buffers,
                  .permutation_buffers = permuting_buffers},
                 method);
}

/// Cases: one superlevel and a short one; three superlevels; one stage in the last one; several
/// disks for each processor, and one; blocks of one record; four and eight processors.
const std::vector<Sizes> cases = {
    {10, 8, 2, 0, 0}, {12, 8, 1, 2, 0}, {13, 6, 0, 1, 0}, {11, 7, 1, 1, 1}, {12, 8, 2, 3, 2},
    {12, 7, 2, 2, 2}, {14, 7, 1, 3, 2}, {12, 7, 0, 3, 3}, {9, 6, 0, 2, 1},  {16, 15, 5, 2, 0},
};

struct Ran {
  std::vector<SuperlevelCounts> counts;  ///< of each processor
  std::int64_t parallel_ios = 0;         ///< I/Os of one processor, counted by its disks
};

template <class Real>
Ran run(const FftAnalysis& fft, const SuperlevelsOptions& options, Exact& data) {
  constexpr std::size_t record_bytes = sizeof(std::complex<Real>);
  ModelDisks input(fft.disks, record_bytes), output(fft.disks, record_bytes),
      scratch(fft.disks, record_bytes);
  for (std::size_t k = 0; k < data.size(); ++k)
    input.as<std::complex<Real>>()[k] = {Real(data[k].real()), Real(data[k].imag())};
  const std::vector<std::uint64_t> before = input.records();
  Ran ran;
  const int processors = 1 << fft.disks.p;
  ran.counts.resize(static_cast<std::size_t>(processors));
  on_processors(processors, [&](int processor, ProcessorExchange& peers) {
    ModelDisks in = input.seen_by(processor), out = output.seen_by(processor),
               other = scratch.seen_by(processor);
    ran.counts[static_cast<std::size_t>(processor)] =
        run_superlevels(fft, {&in, &out, &other}, options, processors > 1 ? &peers : nullptr);
    EXPECT_EQ(in.writes(), 0);
    EXPECT_EQ(in.under_way() + out.under_way() + other.under_way(), 0);
    const std::int64_t ios =
        in.reads() + out.reads() + other.reads() + out.writes() + other.writes();
    EXPECT_EQ(ios, fft.parallel_ios) << "processor " << processor;
    EXPECT_EQ(ran.counts[static_cast<std::size_t>(processor)].parallel_ios, ios);
  });
  EXPECT_EQ(input.records(), before);
  for (std::size_t k = 0; k < data.size(); ++k) data[k] = output.as<std::complex<Real>>()[k];
  return ran;
}

/// Returns the messages of the busiest processor, and the average bytes.
MessageCount of_all(const std::vector<SuperlevelCounts>& counts,
                    MessageCount SuperlevelCounts::*part) {
  MessageCount all;
  for (const SuperlevelCounts& each : counts) {
    all.messages = std::max(all.messages, (each.*part).messages);
    all.bytes += (each.*part).bytes;
  }
  EXPECT_EQ(all.bytes % std::ssize(counts), 0);
  return {all.messages, all.bytes / std::ssize(counts)};
}

void expect_counts(const FftAnalysis& fft, const Ran& ran) {
  const MessageCount permuting = of_all(ran.counts, &SuperlevelCounts::permuting);
  const MessageCount butterflies = of_all(ran.counts, &SuperlevelCounts::butterflies);
  EXPECT_EQ(permuting.messages, fft.permutation_messages);
  EXPECT_EQ(permuting.bytes, fft.permutation_bytes);
  EXPECT_EQ(butterflies.messages, fft.butterfly_messages);
  EXPECT_EQ(butterflies.bytes, fft.butterfly_bytes);
}

long double error_of(const Exact& found, const Exact& expected, long double scale) {
  long double error = 0, norm = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    error += std::norm(found[k] - expected[k] * scale);
    norm += std::norm(expected[k] * scale);
  }
  return std::sqrt(error / norm);
}

class Variants : public testing::TestWithParam<FftMethod> {};

TEST_P(Variants, transform_and_send_the_predicted_messages) {
  const std::uint64_t seed = test_support::chosen_seed(20270);
  SCOPED_TRACE(test_support::repeated_by(seed));
  int communicating = 0;
  for (const Sizes& sizes : cases)
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const int sign : {-1, 1}) {
        SCOPED_TRACE(name_of(sizes) + (sign < 0 ? ", forward" : ", backward") +
                     (precision == Precision::f32 ? ", f32" : ", f64"));
        const FftAnalysis fft = analyzed(sizes, GetParam(), complex_bytes(precision));
        Exact found = random_exact(std::int64_t{1} << sizes.n, seed, false);
        if (precision == Precision::f32)
          for (auto& x : found) x = {float(x.real()), float(x.imag())};
        else
          for (auto& x : found) x = {double(x.real()), double(x.imag())};
        Exact expected = found;
        transform_exact(expected, {std::int64_t{1} << sizes.n}, 0, sign);
        const long double scale = sign > 0 ? 1.0L / (1 << sizes.n) : 1;
        const SuperlevelsOptions options{
            .local = {.precision = precision}, .sign = sign, .scale = scale};
        const Ran ran = precision == Precision::f32 ? run<float>(fft, options, found)
                                                    : run<double>(fft, options, found);
        const long double eps = precision == Precision::f32 ? 0x1p-23L : 0x1p-52L;
        EXPECT_LT(error_of(found, expected, scale), 4 * eps * std::sqrt(sizes.n));
        expect_counts(fft, ran);
        communicating += fft.butterfly_messages > 0 ? 1 : 0;
      }
  const bool communicates = GetParam() == FftMethod::stripe_communicating ||
                            GetParam() == FftMethod::memoryload_communicating;
  EXPECT_EQ(communicating > 0, communicates);
}

INSTANTIATE_TEST_SUITE_P(All, Variants, testing::ValuesIn(fft_methods),
                         [](const auto& given) { return std::to_string(int(given.param)); });

TEST(Superlevels, threads_give_the_same_result) {
  const std::uint64_t seed = test_support::chosen_seed(20270);
  SCOPED_TRACE(test_support::repeated_by(seed));
  const FftAnalysis fft = analyzed({14, 12, 3, 1, 0}, FftMethod::processor_local, 16);
  Exact one = random_exact(1 << 14, seed, false), other = one;
  run<double>(fft, {}, one);
  run<double>(fft, {.local = {.threads = 3}}, other);
  EXPECT_EQ(one, other);
}

TEST(Superlevels, report_their_progress) {
  const std::uint64_t seed = test_support::chosen_seed(20270);
  SCOPED_TRACE(test_support::repeated_by(seed));
  const FftAnalysis fft = analyzed({12, 8, 2, 1, 0}, FftMethod::processor_local, 16);
  std::vector<std::int64_t> done;
  std::int64_t loads = 0;
  Exact data = random_exact(1 << 12, seed, false);
  run<double>(
      fft, {.on_load = [&](std::int64_t at, std::int64_t of) { done.push_back(at), loads = of; }},
      data);
  ASSERT_EQ(std::ssize(done), loads);
  for (std::int64_t k = 0; k < loads; ++k) EXPECT_EQ(done[static_cast<std::size_t>(k)], k + 1);
}

TEST(Superlevels, an_error_of_one_processor_is_thrown_by_all) {
  const FftAnalysis fft = analyzed({12, 7, 2, 2, 2}, FftMethod::stripe_communicating, 16);
  ModelDisks input(fft.disks, 16), output(fft.disks, 16), scratch(fft.disks, 16);
  for (const int where : {0, 1, 2})
    for (const std::int64_t ticket : {0, 5, 31, 32, 63}) {
      std::vector<int> refused(4);
      on_processors(4, [&](int processor, ProcessorExchange& peers) {
        ModelDisks in = input.seen_by(processor), out = output.seen_by(processor),
                   other = scratch.seen_by(processor);
        if (processor == 2) (where == 0 ? in : where == 1 ? out : other).fail_ticket(ticket);
        try {
          run_superlevels(fft, {&in, &out, &other}, {}, &peers);
        } catch (const Error& error) {
          refused[static_cast<std::size_t>(processor)] = error.code() == ErrorCode::io_failure;
        }
        EXPECT_EQ(in.under_way() + out.under_way() + other.under_way(), 0);
      });
      EXPECT_EQ(refused, std::vector<int>(4, 1)) << where << ", ticket " << ticket;
    }
}

/// Compares the predicted traffic with a count of each message, also for permutations with
/// complements.
TEST(PermutationsOfProcessors, send_the_predicted_messages) {
  const std::uint64_t seed = test_support::chosen_seed(20270);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  std::int64_t sent = 0;
  for (const DiskModel& disks :
       {DiskModel{.n = 12, .m = 8, .b = 3, .d = 2, .p = 1}, DiskModel{11, 6, 2, 3, 3},
        DiskModel{12, 9, 2, 2, 2}, DiskModel{9, 9, 2, 2, 2}})
    for (int trial = 0; trial < 12; ++trial) {
      const Bmmc permutation = {trial == 0   ? bit_reversal(disks.n)
                                : trial == 1 ? right_rotation(disks.n, 3)
                                             : random_nonsingular(disks.n, random),
                                random() & bit_range(0, disks.n)};
      const std::vector<PermutationPass> passes = factored(permutation, disks);
      std::int64_t messages = 0, records = 0;
      for (const PermutationPass& pass : passes) {
        messages += processor_traffic(pass, disks).messages;
        records += processor_traffic(pass, disks).records;
      }
      ModelDisks input(disks), output(disks), scratch(disks);
      for (std::size_t x = 0; x < input.records().size(); ++x) input.records()[x] = 77 * x + 5;
      std::vector<MessageCount> counts(std::size_t{1} << disks.p);
      on_processors(1 << disks.p, [&](int processor, ProcessorExchange& peers) {
        ModelDisks in = input.seen_by(processor), out = output.seen_by(processor),
                   other = scratch.seen_by(processor);
        counts[static_cast<std::size_t>(processor)] =
            run_permutation(passes, disks, 8, {&in, &out, &other}, &peers).permuting;
      });
      for (std::size_t x = 0; x < input.records().size(); ++x)
        ASSERT_EQ(output.records()[permutation.target(x)], 77 * x + 5)
            << "n " << disks.n << ", trial " << trial;
      std::int64_t busiest = 0, bytes = 0;
      for (const MessageCount& each : counts) {
        busiest = std::max(busiest, each.messages);
        bytes += each.bytes;
      }
      EXPECT_EQ(bytes, 8 * records << disks.p) << "trial " << trial;
      EXPECT_LE(busiest, messages) << "trial " << trial;
      if (passes.size() == 1) {
        EXPECT_EQ(busiest, messages);
      }
      sent += busiest;
    }
  EXPECT_GT(sent, 0);
}

}  // namespace
}  // namespace weft::bmmc
