// Files without a name: whole and partial blocks, several accesses at the same time, errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/direct_io.hpp"
#include "base/memory.hpp"
#include "disk/file.hpp"
#include "disk/in_flight.hpp"
#include "probe/disks.hpp"
#include "support/directory.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::disk {
namespace {

using test_support::Directory;
using test_support::expect_error;
using test_support::SizeLimit;

constexpr std::int64_t block_bytes = direct_io_alignment_bytes;
/// Size of the memory for direct transfers. AlignedBuffer aligns a buffer of this size for them.
constexpr std::int64_t memory_bytes = 4 << 20;

char letter(std::int64_t at) { return static_cast<char>('a' + at % 23); }

/// Writes bytes [offset, offset + bytes) from memory that begins `shift` bytes after an aligned
/// address. Reads them together with neighbouring bytes, and compares with an array.
void write_and_compare(const File& file, std::vector<char>& expected, std::int64_t offset,
                       std::int64_t bytes, std::int64_t shift) {
  const AlignedBuffer memory(memory_bytes);
  char* const from = memory.as<char>() + shift;
  for (std::int64_t i = 0; i < bytes; ++i) from[i] = letter(offset + 7 * i + shift);
  file.write(offset, from, bytes);
  std::copy(from, from + bytes, expected.begin() + offset);
  const auto size = static_cast<std::int64_t>(expected.size());
  std::fill_n(memory.as<char>(), memory_bytes, '?');
  file.read(0, memory.data(), size);
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), memory.as<char>()))
      << "at " << offset << ", " << bytes << " bytes, memory shifted by " << shift;
  EXPECT_EQ(memory.as<char>()[size], '?');
}

TEST(DiskFile, any_bytes_are_read_as_they_were_written) {
  const Directory directory;
  const File file(directory.path());
  constexpr std::int64_t size = 6 * block_bytes + 100;
  std::vector<char> expected(size, '.');
  file.write(0, expected.data(), size);
  for (const std::int64_t shift : {0, 8, 4095})
    for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{1}, block_bytes - 1,
                                      block_bytes, 2 * block_bytes, 2 * block_bytes + 512})
      for (const std::int64_t bytes : {std::int64_t{1}, block_bytes - 1, block_bytes,
                                       block_bytes + 1, 2 * block_bytes, 3 * block_bytes + 99})
        write_and_compare(file, expected, offset, bytes, shift);
}

TEST(DiskFile, a_file_is_never_visible_in_its_directory) {
  const Directory directory;
  {
    File file(directory.path());
    EXPECT_TRUE(directory.is_empty());
    file.write(0, "abc", 3);
    EXPECT_TRUE(directory.is_empty());
    File moved(std::move(file));
    char read[3] = {};
    moved.read(0, read, 3);
    EXPECT_EQ(std::string(read, 3), "abc");
    EXPECT_EQ(moved.directory(), directory.path());
  }
  EXPECT_TRUE(directory.is_empty());
}

TEST(DiskFile, written_bytes_stay_after_flush_and_forget) {
  const Directory directory;
  const File file(directory.path());
  const std::string text(3 * block_bytes + 5, 'x');
  file.write(0, text.data(), static_cast<std::int64_t>(text.size()));
  file.flush();
  file.forget();
  std::string read(text.size(), ' ');
  file.read(0, read.data(), static_cast<std::int64_t>(read.size()));
  EXPECT_EQ(read, text);
  EXPECT_GT(file.free_bytes(), 0);
}

TEST(DiskFile, a_file_system_in_memory_is_not_called_direct) {
  if (!std::filesystem::is_directory("/dev/shm")) GTEST_SKIP() << "no file system in memory";
  EXPECT_FALSE(File("/dev/shm").is_direct());
}

TEST(DiskFile, errors_name_a_directory_that_can_have_no_file) {
  const Directory directory;
  const std::string plain = directory.path() + "/plain";
  std::ofstream(plain) << "no directory";
  expect_error(ErrorCode::io_failure, {"/nowhere/at/all", "No such file", "name a directory"},
               [] { File file("/nowhere/at/all"); });
  expect_error(ErrorCode::io_failure, {plain, "Not a directory", "name a directory"},
               [&] { File file(plain); });
  expect_error(ErrorCode::io_failure, {"/proc", "no file can be made"}, [] { File file("/proc"); });
  expect_error(ErrorCode::invalid_argument, {"path of a directory", "\"\""}, [] { File file(""); });
  expect_error(ErrorCode::invalid_argument, {"zero byte"},
               [] { File file(std::string("a\0b", 3)); });
}

