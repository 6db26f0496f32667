// Volumes by every backend and over any number of disks, compared with a plain array of bytes.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "base/memory.hpp"
#include "disk/backends.hpp"
#include "disk/striped_set.hpp"
#include "support/directory.hpp"
#include "support/fake_volume.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"
#include "unit/support/in_child.hpp"

namespace weft::disk {
namespace {

using test_support::Directory;
using test_support::expect_error;
using test_support::FakeVolume;
using test_support::Landing;
using test_support::SizeLimit;

/// A volume and its expected contents. Transfers change both.
class Twin {
 public:
  Twin(Volume& volume, std::uint64_t number)
      : volume_(volume), random_(number), expected_(static_cast<std::size_t>(volume.bytes())) {
    write_all();
  }

  /// Starts several tickets whose runs do not overlap, and waits for them in random order.
  void run_tickets() {
    std::vector<std::int64_t> cuts = random_cuts(2 + below(30));
    std::vector<Transfer> transfers(1 + static_cast<std::size_t>(below(5)));
    for (Transfer& transfer : transfers) transfer.write = below(2) == 0;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      if (below(4) == 0) continue;
      Transfer& taker = transfers[static_cast<std::size_t>(below(std::ssize(transfers)))];
      taker.add(cuts[k], cuts[k + 1] - cuts[k], below(2) == 0 ? 0 : 1 + below(4200));
    }
    for (Transfer& transfer : transfers) start(transfer);
    std::shuffle(transfers.begin(), transfers.end(), random_);
    for (Transfer& transfer : transfers) finish(transfer);
  }

  void compare_all() {
    const AlignedBuffer memory(volume_.bytes() + (4 << 20));
    const Run run = {0, volume_.bytes(), memory.as<std::byte>()};
    volume_.wait(volume_.start_read({&run, 1}));
    ASSERT_TRUE(std::equal(expected_.begin(), expected_.end(), memory.as<std::byte>()));
  }

 private:
  struct Transfer {
    std::vector<Run> runs;
    std::vector<AlignedBuffer> memory;
    bool write = false;
    Volume::Ticket ticket = 0;

    /// Adds a run with memory that begins `shift` bytes after an aligned address. Large buffers
    /// begin at a page.
    void add(std::int64_t offset, std::int64_t bytes, std::int64_t shift) {
      memory.emplace_back(std::max<std::int64_t>(bytes + shift, 4 << 20));
      runs.push_back({offset, bytes, memory.back().as<std::byte>() + shift});
    }
  };

  std::int64_t below(std::int64_t end) {
    return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random_);
  }

  /// Returns both ends and random positions. About half of the random positions are multiples of
  /// 4096.
  std::vector<std::int64_t> random_cuts(std::int64_t count) {
    std::vector<std::int64_t> cuts = {0, volume_.bytes()};
    for (; count > 0; --count) {
      const std::int64_t cut = below(volume_.bytes());
      cuts.push_back(below(2) == 0 ? cut : cut / 4096 * 4096);
    }
    std::sort(cuts.begin(), cuts.end());
    return cuts;
  }

  void write_all() {
    Transfer all;
    all.write = true;
    all.add(0, volume_.bytes(), 0);
    start(all);
    finish(all);
  }

  void start(Transfer& transfer) {
    if (transfer.write) {
      for (const Run& run : transfer.runs) {
        for (std::int64_t k = 0; k < run.bytes; ++k)
          run.memory[k] = static_cast<std::byte>(random_());
        std::copy_n(run.memory, run.bytes, expected_.begin() + run.offset);
      }
    }
    std::vector<Run> list = transfer.runs;
    transfer.ticket = transfer.write ? volume_.start_write(list) : volume_.start_read(list);
    list.assign(list.size(), {});  // the list may change after the start
  }

  void finish(Transfer& transfer) {
    volume_.wait(transfer.ticket);
    for (const Run& run : transfer.runs)
      ASSERT_TRUE(std::equal(run.memory, run.memory + run.bytes, expected_.begin() + run.offset))
          << (transfer.write ? "written" : "read") << " from " << run.offset << ", " << run.bytes
          << " bytes";
  }

