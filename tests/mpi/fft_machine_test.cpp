// Transforms that a machine's model has planned: whatever it chose, the result is the same.
#include <cmath>
#include <set>

#include "fft_check.hpp"
#include "same_error.hpp"

namespace weft::test_support {
namespace {

/// Times from a thousandth to a thousand times those of a machine, so that every choice is somewhere
/// the best: few ranks or many, pieces, chunks, any schedule.
Machine random_machine(Random& random) {
  const auto factor = [&] { return std::pow(10.0, static_cast<double>(draw(random, -3, 3))); };
  const auto blocking = [&] { return 1 + static_cast<double>(draw(random, 0, 10)) / 10; };
  Machine machine = shipped_machine("ethernet-10g");
  machine.name = "random";
  for (Link* link : {&machine.within_node, &machine.between_nodes}) {
    link->pieces[0].start_s *= factor();
    link->pieces[0].s_per_byte *= factor();
    link->processor_s_per_byte *= factor();
  }
  machine.copying[0].contiguous_s_per_byte *= factor();
  machine.copying[0].transposed_s_per_byte *= factor();
  machine.arithmetic[0].operation_s *= factor();
  machine.barrier_s *= factor();
  machine.blocking = {blocking(), blocking(), blocking(), blocking()};
  return machine;
}

TEST(FftMachine, WhateverIsChosenIsRight) {
  constexpr std::uint64_t seed = 3;
  constexpr std::uint64_t cases = 60;
  const int ranks = size_of(MPI_COMM_WORLD);
  if (rank_of(MPI_COMM_WORLD) == 0) std::printf("seed %llu\n", (unsigned long long)seed);
  for (std::uint64_t number = 0; number < cases; ++number) {
    Random random(seed * 1000003 + number);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(number));
    Case given = random_case(ranks, 2000, random);
    given.machine = random_machine(random);
    check_case(given, MPI_COMM_WORLD);
  }
}

FftOptions options_with(const Machine& machine) {
  FftOptions options;
  options.shape = {12, 10, 8};
  options.comm = MPI_COMM_WORLD;
  options.machine = machine;
  return options;
}

/// Some choices differ from the rule's, or the test above tested nothing new.
TEST(FftMachine, ChoosesOtherWays) {
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "one rank has one way";
  std::set<std::string> ways;
  for (std::uint64_t number = 0; number < 40; ++number) {
    Random random(number);
    const Fft<double> fft(options_with(random_machine(random)));
    EXPECT_EQ(fft.plan().chosen_by, "model");
    std::string way = fft.plan().input().describe();
    for (const Exchange& exchange : fft.plan().exchanges) way += describe(exchange);
    ways.insert(way);
  }
  EXPECT_GT(ways.size(), 3U);
}

TEST(FftMachine, TheSameOnAllRanks) {
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "one rank agrees with itself";
  expect_same_error(MPI_COMM_WORLD, ErrorCode::disagreement, {"machine"}, [] {
    Machine machine = shipped_machine("ethernet-10g");
    if (rank_of(MPI_COMM_WORLD) == 1) machine.barrier_s *= 2;
    const Fft<double> fft(options_with(machine));
  });
  expect_same_error(MPI_COMM_WORLD, ErrorCode::disagreement, {"machine", "none"}, [] {
    FftOptions options = options_with(shipped_machine("ethernet-10g"));
    if (rank_of(MPI_COMM_WORLD) == 1) options.machine.reset();
    const Fft<double> fft(options);
  });
}

TEST(FftMachine, ImpossibleOnOneRank) {
  expect_same_error(MPI_COMM_WORLD, ErrorCode::invalid_argument, {"barrier_s"}, [] {
    Machine machine = shipped_machine("ethernet-10g");
    if (rank_of(MPI_COMM_WORLD) == size_of(MPI_COMM_WORLD) - 1) machine.barrier_s = -1;
    const Fft<double> fft(options_with(machine));
  });
}

}  // namespace
}  // namespace weft::test_support
