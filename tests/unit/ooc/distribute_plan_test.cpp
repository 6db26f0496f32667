// The ownership of arrays on the disks of ranks, and the rounds in which ranks read and write
// panels.
#include "ooc/plan/distribute_plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "layout/striping.hpp"
#include "ooc/plan/k_pass_planner.hpp"
#include "ooc/plan/panel_place.hpp"
#include "support/random_layouts.hpp"
#include "support/seed.hpp"

namespace weft::ooc {
namespace {

using test_support::draw;
using test_support::Random;

KPassProblem line(std::int64_t n, int lg_memory, int lg_block) {
  return {.shape = {n},
          .axes = {0},
          .memory_bytes = std::int64_t{16} << lg_memory,
          .block_bytes = std::int64_t{16} << lg_block};
}

/// Returns plans with all kinds of passes.
std::vector<KPassPlan> plans() {
  KPassProblem reals = line(2 * 15015, 12, 3);
  reals.real_input = true;
  KPassProblem cube = line(1, 13, 3);
  cube.shape = {30, 25, 17};
  cube.axes = {0, 1, 2};
  KPassProblem last = line(1, 13, 3);
  last.shape = {50, 600};
  last.axes = {1};
  KPassProblem rows_of_reals = line(1, 10, 2);
  rows_of_reals.shape = {6, 2048};
  rows_of_reals.axes = {1};
  rows_of_reals.real_input = true;
  KPassProblem back = rows_of_reals;
  std::swap(back.real_input, back.real_output);
  KPassProblem plane_back = back;
  plane_back.axes = {0, 1};
  KPassProblem prime_reals = line(20011, 12, 3);
  prime_reals.real_input = true;
  KPassProblem prime_back = line(5003, 11, 2);
  prime_back.real_output = true;
  KPassProblem odd_back = plane_back;
  odd_back.shape = {6, 2025};
  std::vector<KPassPlan> all;
  for (const KPassProblem& problem :
       {line(1 << 14, 11, 4), line(30030, 12, 3), line(4099, 16, 4), reals, cube, last,
        rows_of_reals, back, plane_back, odd_back, line(10007, 13, 3), line(10007, 11, 3),
        prime_reals, prime_back})
    all.push_back(plan_passes(problem));
  return all;
}

TEST(SharesOfRanks, AreEvenAndCoverAllItems) {
  for (int items = 1; items < 20; ++items)
    for (int parts = 1; parts < 9; ++parts) {
      std::int64_t next = 0;
      for (int part = 0; part < parts; ++part) {
        const Share share = share_of(items, parts, part);
        EXPECT_EQ(share.first, next);
        EXPECT_GE(share.count(), items / parts);
        EXPECT_LE(share.count(), (items + parts - 1) / parts);
        for (std::int64_t item = share.first; item < share.end; ++item)
          EXPECT_EQ(part_with(items, parts, item), part);
        next = share.end;
      }
      EXPECT_EQ(next, items);
    }
}

TEST(DisksOfRanks, BelongToOneOrAreShared) {
  for (int disks = 1; disks < 12; ++disks)
    for (int ranks = 1; ranks < 12; ++ranks) {
      std::map<std::int64_t, int> users;
      for (int rank = 0; rank < ranks; ++rank) {
        const Share own = disks_of_rank(disks, ranks, rank);
        EXPECT_GE(own.count(), std::max(1, disks / ranks));
        for (std::int64_t disk = own.first; disk < own.end; ++disk) ++users[disk];
      }
      ASSERT_EQ(std::ssize(users), disks);
      for (const auto& [disk, count] : users) {
        EXPECT_GE(count, std::max(1, ranks / disks)) << disk;
        EXPECT_LE(count, std::max(1, (ranks + disks - 1) / disks)) << disk;
      }
    }
}

/// All blocks of a part are on disks of the rank of the part. The next part belongs to another
/// rank, so parts are as long as possible.
TEST(OwnershipOfDisks, FollowsTheStriping) {
  const std::uint64_t seed = test_support::chosen_seed(71);
  Random random(seed);
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial) + ", seed " + std::to_string(seed));
    const int ranks = static_cast<int>(draw(random, 1, 6));
    const int processors = static_cast<int>(draw(random, 1, 3));
    const int disks = processors * static_cast<int>(draw(random, 1, 4));
    const Striping striping = {.bytes = draw(random, 1, 300000),
                               .block_bytes = 4096 * draw(random, 1, 2),
                               .disks = disks,
                               .processors = processors,
                               .band_bytes = 8192 * disks * draw(random, 0, 3),
                               .skew_rows = draw(random, 0, 2)};
    const OwnershipPtr ownership = owned_by_disks(striping, ranks);
    int previous_rank = -1;
    for (std::int64_t at = 0; at < striping.bytes;) {
      const OwnedPart part = ownership->part_at(at, striping.bytes - at);
      EXPECT_NE(part.rank, previous_rank);
      EXPECT_EQ(part.offset, at);
      const Share own = disks_of_rank(disks, ranks, part.rank);
      const std::int64_t last = (at + part.bytes - 1) / striping.block_bytes;
      for (std::int64_t block = at / striping.block_bytes; block <= last; ++block) {
        const int disk = place_of(striping, block).disk;
        EXPECT_TRUE(disk >= own.first && disk < own.end) << disk;
      }
      const OwnedPart middle = ownership->part_at(at + part.bytes / 2, 1);
      EXPECT_EQ(middle.rank, part.rank);
      previous_rank = part.rank;
      at += part.bytes;
    }
  }
}

