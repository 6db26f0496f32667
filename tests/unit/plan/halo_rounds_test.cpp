#include "plan/halo_rounds.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/halo_reference.hpp"
#include "support/random_layouts.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"

namespace weft {
namespace {

using namespace test_support;

HaloProblem problem_of(const Layout& layout, const Shape& below, const Shape& above = {},
                       const std::vector<bool>& periodic = {true}) {
  HaloProblem problem;
  problem.layout = layout;
  problem.below = below;
  problem.above = above;
  problem.periodic = periodic;
  return checked(problem);
}

/// Returns the ranges of the ranks along the single axis of a round's layout.
std::vector<Range> ranges(const Layout& layout) {
  std::vector<Range> found;
  for (std::int64_t rank = 0; rank < layout.ranks(); ++rank)
    found.push_back({layout.box(rank).lower[0], layout.box(rank).upper[0]});
  return found;
}

struct RoundTable {
  bool below;
  std::int64_t distance;
  bool is_local;
  std::vector<Range> owners;
  std::vector<Range> receivers;
};

void expect_rounds(const HaloProblem& problem, const std::vector<RoundTable>& wanted) {
  const std::vector<HaloRound> found = halo_rounds(problem, 0);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    SCOPED_TRACE("round " + std::to_string(i));
    EXPECT_EQ(found[i].below, wanted[i].below);
    EXPECT_EQ(found[i].distance, wanted[i].distance);
    EXPECT_EQ(found[i].is_local, wanted[i].is_local);
    EXPECT_EQ(ranges(found[i].owners), wanted[i].owners);
    EXPECT_EQ(ranges(found[i].receivers), wanted[i].receivers);
  }
}

/// Each rank owns the planes that the next rank receives, so the layouts are permutations of three
/// ranges.
TEST(HaloRounds, PlanesComeFromBothNeighbours) {
  const HaloProblem problem = problem_of(Layout::slab({12}, 3), {1}, {2});
  expect_rounds(problem, {{true, 1, false, {{1, 2}, {2, 3}, {0, 1}}, {{0, 1}, {1, 2}, {2, 3}}},
                          {false, 1, false, {{4, 6}, {0, 2}, {2, 4}}, {{0, 2}, {2, 4}, {4, 6}}}});
  const HaloRound round = halo_rounds(problem, 1)[0];
  EXPECT_EQ(round.sent_from, Shape{4});  // the last of four own elements, which follow one plane
  EXPECT_EQ(round.received_at, Shape{0});
}

/// Parts of 2, 1 and 2 elements: three planes come from two or three neighbours.
TEST(HaloRounds, PlanesMayComeFromSeveralNeighbours) {
  const Layout thin = Layout::of_boxes({5}, {{{0}, {2}}, {{2}, {3}}, {{3}, {5}}});
  expect_rounds(problem_of(thin, {3}, {0}),
                {{true, 1, false, {{2, 4}, {4, 5}, {0, 2}}, {{0, 2}, {2, 4}, {4, 5}}},
                 {true, 2, false, {{2, 4}, {0, 1}, {1, 2}}, {{0, 1}, {1, 2}, {2, 4}}}});
}

TEST(HaloRounds, AnEndThatIsNotPeriodicHasNoOwner) {
  expect_rounds(problem_of(Layout::slab({12}, 3), {2}, {0}, {false}),
                {{true, 1, false, {{0, 2}, {2, 4}, {0, 0}}, {{0, 0}, {0, 2}, {2, 4}}}});
}

/// Planes are copies within a rank if the axis is not cut, or if a thick halo reaches around to the
/// own planes.
TEST(HaloRounds, PlanesMayBeCopiesWithinARank) {
  expect_rounds(problem_of(Layout::slab({6}, 1), {6}, {1}),
                {{true, 1, true, {{0, 6}}, {{0, 6}}}, {false, 1, true, {{0, 1}}, {{0, 1}}}});
  expect_rounds(problem_of(Layout::slab({4}, 2), {3}, {0}),
                {{true, 1, false, {{2, 4}, {0, 2}}, {{0, 2}, {2, 4}}},
                 {true, 2, true, {{0, 1}, {1, 2}}, {{0, 1}, {1, 2}}}});
}

TEST(HaloRounds, NoPlanesNeedNoRound) {
  EXPECT_TRUE(halo_rounds(problem_of(Layout::slab({12}, 3), {0}), 0).empty());
}

/// The rounds of the second axis include the planes of the first, so corners are filled too.
TEST(HaloRounds, LaterAxesIncludeThePlanesOfEarlierOnes) {
  const auto rounds = halo_rounds(problem_of(Layout::grid({4, 4}, {2, 2}), {1}), 0);
  ASSERT_EQ(rounds.size(), 4U);
  EXPECT_EQ(rounds[0].owners.shape(), (Shape{2, 4}));
  EXPECT_EQ(rounds[2].owners.shape(), (Shape{8, 2}));
  const auto walls =
      halo_rounds(problem_of(Layout::grid({4, 4}, {2, 2}), {1}, {1}, {false, true}), 0);
  EXPECT_EQ(walls[2].owners.shape(), (Shape{6, 2}));
}

/// In a round, each rank sends one message. Between nodes, all messages leave at once. On one node,
/// node memory is used.
TEST(HaloRounds, TheExchangeIsDecided) {
  HaloProblem problem = problem_of(Layout::slab({12}, 3), {1});
  EXPECT_EQ(describe(halo_rounds(problem, 0)[0].exchange), "messages scattered packed");
  problem.ranks_per_node = 3;
  EXPECT_EQ(describe(halo_rounds(problem, 0)[0].exchange), "shared");
  problem.exchange = {.method = Method::collective, .chunks = 7};
  EXPECT_EQ(describe(halo_rounds(problem, 0)[0].exchange), "collective packed");
  problem.exchange.schedule = Schedule::cyclic;
  expect_error(ErrorCode::unsupported, {"schedule"}, [&] { checked(problem); });
}

TEST(HaloRounds, WrongHalosAreRefused) {
  const Layout slab = Layout::slab({12, 3}, 3);
  const auto refused = [&](ErrorCode code, const std::vector<std::string>& words,
                           const Shape& below, const Shape& above,
                           const std::vector<bool>& periodic) {
    expect_error(code, words, [&] { problem_of(slab, below, above, periodic); });
  };
  refused(ErrorCode::invalid_argument, {"axis 1", "given 4"}, {4}, {}, {true});
  refused(ErrorCode::invalid_argument, {"given -1"}, {-1}, {}, {true});
  refused(ErrorCode::invalid_argument, {"2 axes", "given 3"}, {1, 1, 1}, {}, {true});
  refused(ErrorCode::invalid_argument, {"periodic", "given 0"}, {1}, {}, {});
  expect_error(ErrorCode::invalid_argument, {"layout"}, [&] { problem_of({}, {1}); });
  const Layout bricks =
      Layout::of_boxes({4, 4}, {{{0, 0}, {2, 4}}, {{2, 0}, {4, 1}}, {{2, 1}, {4, 4}}});
  expect_error(ErrorCode::unsupported, {"axis 1", "rank 0", "rank 1", "redistribute"},
               [&] { problem_of(bricks, {1}); });
  HaloProblem problem = problem_of(slab, {1});
  problem.exchange.wire = WirePrecision::f32;
  expect_error(ErrorCode::unsupported, {"wire"}, [&] { checked(problem); });
  problem.exchange = {};
  problem.element_bytes = 0;
  expect_error(ErrorCode::invalid_argument, {"1 byte"}, [&] { checked(problem); });
}

/// Runs the rounds on arrays of all ranks, without messages.
std::vector<std::vector<std::int64_t>> filled(const HaloProblem& problem) {
  const std::int64_t ranks = problem.layout.ranks();
  std::vector<std::vector<std::int64_t>> arrays;
  std::vector<std::vector<HaloRound>> rounds;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    arrays.emplace_back(static_cast<std::size_t>(volume(halo_shape(problem, rank))), -1);
    rounds.push_back(halo_rounds(problem, rank));
    for_each_halo_element(problem, rank, [&](const HaloElement& element) {
      if (element.is_inner) arrays.back()[static_cast<std::size_t>(element.local)] = element.whole;
    });
  }
  for (std::size_t i = 0; i < rounds[0].size(); ++i) {
    std::vector<std::int64_t> between(static_cast<std::size_t>(volume(rounds[0][i].owners.shape())),
                                      -2);
    const auto visit = [&](std::int64_t rank, const Layout& layout, const Shape& position,
                           auto&& each) {
      Shape strides;
      for (const int axis : problem.layout.order())
        strides.push_back(halo_strides(problem, rank)[axis]);
      std::int64_t first = 0;
      for (std::size_t axis = 0; axis < strides.size(); ++axis)
        first += position[axis] * strides[axis];
      for_each_index(layout.box(rank).shape(), [&](const Shape& index) {
        std::int64_t whole = 0;
        std::int64_t local = first;
        for (std::size_t axis = 0; axis < index.size(); ++axis) {
          whole = whole * layout.shape()[axis] + layout.box(rank).lower[axis] + index[axis];
          local += index[axis] * strides[axis];
        }
        each(between[static_cast<std::size_t>(whole)],
             arrays[static_cast<std::size_t>(rank)][static_cast<std::size_t>(local)]);
      });
    };
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const HaloRound& round = rounds[static_cast<std::size_t>(rank)][i];
      EXPECT_EQ(round.owners, rounds[0][i].owners);
      visit(rank, round.owners, round.sent_from,
            [](std::int64_t& there, std::int64_t here) { there = here; });
    }
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const HaloRound& round = rounds[static_cast<std::size_t>(rank)][i];
      visit(rank, round.receivers, round.received_at,
            [](std::int64_t there, std::int64_t& here) { here = there; });
    }
  }
  return arrays;
}

TEST(HaloRounds, RandomHalosHoldTheElementsOfTheirOwners) {
  const std::uint64_t seed = chosen_seed(4711);
  SCOPED_TRACE(repeated_by(seed));
  Random random(seed);
  std::int64_t planes = 0;
  for (int run = 0; run < 300; ++run) {
    const HaloProblem problem = random_halo(draw(random, 1, 9), random);
    SCOPED_TRACE(words_of(problem));
    const auto arrays = filled(problem);
    for (std::int64_t rank = 0; rank < problem.layout.ranks(); ++rank)
      for_each_halo_element(problem, rank, [&](const HaloElement& element) {
        EXPECT_EQ(arrays[static_cast<std::size_t>(rank)][static_cast<std::size_t>(element.local)],
                  element.whole);
        if (!element.is_inner && element.whole >= 0) ++planes;
      });
    if (HasFailure()) return;
  }
  EXPECT_GT(planes, 10000);
}

}  // namespace
}  // namespace weft
