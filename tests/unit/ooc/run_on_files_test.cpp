// Out-of-core transforms of plain files and striped sets by their names.
#include "ooc/run/run_on_files.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <fstream>
#include <string>
#include <vector>

#include "disk/striped_set.hpp"
#include "ooc/plan/k_pass_planner.hpp"
#include "support/directory.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::ooc {
namespace {

using test_support::Directory;
using test_support::expect_error;

constexpr std::int64_t points = 1 << 14;
constexpr std::int64_t lead_bytes = 128;

/// Returns a plan that has more than two passes, so that scratch space is needed.
KPassPlan small_plan() {
  return plan_passes(
      {.shape = {points}, .axes = {0}, .memory_bytes = 64 << 10, .block_bytes = 4096});
}

/// Returns an array in a file with other bytes before it. The array is 1 followed by zeros, so its
/// transform is 1 everywhere.
StoredArray impulse(const Directory& directory) {
  const std::string path = directory.file("in");
  std::vector<std::complex<double>> values(points);
  values[0] = 1;
  std::ofstream file(path, std::ios::binary);
  file << std::string(lead_bytes, 'x');
  file.write(reinterpret_cast<const char*>(values.data()), points * 16);
  return {.path = path, .offset = lead_bytes, .bytes = points * 16};
}

StoredArray new_set(const Directory& directory, const std::vector<std::string>& folders) {
  const std::string path = directory.file("out.json");
  disk::create_set(path, folders,
                   {.shape = {points},
                    .dtype = "complex128",
                    .striping = {.bytes = points * 16, .block_bytes = 4096}});
  return {.path = path, .is_set = true};
}

TEST(RunOnFiles, MovesTheBytesThatThePlanPredicts) {
  const Directory directory;
  const auto folders = directory.folders(2);
  const KPassPlan plan = small_plan();
  ASSERT_GT(plan.scratch_bytes, 0);
  const StoredArray output = new_set(directory, folders);
  const PassOutcome outcome =
      run_on_files(plan, {impulse(directory), output, folders}, {.scale = 2});
  EXPECT_EQ(outcome.bytes_read, counts_of(plan).read_bytes);
  EXPECT_EQ(outcome.bytes_written, counts_of(plan).written_bytes);
  EXPECT_LE(outcome.held_bytes, memory_bytes(plan));
  std::vector<std::complex<double>> found(points);
  const auto set = disk::open_set(output.path, disk::Mode::read, {.verify = true});
  const disk::Run all = {0, points * 16, reinterpret_cast<std::byte*>(found.data())};
  set->wait(set->start_read({&all, 1}));
  for (const auto& value : found) ASSERT_EQ(value, 2.0);
}

TEST(RunOnFiles, RefusesArraysThatDoNotFitThePlan) {
  const Directory directory;
  const auto folders = directory.folders(1);
  const StoredArray output = new_set(directory, folders);
  StoredArray input = impulse(directory);
  input.offset += 16;
  expect_error(ErrorCode::io_failure, {"truncated", "in"}, [&] {
    run_on_files(small_plan(), {input, output, folders});
  });
  input = {.path = input.path, .bytes = points * 8};
  expect_error(ErrorCode::invalid_argument, {"input volume", std::to_string(points * 16)}, [&] {
    run_on_files(small_plan(), {input, output, folders});
  });
}

}  // namespace
}  // namespace weft::ooc