TEST(OwnershipOfAFile, ChangesAtPagesOfTheFile) {
  for (const std::int64_t lead_bytes : {0, 128, 4096})
    for (const std::int64_t bytes : {1, 5000, 100000}) {
      const OwnershipPtr ownership = owned_by_parts(lead_bytes, bytes, 3);
      int rank = -1;
      for (std::int64_t at = 0; at < bytes;) {
        const OwnedPart part = ownership->part_at(at, bytes - at);
        EXPECT_GT(part.rank, rank);
        if (at > 0) {
          EXPECT_EQ((lead_bytes + at) % 4096, 0);
        }
        rank = part.rank;
        at += part.bytes;
      }
      EXPECT_LT(rank, 3);
    }
}

/// panel_place() agrees with the runs of all panels that ranks keep between passes.
TEST(PanelPlaces, AgreeWithTheRuns) {
  for (const KPassPlan& one : plans()) {
    const KPassPlan plan = distribute_plan(one, 3);
    for (std::size_t i = 1; i < plan.passes.size(); ++i) {
      const KPass& pass = plan.passes[i];
      std::int64_t seen = 0;
      for (std::int64_t index = 0; index < panel_count(pass); ++index) {
        std::int64_t offset = 0;
        for (const RunGrid& grid : reads_of(pass, panel_parts(pass, index)))
          grid.for_each([&](std::int64_t first) {
            // The kernel's spectrum follows the array; panel_place() has no places for it.
            if (pass.convolves && first >= pass.elements()) return;
            for (const std::int64_t skipped : {std::int64_t{0}, grid.length / 2}) {
              const PanelPlace place = panel_place(pass, first + skipped);
              ASSERT_EQ(place.panel, index);
              ASSERT_EQ(place.offset, offset + skipped);
              ASSERT_GE(place.elements, grid.length - skipped);
            }
            offset += grid.length;
            seen += grid.length;
          });
      }
      EXPECT_EQ(seen * plan.source_element_bytes(pass), plan.source_bytes(pass));
    }
  }
}

/// Ranks have consecutive panels, or take panels in turn. In both cases each panel has one rank.
TEST(PanelSchedules, GiveEachPanelOnce) {
  for (const KPassPlan& plan : plans())
    for (const KPass& pass : plan.passes)
      for (int ranks = 1; ranks < 8; ++ranks) {
        const PanelSchedule schedule(pass, ranks);
        std::set<std::int64_t> done;
        for (std::int64_t round = 0; round < schedule.rounds(); ++round)
          for (int rank = 0; rank < ranks; ++rank)
            if (const auto panel = schedule.panel(round, rank)) {
              EXPECT_EQ(schedule.rank_of(*panel), rank);
              EXPECT_EQ(schedule.round_of(*panel), round);
              done.insert(*panel);
            }
        EXPECT_EQ(std::ssize(done), panel_count(pass));
        EXPECT_LE(schedule.rounds() * ranks, panel_count(pass) + ranks - 1);
      }
}

