#include "base/memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "base/memory_limits.hpp"

namespace weft {
namespace {

std::uintptr_t address(const AlignedBuffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.data());
}

TEST(BaseMemory, buffers_are_aligned_and_writable) {
  const std::int64_t mebibyte = std::int64_t{1} << 20;
  for (const std::int64_t bytes :
       {std::int64_t{1}, std::int64_t{63}, std::int64_t{64}, std::int64_t{100000}, 4 * mebibyte - 1,
        4 * mebibyte, 4 * mebibyte + 1, 9 * mebibyte}) {
    const AlignedBuffer buffer(bytes);
    ASSERT_NE(buffer.data(), nullptr);
    EXPECT_EQ(buffer.size(), bytes);
    EXPECT_EQ(address(buffer) % (bytes >= 4 * mebibyte ? 2 * mebibyte : 64), 0u) << bytes;
    std::memset(buffer.data(), 0x5a, static_cast<std::size_t>(bytes));
    EXPECT_EQ(buffer.as<unsigned char>()[bytes - 1], 0x5a);
  }
}

TEST(BaseMemory, zero_bytes_allocate_nothing) {
  const auto before = memory_counters().allocations;
  const AlignedBuffer buffer(0);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(buffer.size(), 0);
  EXPECT_EQ(memory_counters().allocations, before);
}

TEST(BaseMemory, moves_without_copying) {
  AlignedBuffer a(1000);
  void* const data = a.data();
  AlignedBuffer b(std::move(a));
  EXPECT_EQ(b.data(), data);
  AlignedBuffer c(10);
  c = std::move(b);
  EXPECT_EQ(c.data(), data);
  EXPECT_EQ(c.size(), 1000);
}

TEST(BaseMemory, counts_live_buffers) {
  const MemoryCounters before = memory_counters();
  {
    const AlignedBuffer small(1000);
    const AlignedBuffer large(std::int64_t{5} << 20);
    EXPECT_EQ(memory_counters().live_bytes, before.live_bytes + 1000 + (std::int64_t{5} << 20));
    EXPECT_EQ(memory_counters().allocations, before.allocations + 2);
  }
  EXPECT_EQ(memory_counters().live_bytes, before.live_bytes);
  EXPECT_GE(memory_counters().peak_bytes, before.live_bytes + (std::int64_t{5} << 20));
  reset_memory_peak();
  EXPECT_EQ(memory_counters().peak_bytes, before.live_bytes);
}

/// Returns the code and message of the error of a buffer of `bytes`, or "granted".
std::string refusal(std::int64_t bytes) {
  try {
    const AlignedBuffer buffer(bytes);
  } catch (const Error& error) {
    return std::string(error_name(error.code())) + ": " + error.what();
  }
  return "granted";
}

TEST(BaseMemory, a_buffer_above_the_available_memory_is_refused) {
  if (available_memory_bytes() == no_memory_limit)
    GTEST_SKIP() << "this system does not say how much memory it has";
  const std::int64_t asked = available_memory_bytes() + (std::int64_t{1} << 40);
  const std::string message = refusal(asked);
  EXPECT_TRUE(
      message.starts_with("out_of_memory: a buffer needs " + std::to_string(asked) + " bytes ("))
      << message;
  EXPECT_NE(message.find(" MiB) are available; use more nodes or a smaller size"),
            std::string::npos)
      << message;
  EXPECT_TRUE(refusal(INT64_MAX).starts_with("out_of_memory: "));
  EXPECT_TRUE(refusal(-1).starts_with("invalid_argument: "));
}

TEST(BaseMemory, an_untouched_buffer_reduces_the_available_memory) {
  if (available_memory_bytes() == no_memory_limit)
    GTEST_SKIP() << "this system does not say how much memory it has";
  std::optional<AlignedBuffer> first(available_memory_bytes() / 10 * 6);
  const std::string second = refusal(available_memory_bytes() / 10 * 6);
  EXPECT_TRUE(second.starts_with("out_of_memory: ")) << second;
  first.reset();
  EXPECT_EQ(refusal(available_memory_bytes() / 10 * 6), "granted");
}

/// A folder that is removed at the end of the test.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("weft-limits-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
               "-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {}
  ~Folder() { std::filesystem::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(BaseMemoryLimits, cgroup_2_takes_the_least_room_of_group_and_parents) {
  const Folder mount;
  mount.write("a/memory.max", "1000\n");
  mount.write("a/memory.current", "300\n");
  mount.write("a/memory.stat", "anon 250\ninactive_file 50\nactive_file 7\n");
  mount.write("a/b/memory.max", "max\n");
  mount.write("a/b/memory.current", "300\n");
  EXPECT_EQ(cgroup_room_bytes("0::/a/b\n", mount.path()), 750);
  mount.write("a/b/memory.max", "500\n");
  EXPECT_EQ(cgroup_room_bytes("0::/a/b\n", mount.path()), 200);
  EXPECT_EQ(cgroup_room_bytes("0::/elsewhere\n", mount.path()), no_memory_limit);
}

TEST(BaseMemoryLimits, a_container_sees_its_group_at_the_mount_point) {
  const Folder mount;
  mount.write("memory.max", "4096\n");
  mount.write("memory.current", "96\n");
  EXPECT_EQ(cgroup_room_bytes("0::/\n", mount.path()), 4000);
  EXPECT_EQ(cgroup_room_bytes("0::/docker/0123\n", mount.path()), 4000);
}

TEST(BaseMemoryLimits, cgroup_1_subtracts_the_usage) {
  const Folder mount;
  mount.write("memory/job/memory.limit_in_bytes", "1000\n");
  mount.write("memory/job/memory.usage_in_bytes", "900\n");
  mount.write("memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 400\n");
  mount.write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  mount.write("memory/memory.usage_in_bytes", "5000\n");
  EXPECT_EQ(cgroup_room_bytes("5:cpu,cpuacct:/\n4:memory:/job\n", mount.path()), 500);
  EXPECT_EQ(cgroup_room_bytes("5:cpu,cpuacct:/job\n", mount.path()), no_memory_limit);
}

TEST(BaseMemoryLimits, usage_above_the_limit_leaves_nothing) {
  const Folder mount;
  mount.write("memory.max", "100\n");
  mount.write("memory.current", "300\n");
  EXPECT_EQ(cgroup_room_bytes("0::/\n", mount.path()), 0);
}

TEST(BaseMemoryLimits, mem_available_is_read_in_bytes) {
  EXPECT_EQ(mem_available_bytes("MemTotal: 9 kB\nMemAvailable:   3 kB\n"), 3072);
  EXPECT_EQ(mem_available_bytes("no such line"), no_memory_limit);
}

}  // namespace
}  // namespace weft