TEST(DiskFile, beyond_the_end_nothing_can_be_read) {
  const Directory directory;
  const File file(directory.path());
  file.write(0, "abc", 3);
  char read[10] = {};
  expect_error(ErrorCode::io_failure, {directory.path(), "ends before byte 10", "ends at 3"},
               [&] { file.read(0, read, 10); });
}

TEST(DiskFile, a_write_beyond_the_limit_of_file_sizes_is_an_error) {
  const Directory directory;
  const File file(directory.path());
  const AlignedBuffer memory(memory_bytes);
  std::fill_n(memory.as<char>(), memory_bytes, 'x');
  const SizeLimit limit(3 * block_bytes + 10);
  expect_error(ErrorCode::io_failure, {directory.path(), "written", "room"},
               [&] { file.write(0, memory.data(), memory_bytes); });
}

TEST(DiskInFlight, every_number_is_done_once) {
  for (const int threads : {1, 2, 5, 8})
    for (const std::int64_t count : {0, 1, 3, 8, 1000}) {
      std::mutex mutex;
      std::multiset<std::int64_t> seen;
      in_flight(threads, count, [&](int thread, std::int64_t number) {
        EXPECT_TRUE(thread >= 0 && thread < threads) << thread;
        const std::lock_guard lock(mutex);
        seen.insert(number);
      });
      ASSERT_EQ(static_cast<std::int64_t>(seen.size()), count);
      for (std::int64_t number = 0; number < count; ++number) EXPECT_EQ(seen.count(number), 1U);
    }
}

TEST(DiskInFlight, as_many_are_in_flight_as_there_are_threads) {
  constexpr int threads = 4;
  std::atomic<int> here = 0;
  in_flight(threads, threads, [&](int, std::int64_t) {
    ++here;
    // The loop ends only if all threads are here at the same time.
    while (here < threads) std::this_thread::yield();
  });
  EXPECT_EQ(here, threads);
}

TEST(DiskInFlight, the_first_failure_ends_the_work) {
  std::atomic<int> begun = 0;
  expect_error(ErrorCode::io_failure, {"number 5"}, [&] {
    in_flight(3, 1000000, [&](int, std::int64_t number) {
      ++begun;
      if (number == 5) throw Error(ErrorCode::io_failure, "number 5");
      if (number > 5) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  });
  EXPECT_GE(begun, 6);
  EXPECT_LT(begun, 100000);
}

TEST(ProbeDisk, figures_follow_from_what_was_measured) {
  const Directory directory;
  const probe::MeasuredDisk found = probe::measure_disk(directory.path(), 0.2);
  EXPECT_TRUE(directory.is_empty());
  EXPECT_EQ(found.disk.directory, directory.path());
  EXPECT_EQ(found.disk.direct, File(directory.path()).is_direct());
  EXPECT_GT(found.disk.latency_s, 0);
  EXPECT_GT(found.disk.in_flight, 1);
  std::set<std::pair<std::string, double>> series;
  for (const Sample& sample : found.samples) {
    EXPECT_GT(sample.seconds, 0);
    series.emplace(sample.series, sample.x);
  }
  for (const double bytes : {64 << 10, 256 << 10, 1 << 20, 4 << 20})
    for (const char* words : {"disk read ", "disk write "})
      EXPECT_EQ(series.count({words + directory.path(), bytes}), 1U) << words << bytes;
  EXPECT_EQ(series.count({"disk read alone " + directory.path(), 4096}), 1U);
  // The fitted times of blocks of 4 MiB, the largest, must agree with the samples within a factor
  // of 4.
  for (const Sample& sample : found.samples) {
    if (sample.x != 4 << 20) continue;
    const bool write = sample.series.find("write") != std::string::npos;
    const double expected =
        write ? found.disk.write_access_s + sample.x / found.disk.write_bytes_per_s
              : found.disk.read_access_s + sample.x / found.disk.read_bytes_per_s;
    EXPECT_LT(std::abs(std::log2(sample.seconds / expected)), 2) << sample.series;
  }
}

TEST(ProbeDisk, at_most_half_of_the_free_space_is_used) {
  constexpr std::int64_t mebibyte = 1 << 20;
  EXPECT_EQ(probe::disk_file_bytes("/data", 100 * mebibyte), 50 * mebibyte);
  EXPECT_EQ(probe::disk_file_bytes("/data", 64 * mebibyte), 32 * mebibyte);
  EXPECT_EQ(probe::disk_file_bytes("/data", 100000 * mebibyte), 1024 * mebibyte);
  expect_error(ErrorCode::io_failure, {"/data", "67108864 free bytes", "67108863", "make room"},
               [] { probe::disk_file_bytes("/data", 64 * mebibyte - 1); });
}

}  // namespace
}  // namespace weft::disk