  Volume& volume_;
  std::mt19937_64 random_;
  std::vector<std::byte> expected_;
};

std::vector<BackendKind> kinds_here() {
  std::vector<BackendKind> kinds = {BackendKind::threads, BackendKind::synchronous};
  if (uring_hindrance().empty()) kinds.push_back(BackendKind::io_uring);
  return kinds;
}

class DiskVolume : public testing::TestWithParam<std::tuple<BackendKind, int, std::int64_t>> {};

std::string name_of(const testing::TestParamInfo<DiskVolume::ParamType>& info) {
  return std::string(to_string(std::get<0>(info.param))) + "_" +
         std::to_string(std::get<1>(info.param)) + "_disks_" +
         std::to_string(std::get<2>(info.param));
}

INSTANTIATE_TEST_SUITE_P(All, DiskVolume,
                         testing::Combine(testing::ValuesIn(kinds_here()),
                                          testing::Values(1, 2, 3, 8),
                                          testing::Values(4096, 12288, 65536)),
                         name_of);

TEST_P(DiskVolume, any_runs_agree_with_an_array) {
  const std::uint64_t seed = test_support::chosen_seed(20260311);
  SCOPED_TRACE(test_support::repeated_by(seed));
  const auto [kind, disks, block] = GetParam();
  const Directory directory;
  const SetIndex index = {
      .shape = {7 * block * disks + 1234},
      .dtype = "uint8",
      .striping = {
          .bytes = 7 * block * disks + 1234, .block_bytes = block, .skew_rows = disks % 2}};
  const auto set = create_set(directory.file("a.weft.json"), directory.folders(disks), index,
                              {.backend = kind, .depth = 4, .verify = true});
  EXPECT_EQ(set->backend().kind, kind);
  Twin twin(*set, seed + static_cast<std::uint64_t>(disks) * 100 + block);
  for (int repeat = 0; repeat < 12 && !HasFatalFailure(); ++repeat) twin.run_tickets();
  twin.compare_all();
  for (const DiskCounters& counters : set->counters().disks) {
    EXPECT_GT(counters.reads, 0);
    EXPECT_GT(counters.writes, 0);
    EXPECT_GE(counters.deepest, 1);
    EXPECT_LE(counters.deepest, 4);
  }
  set->flush();
  // A set that is opened again, as by another process, has the same contents.
  const auto again =
      open_set(directory.file("a.weft.json"), Mode::read, {.backend = kind, .verify = true});
  std::vector<std::byte> one(static_cast<std::size_t>(set->bytes()));
  std::vector<std::byte> other(one.size());
  const disk::Run from_one = {0, set->bytes(), one.data()};
  const disk::Run from_other = {0, set->bytes(), other.data()};
  set->wait(set->start_read({&from_one, 1}));
  again->wait(again->start_read({&from_other, 1}));
  EXPECT_TRUE(one == other);
}