TEST(PanelSchedules, LeaveNoRankWithoutRows) {
  KPassProblem problem = line(1, 16, 3);
  problem.shape = {64, 512};
  problem.axes = {1};
  ASSERT_EQ(panel_count(plan_passes(problem).passes[0]), 3);
  for (const int ranks : {4, 8, 16, 64}) {
    const KPassPlan plan = distribute_plan(plan_passes(problem), ranks);
    EXPECT_EQ(plan.passes[0].outer_width, 64 / ranks);
    EXPECT_EQ(PanelSchedule(plan.passes[0], ranks).panels(), ranks);
  }
}

/// Pieces fill panels and buffers without gaps, and no buffer holds more than a panel.
TEST(Rounds, FillPanelsAndBuffers) {
  const int ranks = 3;
  for (const KPassPlan& made : plans()) {
    const KPassPlan plan = distribute_plan(made, ranks);
    // Short blocks spread the array over all disks. One long block is on the first rank's disk, so
    // that rounds have several batches.
    for (const std::int64_t block : {std::int64_t{4096}, (plan.output_bytes() | 4095) + 1}) {
      const OwnershipPtr ownership = owned_by_disks(
          {.bytes = plan.output_bytes(), .block_bytes = block, .disks = ranks}, ranks);
      for (std::size_t pass = 0; pass < plan.passes.size(); ++pass)
        for (const PassSide& side :
             {reading_side(plan, pass, ownership), writing_side(plan, pass, ownership)}) {
          std::int64_t bytes = 0;
          const PanelSchedule schedule(side.k_pass(), ranks);
          for (std::int64_t number = 0; number < schedule.rounds(); ++number) {
            std::map<int, std::int64_t> in_panel;
            std::map<std::pair<int, std::int64_t>, std::int64_t> in_buffer;
            ExchangeRound(side, number).for_each_piece([&](const RoundPiece& piece) {
              EXPECT_EQ(piece.panel_offset, in_panel[piece.panel_rank]);
              EXPECT_EQ(piece.buffer_offset, (in_buffer[{piece.disk_rank, piece.batch}]));
              in_panel[piece.panel_rank] += piece.bytes;
              in_buffer[{piece.disk_rank, piece.batch}] += piece.bytes;
              bytes += piece.bytes;
            });
            for (const auto& [buffer, filled] : in_buffer)
              EXPECT_LE(filled, memory_of(plan, side.k_pass()).panel_bytes);
          }
          const PassCounts counts = counts_of(plan, side.k_pass());
          EXPECT_EQ(bytes,
                    side.side == SideRole::reading ? counts.read_bytes : counts.written_bytes);
        }
    }
  }
}

/// A plain file is owned in parts, so each rank has its own rows. Stripes are on all disks.
TEST(RankTraffic, IsZeroForRowsOfAPlainFile) {
  KPassProblem problem = line(1, 14, 3);
  problem.shape = {64, 512};
  problem.axes = {1};
  KPassPlan made = plan_passes(problem);
  ASSERT_GE(made.passes[0].outer_width, 4);
  made.passes[0].outer_width = 4;
  const KPassPlan plan = distribute_plan(made, 4);
  const OwnershipPtr file = owned_by_parts(0, plan.input_bytes(), 4);
  for (const RankTraffic& sent : traffic_of(plan, file, file)) EXPECT_EQ(sent, RankTraffic{});
  // Three quarters of a stripe are on the disks of other ranks.
  const OwnershipPtr set =
      owned_by_disks({.bytes = plan.input_bytes(), .block_bytes = 4096, .disks = 4}, 4);
  RankTraffic all;
  for (const RankTraffic& sent : traffic_of(plan, set, set)) all += sent;
  EXPECT_EQ(all.bytes, 2 * plan.input_bytes() * 3 / 4);
  const PanelSchedule schedule(plan.passes[0], 4);
  EXPECT_EQ(all.messages, 2 * schedule.rounds() * 4 * 3);
}

