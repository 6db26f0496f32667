// k-pass transforms by ranks on striped sets and plain files, each rank with its own disks.
#include "ooc/ranks/run_on_shared_files.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

#include "comm/from_mpi.hpp"
#include "disk/striped_set.hpp"
#include "mpi/support/same_error.hpp"
#include "mpi/support/seed_of_all_ranks.hpp"
#include "mpi/support/world.hpp"
#include "ooc/plan/k_pass_planner.hpp"
#include "support/directory.hpp"
#include "support/ooc_reference.hpp"

namespace weft::ooc {
namespace {

using test_support::all_ranks;
using test_support::Directory;
using test_support::Exact;
using test_support::expect_same_error;
using test_support::SizeLimit;

/// Returns whether tests skip this number of ranks: it tests nothing new, and takes long on a small
/// machine.
bool rank_count_is_left_out() { return all_ranks().size() > 5 || all_ranks().size() % 2 == 0; }

/// A directory that all ranks see. Folders in it represent disks.
class SharedDirectory {
 public:
  SharedDirectory() {
    if (all_ranks().rank() == 0) {
      made_ = std::make_unique<Directory>();
      path_ = made_->path();
    }
    all_ranks().broadcast(path_, 0);
  }
  ~SharedDirectory() { MPI_Barrier(MPI_COMM_WORLD); }
  SharedDirectory(const SharedDirectory&) = delete;
  SharedDirectory& operator=(const SharedDirectory&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::vector<std::string> disks(int count) const {
    std::vector<std::string> folders;
    for (int k = 0; k < count; ++k) {
      folders.push_back(file("disk" + std::to_string(k)));
      std::filesystem::create_directory(folders.back());
    }
    return folders;
  }

 private:
  std::unique_ptr<Directory> made_;
  std::string path_;
};

std::vector<double> doubles_of(const Exact& array) {
  std::vector<double> values;
  for (const auto& x : array) {
    values.push_back(static_cast<double>(x.real()));
    values.push_back(static_cast<double>(x.imag()));
  }
  return values;
}

disk::Run whole(std::vector<double>& values) {
  return {0, static_cast<std::int64_t>(values.size() * sizeof(double)),
          reinterpret_cast<std::byte*>(values.data())};
}

/// The first rank creates the set. The other ranks wait for it.
StoredArray new_set(const SharedDirectory& directory, const std::string& name,
                    const Striping& striping, std::vector<double> values) {
  if (all_ranks().rank() == 0) {
    const disk::SetIndex index = {
        .shape = {striping.bytes / 16}, .dtype = "complex128", .striping = striping};
    const auto set = disk::create_set(directory.file(name), directory.disks(striping.disks), index);
    if (!values.empty()) set->wait(set->start_write(std::vector{whole(values)}));
    set->flush();
  }
  all_ranks().barrier();
  return {.path = directory.file(name), .is_set = true};
}

StoredArray new_file(const SharedDirectory& directory, const std::string& name, std::int64_t lead,
                     std::int64_t bytes, std::vector<double> values) {
  if (all_ranks().rank() == 0) {
    const disk::OpenFile file = disk::create_data_file(directory.file(name), lead + bytes);
    if (!values.empty()) file.write(lead, values.data(), bytes);
  }
  all_ranks().barrier();
  return {.path = directory.file(name), .offset = lead, .bytes = bytes};
}

std::vector<double> content(const StoredArray& array, std::int64_t bytes) {
  std::vector<double> values(static_cast<std::size_t>(bytes) / sizeof(double));
  if (array.is_set) {
    const auto set = disk::open_set(array.path, disk::Mode::read, {.verify = true});
    EXPECT_NO_THROW(set->wait(set->start_read(std::vector{whole(values)})));
    for (std::int64_t block = 0; block < block_count(set->striping()); ++block)
      EXPECT_TRUE(set->sums()->is_known(block)) << block;
  } else {
    disk::open_data_file(array.path, disk::Mode::read).read(array.offset, values.data(), bytes);
  }
  return values;
}

KPassPlan plan_of(const Shape& shape, int lg_memory, int lg_block) {
  KPassProblem problem;
  problem.shape = shape;
  for (int axis = 0; axis < std::ssize(shape); ++axis) problem.axes.push_back(axis);
  problem.memory_bytes = std::int64_t{16} << lg_memory;
  problem.block_bytes = std::int64_t{16} << lg_block;
  return distribute_plan(plan_passes(problem), all_ranks().size());
}

/// Returns the numbers of a set's disks whose files this process has open.
std::vector<int> open_disks(const std::string& stem) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto file = std::filesystem::read_symlink(entry.path(), gone);
    if (!gone && file.stem() == stem && file.has_extension())
      found.push_back(std::stoi(file.extension().string().substr(1)));
  }
  return found;
}

struct Arrays {
  StoredArray input;
  StoredArray output;
};

void expect_transform(const SharedDirectory& directory, const KPassPlan& plan, const Arrays& arrays,
                      const Exact& x, int input_disks) {
  const comm::Communicator comm = all_ranks();
  const Share own = disks_of_rank(input_disks, comm.size(), comm.rank());
  PassFiles files = {.input = arrays.input, .output = arrays.output};
  files.scratch_directories = directory.disks(2);
  const SharedOutcome done =
      run_on_shared_files(plan, files, comm, {.on_panel = [&](const PassProgress&) {
                            if (!arrays.input.is_set) return;
                            const std::vector<int> disks = open_disks("in");
                            EXPECT_FALSE(disks.empty());
                            for (const int disk : disks)
                              EXPECT_TRUE(disk >= own.first && disk < own.end) << disk;
                          }});
  EXPECT_EQ(done.passes.bytes_read, counts_of(plan).read_bytes);
  EXPECT_EQ(done.passes.bytes_written, counts_of(plan).written_bytes);
  EXPECT_EQ(done.passes.held_bytes, memory_bytes(plan));
  RankTraffic counted;
  for (const RankTraffic& sent : traffic_of(plan, ownership_of(arrays.input, comm.size()),
                                            ownership_of(arrays.output, comm.size())))
    counted += sent;
  EXPECT_EQ(done.sent.messages, counted.messages);
  EXPECT_EQ(done.sent.bytes, counted.bytes);
  if (comm.rank() == 0) {
    const Exact exact = test_support::transformed_exact(x, plan.problem, -1);
    const std::vector<double> found = content(arrays.output, plan.output_bytes());
    long double error = 0;
    long double norm = 0;
    for (std::size_t k = 0; k < exact.size(); ++k) {
      error += std::norm(std::complex<long double>(found[2 * k], found[2 * k + 1]) - exact[k]);
      norm += std::norm(exact[k]);
    }
    EXPECT_LT(static_cast<double>(std::sqrt(error / norm)), 4 * 0x1p-53 * 4);
  }
  comm.barrier();
}

TEST(OocSharedFiles, SetsAndPlainFiles) {
  const int ranks = all_ranks().size();
  if (rank_count_is_left_out()) GTEST_SKIP();
  const KPassPlan plan = plan_of({1 << 15}, 13, 8);
  ASSERT_GE(plan.passes.size(), 2u);
  const std::uint64_t seed = test_support::seed_of_all_ranks(81);
  SCOPED_TRACE(test_support::repeated_by(seed));
  const Exact x = test_support::random_exact(1 << 15, seed, false);
  const std::int64_t bytes = plan.input_bytes();
  {
    SCOPED_TRACE("from two disks a rank, in bands, to fewer disks than ranks");
    const SharedDirectory directory;
    const Striping banded = {.bytes = bytes,
                             .block_bytes = 4096,
                             .disks = 2 * ranks,
                             .processors = ranks,
                             .band_bytes = 4096 * 4 * ranks};
    const Striping few = {
        .bytes = bytes, .block_bytes = 4096, .disks = std::max(1, (ranks + 1) / 2)};
    expect_transform(directory, plan,
                     {new_set(directory, "in.json", banded, doubles_of(x)),
                      new_set(directory, "out.json", few, doubles_of(x))},
                     x, banded.disks);
  }
  {
    SCOPED_TRACE("from a plain file that begins on no granule to a plain file that does");
    const SharedDirectory directory;
    expect_transform(directory, plan,
                     {new_file(directory, "in.raw", 128, bytes, doubles_of(x)),
                      new_file(directory, "out.raw", 4096, bytes, {})},
                     x, 1);
  }
}

/// Each rank writes only a few whole blocks, and not the first one. Old checksums must disappear.
TEST(OocSharedFiles, ChecksumsAreThoseOfTheRanksThatWrote) {
  const int ranks = all_ranks().size();
  if (rank_count_is_left_out()) GTEST_SKIP();
  const SharedDirectory directory;
  const KPassPlan plan = plan_of({15, 25, 41}, 14, 6);
  const std::uint64_t seed = test_support::seed_of_all_ranks(82);
  SCOPED_TRACE(test_support::repeated_by(seed));
  const Exact x = test_support::random_exact(15 * 25 * 41, seed, false);
  const Striping striping = {.bytes = plan.input_bytes(), .block_bytes = 8192, .disks = ranks + 2};
  const Arrays arrays = {new_set(directory, "in.json", striping, doubles_of(x)),
                         new_set(directory, "out.json", striping, doubles_of(x))};
  PassFiles files = {.input = arrays.input, .output = arrays.output};
  files.scratch_directories = directory.disks(1);
  run_on_shared_files(plan, files, all_ranks());
  if (all_ranks().rank() == 0) {
    std::vector<double> found(static_cast<std::size_t>(plan.output_bytes()) / sizeof(double));
    const auto set = disk::open_set(arrays.output.path, disk::Mode::read, {.verify = true});
    EXPECT_NO_THROW(set->wait(set->start_read(std::vector{whole(found)})));
  }
  all_ranks().barrier();
}

TEST(OocSharedFiles, AFailureOfOneRankIsAnErrorOnAllRanks) {
  const comm::Communicator comm = all_ranks();
  const int ranks = comm.size();
  if (rank_count_is_left_out()) GTEST_SKIP();
  const SharedDirectory directory;
  const KPassPlan plan = plan_of({1 << 15}, 12, 6);
  const Striping striping = {.bytes = plan.input_bytes(), .block_bytes = 4096, .disks = ranks};
  PassFiles files = {
      .input = new_set(directory, "in.json", striping,
                       std::vector<double>(static_cast<std::size_t>(plan.input_bytes()) / 8)),
      .output = new_set(directory, "out.json", striping, {})};
  const auto refused = [&](ErrorCode code, const std::vector<std::string>& words) {
    expect_same_error(MPI_COMM_WORLD, code, words, [&] { run_on_shared_files(plan, files, comm); });
  };
  refused(ErrorCode::invalid_argument, {"scratch", "given none"});
  files.scratch_directories = directory.disks(ranks);
  {
    // The last rank's disk is full, so its temporary files do not fit.
    std::unique_ptr<SizeLimit> limit;
    if (comm.rank() == ranks - 1) limit = std::make_unique<SizeLimit>(8192);
    refused(ErrorCode::io_failure, {"disk" + std::to_string(ranks - 1), "make room"});
  }
  if (comm.rank() == 0)
    std::filesystem::remove(
        directory.file("disk" + std::to_string(ranks / 2) + "/in." + std::to_string(ranks / 2)));
  comm.barrier();
  refused(ErrorCode::io_failure, {"in." + std::to_string(ranks / 2), "cannot be opened"});
}

}  // namespace
}  // namespace weft::ooc
