#include "probe/line_trial.hpp"

#include <gtest/gtest.h>

#include "comm/from_mpi.hpp"
#include "kernel/engine.hpp"

namespace weft::probe {
namespace {

/// Returns the seconds of each engine and arrangement.
std::vector<double> seconds_of(const TriedLines& lines, const comm::Communicator& comm) {
  std::vector<kernel::LineChoice> ways;
  for (const std::string& name : kernel::engine_names()) {
    ways.push_back({&kernel::engine(name), kernel::TileForm::along});
    if (lines.across_memory) ways.push_back({&kernel::engine(name), kernel::TileForm::across});
  }
  std::vector<double> seconds = line_trial(lines, ways, comm);
  EXPECT_EQ(seconds.size(), ways.size());
  return seconds;
}

// A line of one point cannot be in two pieces, a line of two points just can. 1100 lines of 243
// points need more than 4 MiB, so their writes bypass the caches.
TEST(LineTrial, MeasuresLinesInOnePieceAndInTwo) {
  const auto comm = comm::communicator_of(MPI_COMM_WORLD);
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::dct2})
    for (const std::int64_t length : {1, 2, 7, 243})
      for (const bool across : {false, true})
        for (const bool exchanged : {false, true}) {
          if (across && kind != Kind::c2c) continue;
          const TriedLines lines{.kind = kind,
                                 .length = length,
                                 .lines = length == 243 ? 1100 : 17,
                                 .across_memory = across,
                                 .exchanged = exchanged};
          for (const double each : seconds_of(lines, comm)) {
            EXPECT_GT(each, 0) << length;
            EXPECT_EQ(comm.max(each), comm.min(each)) << "all ranks have the same figures";
          }
        }
}

}  // namespace
}  // namespace weft::probe