/// In scratch space each round has one slot. A panel has the same order there as in memory, and so
/// has the kernel's spectrum.
TEST(Rounds, FindPanelsInSlots) {
  const int ranks = 3;
  int convolutions = 0;
  for (const KPassPlan& made : plans()) {
    const KPassPlan plan = distribute_plan(made, ranks);
    for (std::size_t pass = 1; pass < plan.passes.size(); ++pass) {
      const PassSide side = reading_side(plan, pass, nullptr);
      if (side.k_pass().source != model::VolumeRole::scratch) continue;
      convolutions += side.k_pass().convolves ? 1 : 0;
      const std::int64_t slot = memory_of(plan, side.k_pass()).panel_bytes;
      for (std::int64_t number = 0; number < PanelSchedule(side.k_pass(), ranks).rounds(); ++number)
        ExchangeRound(side, number).for_each_piece([&](const RoundPiece& piece) {
          EXPECT_EQ(piece.disk_rank, piece.panel_rank);
          EXPECT_EQ(piece.volume_offset, number * slot + piece.panel_offset);
        });
    }
  }
  EXPECT_EQ(convolutions, 4);
}

/// A convolving pass reads as many bytes as earlier passes wrote for it. No two writes overlap.
TEST(Rounds, WriteWhatIsRead) {
  const int ranks = 3;
  using Bytes = std::map<std::pair<int, std::int64_t>, std::int64_t>;  // by rank and offset
  for (const KPassPlan& made : plans()) {
    const KPassPlan plan = distribute_plan(made, ranks);
    std::map<int, std::int64_t> written;
    std::map<int, std::int64_t> read;
    std::map<int, Bytes> places;
    for (std::size_t pass = 0; pass + 1 < plan.passes.size(); ++pass) {
      const PassSide side = writing_side(plan, pass, nullptr);
      const int volume = scratch_written_by(plan, pass);
      for (std::int64_t number = 0; number < PanelSchedule(side.k_pass(), ranks).rounds(); ++number)
        ExchangeRound(side, number).for_each_piece([&](const RoundPiece& piece) {
          EXPECT_LE(piece.volume_offset + piece.bytes,
                    scratch_bytes(plan, piece.disk_rank, volume));
          // The last volume has the input of the convolution. Passes overwrite the others in turn.
          if (volume + 1 < scratch_volumes) return;
          written[piece.disk_rank] += piece.bytes;
          EXPECT_TRUE(places[volume]
                          .try_emplace({piece.disk_rank, piece.volume_offset}, piece.bytes)
                          .second);
        });
    }
    for (std::size_t pass = 1; pass < plan.passes.size(); ++pass) {
      if (!plan.passes[pass].convolves) continue;
      const PassSide side = reading_side(plan, pass, nullptr);
      for (std::int64_t number = 0; number < PanelSchedule(side.k_pass(), ranks).rounds(); ++number)
        ExchangeRound(side, number).for_each_piece([&](const RoundPiece& piece) {
          read[piece.disk_rank] += piece.bytes;
        });
    }
    EXPECT_EQ(written, read);
    std::pair<int, std::int64_t> end = {-1, 0};
    for (const auto& [place, bytes] : places[scratch_volumes - 1]) {
      if (place.first == end.first) {
        EXPECT_GE(place.second, end.second);
      }
      end = {place.first, place.second + bytes};
    }
  }
}

TEST(ScratchOnRanks, HoldsWhatEachRankWillRead) {
  for (const KPassPlan& made : plans())
    for (const int ranks : {1, 3, 40}) {
      const KPassPlan plan = distribute_plan(made, ranks);
      std::int64_t all = 0;
      for (int rank = 0; rank < ranks; ++rank)
        for (int k = 0; k < scratch_volumes; ++k) all += scratch_bytes(plan, rank, k);
      EXPECT_EQ(all, plan.scratch_bytes);
      // The convolving pass reads two arrays: its input and the kernel's spectrum. Other passes
      // write up to two more in turn.
      const auto kernel_passes = static_cast<std::int64_t>(plan.kernel_passes);
      const auto arrays = kernel_passes > 0
                              ? 2 + std::min<std::int64_t>(2, kernel_passes - 1)
                              : std::min<std::int64_t>(2, std::ssize(plan.passes) - 1);
      const std::int64_t array_bytes =
          kernel_passes > 0 ? plan.convolution_points * plan.element_bytes : plan.input_bytes();
      EXPECT_GE(all, arrays * array_bytes);
      // Slots are rounded up to whole pages, so small panels take more space.
      std::int64_t pages = 0;
      for (const KPass& pass : plan.passes) pages += panel_count(pass) * 4096;
      EXPECT_LE(all, arrays * array_bytes * 3 / 2 + pages);
    }
}

}  // namespace
}  // namespace weft::ooc