class DiskBackend : public testing::TestWithParam<BackendKind> {};
INSTANTIATE_TEST_SUITE_P(All, DiskBackend, testing::ValuesIn(kinds_here()),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST_P(DiskBackend, a_plain_file_is_a_volume_from_any_offset_on) {
  const std::uint64_t seed = test_support::chosen_seed(20260311);
  SCOPED_TRACE(test_support::repeated_by(seed));
  for (const std::int64_t offset : {0, 128, 4096, 5000}) {
    const Directory directory;
    constexpr std::int64_t bytes = (5 << 20) / 2 + 77;
    const auto set = plain_set(create_data_file(directory.file("a.npy"), offset + bytes), offset,
                               bytes, Mode::write, {.backend = GetParam()});
    Twin twin(*set, seed + offset);
    for (int repeat = 0; repeat < 5; ++repeat) twin.run_tickets();
    twin.compare_all();
    // The bytes before the array are unchanged.
    const OpenFile file = open_data_file(directory.file("a.npy"), Mode::read);
    std::vector<char> lead(static_cast<std::size_t>(offset));
    file.read(0, lead.data(), offset);
    EXPECT_EQ(std::count(lead.begin(), lead.end(), 0), offset);
    EXPECT_EQ(file.bytes(), offset + bytes);
  }
}

TEST_P(DiskBackend, a_file_that_was_shortened_after_opening_is_an_error_of_wait) {
  const Directory directory;
  const auto path = directory.file("a.raw");
  const auto set =
      plain_set(create_data_file(path, 2 << 20), 0, 2 << 20, Mode::write, {.backend = GetParam()});
  // The file ends within an access, so the system reads only a part.
  std::filesystem::resize_file(path, (1 << 20) + 100);
  std::vector<std::byte> memory(2 << 20);
  const disk::Run run = {0, 2 << 20, memory.data()};
  const Volume::Ticket ticket = set->start_read({&run, 1});
  expect_error(ErrorCode::io_failure, {path, "to be read", "truncated", "ends at 1048676"},
               [&] { set->wait(ticket); });
  // The existing data can still be read.
  const disk::Run there = {0, 1 << 20, memory.data()};
  set->wait(set->start_read({&there, 1}));
}

TEST_P(DiskBackend, a_forked_process_must_open_files_itself) {
  const Directory directory;
  const auto path = directory.file("a.raw");
  auto set = plain_set(create_data_file(path, 4096), 0, 4096, Mode::write, {.backend = GetParam()});
  std::vector<std::byte> memory(4096);
  const disk::Run run = {0, 4096, memory.data()};
  const std::string answer = test_support::in_child([&] {
    std::string text;
    try {
      set->wait(set->start_read({&run, 1}));
    } catch (const Error& error) {
      text = error.what();
    }
    set.reset();  // must not wait for a thread
    const auto own =
        plain_set(open_data_file(path, Mode::read), 0, 4096, Mode::read, {.backend = GetParam()});
    own->wait(own->start_read({&run, 1}));
    return text;
  });
  EXPECT_NE(answer.find("open them again in this one"), std::string::npos) << answer;
  set->wait(set->start_read({&run, 1}));
}

TEST_P(DiskBackend, a_full_disk_is_an_error_that_says_what_to_do) {
  const Directory directory;
  const auto path = directory.file("a.raw");
  const auto set = plain_set(create_data_file(path, 64 << 10), 0, 64 << 10, Mode::write,
                             {.backend = GetParam()});
  std::filesystem::resize_file(path, 0);
  std::vector<std::byte> memory(64 << 10);
  const disk::Run run = {0, 64 << 10, memory.data()};
  const SizeLimit limit(8192);
  const Volume::Ticket ticket = set->start_write({&run, 1});
  expect_error(ErrorCode::io_failure, {path, "offset 8192", "written", "too large", "ulimit -f"},
               [&] { set->wait(ticket); });
}

TEST_P(DiskBackend, a_device_without_room_is_an_error_of_the_access) {
  const int full = open("/dev/full", O_RDWR);
  if (full < 0) GTEST_SKIP() << "no /dev/full";
  std::vector<OpenFile> files;
  files.emplace_back("/dev/full", full);
  files.back().close_direct();
  StripedSet set(std::move(files), {.bytes = 4096, .block_bytes = 4096}, Mode::write,
                 {.backend = GetParam()});
  std::vector<std::byte> memory(4096);
  const disk::Run run = {0, 4096, memory.data()};
  const Volume::Ticket ticket = set.start_write({&run, 1});
  expect_error(ErrorCode::io_failure,
               {"/dev/full", "4096 bytes at offset 0", "No space left", "make room", "another one"},
               [&] { set.wait(ticket); });
}

TEST_P(DiskBackend, what_was_started_ends_when_the_volume_is_dropped) {
  const Directory directory;
  std::vector<std::byte> memory(8 << 20, std::byte{7});
  {
    const auto set = plain_set(create_data_file(directory.file("a"), 8 << 20), 0, 8 << 20,
                               Mode::write, {.backend = GetParam(), .depth = 1});
    const disk::Run run = {0, 8 << 20, memory.data()};
    set->start_write({&run, 1});
  }
  std::vector<std::byte> read(8 << 20);
  open_data_file(directory.file("a"), Mode::read).read(0, read.data(), 8 << 20);
  EXPECT_TRUE(read == memory);
}

TEST_P(DiskBackend, says_when_a_transfer_has_ended) {
  const Directory directory;
  const AlignedBuffer memory(1 << 20);
  const auto set = scratch_set({directory.path()}, {.bytes = 1 << 20, .block_bytes = 4096},
                               {.backend = GetParam()});
  const disk::Run run = {0, 1 << 20, memory.as<std::byte>()};
  const Volume::Ticket ticket = set->start_write({&run, 1});
  while (!set->has_ended(ticket)) std::this_thread::yield();
  EXPECT_TRUE(set->has_ended(ticket));
  set->wait(ticket);
  expect_error(ErrorCode::invalid_argument, {"ticket", std::to_string(ticket)},
               [&] { set->has_ended(ticket); });
}

TEST_P(DiskBackend, transfers_may_be_empty) {
  const Directory directory;
  const auto set = plain_set(create_data_file(directory.file("a"), 10), 0, 10, Mode::write,
                             {.backend = GetParam()});
  const disk::Run nothing = {10, 0, nullptr};
  set->wait(set->start_read({}));
  set->wait(set->start_write({&nothing, 1}));
}

TEST(DiskBackends, an_unknown_backend_is_refused) {
  expect_error(ErrorCode::invalid_argument, {"backend of disks", "threads", "\"tape\""},
               [] { backend_from_string("tape"); });
  setenv("WEFT_DISK_BACKEND", "tape", 1);
  expect_error(ErrorCode::invalid_argument, {"WEFT_DISK_BACKEND", "io_uring, threads", "'tape'"},
               [] { choose_backend(); });
  setenv("WEFT_DISK_BACKEND", "threads", 1);
  EXPECT_EQ(choose_backend().kind, BackendKind::threads);
  EXPECT_EQ(choose_backend().reason, "WEFT_DISK_BACKEND asks for it");
  EXPECT_EQ(choose_backend(BackendKind::synchronous).kind, BackendKind::synchronous);
  unsetenv("WEFT_DISK_BACKEND");
  EXPECT_NE(choose_backend().kind, BackendKind::synchronous);
  EXPECT_FALSE(choose_backend().reason.empty());
}

TEST(MemoryVolumes, have_the_written_bytes_however_late_they_arrive) {
  const std::uint64_t seed = test_support::chosen_seed(20260311);
  SCOPED_TRACE(test_support::repeated_by(seed));
  for (const Landing landing : {Landing::in_wait, Landing::at_random}) {
    FakeVolume volume(100000, landing, seed);
    Twin twin(volume, seed);
    for (int repeat = 0; repeat < 20; ++repeat) twin.run_tickets();
    twin.compare_all();
    EXPECT_EQ(volume.under_way(), 0U);
  }
}

TEST(MemoryVolumes, refuse_overlapping_transfers_without_a_wait) {
  FakeVolume volume(100);
  std::vector<std::byte> memory(100, std::byte{1});
  const disk::Run all = {0, 100, memory.data()};
  const disk::Run last = {99, 1, memory.data()};
  const Volume::Ticket ticket = volume.start_write({&all, 1});
  EXPECT_EQ(volume.as<std::byte>()[5], std::byte{0});
  expect_error(ErrorCode::internal, {"two transfers touch byte 99"}, [&] {
    volume.start_read({&last, 1});
  });
  expect_error(ErrorCode::internal, {"flush"}, [&] { volume.flush(); });
  volume.wait(ticket);
  EXPECT_EQ(volume.as<std::byte>()[5], std::byte{1});
  expect_error(ErrorCode::internal, {"no such ticket: 1"}, [&] { volume.wait(ticket); });
  volume.fail_wait(0);
  const Volume::Ticket failing = volume.start_read({&last, 1});
  expect_error(ErrorCode::io_failure, {"fails on purpose"}, [&] { volume.wait(failing); });
}

}  // namespace
}  // namespace weft::disk
