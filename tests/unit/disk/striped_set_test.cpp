// Striped sets: their index, checksums and counters.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "disk/backends.hpp"
#include "disk/checksum.hpp"
#include "disk/striped_set.hpp"
#include "support/directory.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::disk {
namespace {

using test_support::Directory;
using test_support::expect_error;
using test_support::SizeLimit;

constexpr std::int64_t block = 4096;

TEST(DiskChecksum, is_crc_32c) {
  // Values from the catalogue of CRCs, and from RFC 3720, B.4 (32 bytes of zeros or of ones).
  EXPECT_EQ(crc32c("123456789", 9), 0xE3069283U);
  EXPECT_EQ(crc32c(std::vector<char>(32, 0).data(), 32), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::vector<unsigned char>(32, 0xFF).data(), 32), 0x62A8AB43U);
  std::mt19937_64 random(test_support::chosen_seed(1));
  std::vector<unsigned char> bytes(3000);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  for (const int length : {0, 1, 7, 8, 9, 63, 2999})
    EXPECT_EQ(crc32c(bytes.data() + 1, length), crc32c_by_table(bytes.data() + 1, length))
        << length;
}

TEST(DiskChecksum, of_pieces_in_any_order_is_that_of_all) {
  const std::uint64_t seed = test_support::chosen_seed(77);
  std::mt19937_64 random(seed);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<unsigned char> bytes(1 + random() % 70000);
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
    const auto all = static_cast<std::int64_t>(bytes.size());
    std::vector<std::int64_t> cuts = {0, all};
    for (int k = 0; k < 6; ++k) cuts.push_back(static_cast<std::int64_t>(random() % bytes.size()));
    std::sort(cuts.begin(), cuts.end());
    std::vector<std::size_t> order(cuts.size() - 1);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    SumOfPieces pieces;
    for (const std::size_t k : order)
      pieces.add(bytes.data() + cuts[k], cuts[k + 1] - cuts[k], all - cuts[k + 1]);
    EXPECT_EQ(pieces.sum(all), crc32c(bytes.data(), all)) << "trial " << trial << ", seed " << seed;
  }
}

/// A set of 3 disks and 10 blocks and a half.
struct Made {
  Directory directory;
  std::string path = directory.file("field.weft.json");
  std::int64_t bytes = 10 * block + 2048;
  SetIndex index = {
      .shape = {21, 256}, .dtype = "float64", .striping = {.bytes = bytes, .block_bytes = block}};
  std::unique_ptr<StripedSet> set = create_set(path, directory.folders(3), index, {.verify = true});
  std::vector<std::byte> memory = std::vector<std::byte>(static_cast<std::size_t>(bytes));

  void write(std::int64_t offset, std::int64_t count) {
    const disk::Run run = {offset, count, memory.data() + offset};
    set->wait(set->start_write({&run, 1}));
  }
  void read() {
    const disk::Run run = {0, bytes, memory.data()};
    set->wait(set->start_read({&run, 1}));
  }
  void fill() {
    for (std::size_t k = 0; k < memory.size(); ++k) memory[k] = static_cast<std::byte>(k * 7 / 5);
    write(0, bytes);
  }
  std::string disk(int number) const {
    return directory.file("disk" + std::to_string(number)) + "/field." + std::to_string(number);
  }
  void flip(int number, std::int64_t offset) const {
    std::fstream file(disk(number), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(offset);
    const char found = static_cast<char>(file.get());
    file.seekp(offset);
    file.put(static_cast<char>(found ^ 4));
  }
};

TEST(DiskSet, blocks_lie_where_the_index_says) {
  Made made;
  made.fill();
  made.set->flush();
  EXPECT_EQ(read_index(made.path).files.size(), 3U);
  EXPECT_EQ(read_index(made.path).shape, (std::vector<std::int64_t>{21, 256}));
  for (std::int64_t k = 0; k < 11; ++k) {
    std::ifstream file(made.disk(static_cast<int>(k % 3)), std::ios::binary);
    file.seekg(k / 3 * block);
    const std::int64_t length = std::min(block, made.bytes - k * block);
    std::vector<char> found(static_cast<std::size_t>(length));
    file.read(found.data(), length);
    EXPECT_EQ(0, std::memcmp(found.data(), made.memory.data() + k * block, found.size())) << k;
  }
}

TEST(DiskSet, a_flipped_bit_is_found_where_a_block_is_read_as_a_whole) {
  Made made;
  made.fill();
  made.set->flush();
  made.read();
  made.flip(1, 2 * block + 17);
  const auto again = open_set(made.path, Mode::read, {.verify = true});
  const auto unchecked = open_set(made.path, Mode::read);
  const disk::Run all = {0, made.bytes, made.memory.data()};
  const Volume::Ticket ticket = again->start_read({&all, 1});
  expect_error(ErrorCode::io_failure, {"block 7", made.disk(1), "offset 8192", "again"},
               [&] { again->wait(ticket); });
  unchecked->wait(unchecked->start_read({&all, 1}));
  // The last block is shorter, and also has a checksum.
  made.flip(1, 3 * block + 2047);
  const disk::Run last = {10 * block, 2048, made.memory.data()};
  const Volume::Ticket ticket_of_last = again->start_read({&last, 1});
  expect_error(ErrorCode::io_failure, {"block 10", "2048 bytes"},
               [&] { again->wait(ticket_of_last); });
}

TEST(DiskSet, a_block_that_is_written_in_part_has_no_checksum_until_it_is_whole_again) {
  Made made;
  made.fill();
  made.set->flush();
  EXPECT_TRUE(std::filesystem::exists(made.path + ".sums"));
  made.write(7 * block + 100, 50);
  EXPECT_FALSE(std::filesystem::exists(made.path + ".sums")) << "its sum is out of date";
  made.set->flush();
  made.flip(1, 2 * block + 17);
  made.read();
  made.write(7 * block, block);
  made.read();
  made.flip(1, 2 * block + 17);
  expect_error(ErrorCode::io_failure, {"block 7"}, [&] { made.read(); });
}

void read_parts(Made& made, const std::vector<std::pair<std::int64_t, std::int64_t>>& parts) {
  for (const auto& [offset, bytes] : parts) {
    const disk::Run run = {offset, bytes, made.memory.data() + offset};
    made.set->wait(made.set->start_read({&run, 1}));
  }
}

TEST(DiskSet, blocks_in_pieces_are_checked_when_all_pieces_have_come) {
  for (const bool in_order : {true, false}) {
    Made made;
    made.fill();
    // Pieces of block 3 and of its neighbours, as the columns of a matrix would have them.
    made.write(3 * block + 1000, 2000);
    made.write(in_order ? 2 * block + 96 : 3 * block + 3000, in_order ? 5000 : 5192);
    made.write(in_order ? 3 * block + 3000 : 2 * block + 96, in_order ? 5192 : 5000);
    made.set->flush();
    made.read();
    made.flip(0, block + 3500);  // block 3
    read_parts(made, {{3 * block, 1000}, {3 * block + 1000, 3000}});
    const disk::Run rest = {3 * block + 4000, 96, made.memory.data()};
    const Volume::Ticket ticket = made.set->start_read({&rest, 1});
    expect_error(ErrorCode::io_failure, {"block 3", made.disk(0), "offset 4096"},
                 [&] { made.set->wait(ticket); });
  }
}

TEST(DiskSet, blocks_in_overlapping_pieces_are_not_checked) {
  Made made;
  made.fill();
  made.write(3 * block, 3000);
  made.write(3 * block + 2000, 2096);
  made.set->flush();
  made.flip(0, block + 1);
  made.read();  // not checked, because block 3 was not written exactly once
  read_parts(made, {{3 * block, 3000}, {3 * block + 2000, 2096}});
}

TEST(DiskSet, pieces_are_checked_as_they_were_before_a_write) {
  for (const bool damaged : {false, true}) {
    Made made;
    made.fill();
    made.set->flush();
    if (damaged) made.flip(0, block + 4000);
    read_parts(made, {{3 * block, 1000}});
    made.write(3 * block, 1000);
    if (!damaged) {
      read_parts(made, {{3 * block + 1000, 3096}});
      made.write(3 * block + 1000, 3096);
      made.read();
      continue;
    }
    expect_error(ErrorCode::io_failure, {"block 3"}, [&] {
      read_parts(made, {{3 * block + 1000, 3096}});
    });
  }
}

TEST(DiskSet, a_write_of_bytes_that_were_not_read_yet_is_no_damage) {
  for (const std::int64_t from : {1000, 500}) {
    Made made;
    made.fill();
    made.set->flush();
    read_parts(made, {{3 * block, 1000}});
    for (std::int64_t k = from; k < 3000; ++k)
      made.memory[static_cast<std::size_t>(3 * block + k)] ^= std::byte{5};
    made.write(3 * block + from, 3000 - from);
    read_parts(made, {{3 * block + 1000, 3096}});
    made.read();
  }
}

TEST(DiskSet, a_block_that_was_read_in_part_and_rewritten_is_no_damage) {
  Made made;
  made.fill();
  made.set->flush();
  read_parts(made, {{3 * block, 1000}});
  for (std::int64_t k = 0; k < block; ++k)
    made.memory[static_cast<std::size_t>(3 * block + k)] ^= std::byte{5};
  made.write(3 * block, 2000);
  made.write(3 * block + 2000, 2096);
  read_parts(made, {{3 * block + 1000, 3096}, {3 * block, 1000}});
}

TEST(DiskSet, damaged_checksums_are_refused_and_missing_checksums_check_nothing) {
  Made made;
  made.fill();
  made.set->flush();
  const std::string sums = made.path + ".sums";
  const auto changed = [&](auto&& change, const std::string& word) {
    SCOPED_TRACE(word);
    std::filesystem::copy_file(sums, sums + ".kept");
    change();
    expect_error(ErrorCode::io_failure, {sums, word, "remove it"},
                 [&] { open_set(made.path, Mode::read); });
    std::filesystem::rename(sums + ".kept", sums);
  };
  changed([&] { std::filesystem::resize_file(sums, 30); }, "must have 68 bytes and has 30");
  const auto put = [&](int offset) {
    std::fstream file(sums, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(offset);
    file.put('\x05');
  };
  changed([&] { put(0); }, "another file");
  changed([&] { put(8); }, "is of 5 blocks");
  changed([&] { put(41); }, "damaged");
  std::filesystem::remove(sums);
  made.flip(0, 5);
  const auto again = open_set(made.path, Mode::read, {.verify = true});
  const disk::Run all = {0, made.bytes, made.memory.data()};
  again->wait(again->start_read({&all, 1}));
}

/// Changes the index, and expects that the set cannot be opened.
void refuses_index(const std::string& text, const std::vector<std::string>& words) {
  Made made;
  std::ofstream(made.path) << text;
  std::vector<std::string> all = {made.path, "again"};
  all.insert(all.end(), words.begin(), words.end());
  expect_error(ErrorCode::invalid_argument, all, [&] { open_set(made.path, Mode::read); });
}

TEST(DiskSet, a_damaged_index_is_refused) {
  refuses_index("", {"not JSON"});
  refuses_index("{\"weft_striped_set\": 1, ", {"not JSON"});
  refuses_index("[]", {"another file"});
  refuses_index("{\"weft_plan\": 1}", {"weft_striped_set", "another file"});
  const nlohmann::json good = [] {
    const Made made;
    std::ifstream file(made.path);
    return nlohmann::json::parse(file);
  }();
  const auto with = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json changed = good;
    changed[key] = value;
    return changed.dump();
  };
  refuses_index(with("weft_striped_set", 2), {"version 1", "it has 2"});
  refuses_index(with("weft_striped_set", "1"), {"whole number"});
  refuses_index(with("block_bytes", 1000), {"multiple of 4096"});
  refuses_index(with("block_bytes", 4096.5), {"block_bytes", "whole number"});
  refuses_index(with("bytes", 1001), {"multiple of 5376 elements"});
  refuses_index(with("bytes", -8), {"at least 0"});
  refuses_index(with("bytes", 18446744073709551615ULL), {"bytes", "whole number"});
  refuses_index(with("shape", "21x256"), {"shape", "list"});
  refuses_index(with("shape", {21, -256}), {"extents"});
  refuses_index(with("dtype", 8), {"dtype", "text"});
  refuses_index(with("checksums", 1), {"checksums", "true or false"});
  refuses_index(with("processors", 2), {"divisor"});
  refuses_index(with("processors", -1), {"processors", "range"});
  refuses_index(with("files", nlohmann::json::array()), {"1 to 1024 disks"});
  refuses_index(with("files", {"a", "b", "a"}), {"twice"});
  refuses_index(with("colour", "blue"), {"colour"});
  for (const auto& [key, value] : good.items()) {
    nlohmann::json changed = good;
    changed.erase(key);
    refuses_index(changed.dump(), {key});
  }
}

TEST(DiskSet, missing_and_wrong_files_are_refused) {
  Made made;
  std::filesystem::resize_file(made.disk(2), 5 * block);
  expect_error(ErrorCode::io_failure, {made.disk(2), "must have 16384", "has 20480", "again"},
               [&] { open_set(made.path, Mode::read); });
  std::filesystem::remove(made.disk(2));
  expect_error(ErrorCode::io_failure, {made.disk(2), "No such file"},
               [&] { open_set(made.path, Mode::read); });
  expect_error(ErrorCode::io_failure, {"there is no", "nothing.json"},
               [&] { open_set(made.directory.file("nothing.json"), Mode::read); });
  std::filesystem::create_directory(made.disk(2));
  expect_error(ErrorCode::io_failure, {made.disk(2), "regular file"},
               [&] { open_set(made.path, Mode::read); });
}

TEST(DiskSet, opening_some_disks_does_not_touch_the_others) {
  Made made;
  made.fill();
  made.set->flush();
  std::filesystem::remove(made.disk(0));
  std::filesystem::remove(made.disk(2));
  const auto own = open_disks_of_set(made.path, Mode::read, 1, 2, {.verify = true});
  const std::vector<std::byte> before = made.memory;
  std::fill(made.memory.begin(), made.memory.end(), std::byte{});
  const disk::Run mine = {4 * block, block, made.memory.data() + 4 * block};
  own->wait(own->start_read({&mine, 1}));
  EXPECT_EQ(0, std::memcmp(mine.memory, before.data() + 4 * block, block));
  const disk::Run other = {5 * block, block, made.memory.data()};
  const Volume::Ticket ticket = own->start_read({&other, 1});
  expect_error(ErrorCode::io_failure, {made.disk(2)}, [&] { own->wait(ticket); });
  expect_error(ErrorCode::io_failure, {made.disk(2)},
               [&] { open_disks_of_set(made.path, Mode::read, 1, 3); });
}

TEST(DiskSet, a_set_that_cannot_be_made_leaves_no_files) {
  const Directory directory;
  SetIndex index = {.shape = {100 * block},
                    .dtype = "uint8",
                    .striping = {.bytes = 100 * block, .block_bytes = block}};
  const std::string path = directory.file("a.json");
  expect_error(ErrorCode::io_failure, {"/nowhere/a.1", "No such file"}, [&] {
    create_set(path, {directory.path(), "/nowhere"}, index);
  });
  EXPECT_TRUE(directory.is_empty());
  {
    const SizeLimit limit(block);
    expect_error(ErrorCode::io_failure, {"a.0", "cannot be reserved", "ulimit -f"},
                 [&] { create_set(path, {directory.path()}, index); });
  }
  EXPECT_TRUE(directory.is_empty());
  index.striping.bytes = index.shape[0] = std::int64_t{1} << 60;
  expect_error(ErrorCode::io_failure,
               {"a.0 needs 1152921504606846976 bytes", "it has", "make room"},
               [&] { create_set(path, {directory.path()}, index); });
  EXPECT_TRUE(directory.is_empty());
  index.striping.bytes = 3;
  expect_error(ErrorCode::invalid_argument, {"3 bytes"},
               [&] { create_set(path, {directory.path()}, index); });
  EXPECT_TRUE(directory.is_empty());
  index.striping.bytes = index.shape[0] = 5;
  create_set(path, {directory.path()}, index);
  expect_error(ErrorCode::io_failure, {"new name", path},
               [&] { create_set(path, {directory.path()}, index); });
  EXPECT_TRUE(std::filesystem::exists(directory.file("a.0")));
}

TEST(DiskSet, a_set_in_a_single_folder_can_be_moved) {
  const Directory directory;
  const std::string before = directory.file("before");
  std::filesystem::create_directory(before);
  create_set(before + "/a.json", {before, before},
             {.shape = {5}, .dtype = "uint8", .striping = {.bytes = 5, .block_bytes = block}});
  std::filesystem::rename(before, directory.file("after"));
  EXPECT_EQ(open_set(directory.file("after") + "/a.json", Mode::write)->bytes(), 5);
}

TEST(DiskSet, what_the_contract_forbids_is_refused) {
  Made made;
  std::byte byte{};
  for (const disk::Run& run : {disk::Run{-1, 1, &byte}, disk::Run{made.bytes, 1, &byte},
                               disk::Run{0, made.bytes + 1, &byte}, disk::Run{5, -1, &byte},
                               disk::Run{INT64_MAX, 1, &byte}})
    expect_error(ErrorCode::invalid_argument, {"within the 43008 bytes"}, [&] {
      made.set->start_read({&run, 1});
    });
  const disk::Run one = {0, 1, &byte};
  const Volume::Ticket ticket = made.set->start_read({&one, 1});
  made.set->wait(ticket);
  expect_error(ErrorCode::invalid_argument, {"ticket", "once"}, [&] { made.set->wait(ticket); });
  const auto reader = open_set(made.path, Mode::read);
  expect_error(ErrorCode::invalid_argument, {"opened for reading"}, [&] {
    reader->start_write({&one, 1});
  });
  expect_error(ErrorCode::invalid_argument, {"depth", "given 0"},
               [&] { open_set(made.path, Mode::read, {.depth = 0}); });
}

TEST(DiskSet, accesses_bytes_and_parallel_ios_are_counted) {
  const Directory directory;
  constexpr int disks = 4;
  const auto set = scratch_set(directory.folders(disks),
                               {.bytes = 64 * block, .block_bytes = block, .skew_rows = 4});
  std::vector<std::byte> memory(64 * block);
  const disk::Run all = {0, 64 * block, memory.data()};
  set->wait(set->start_write({&all, 1}));
  SetCounters counters = set->counters();
  EXPECT_EQ(counters.parallel_writes, 16);
  for (const DiskCounters& disk : counters.disks) {
    EXPECT_EQ(disk.writes, 1) << "adjacent blocks on a disk are one access";
    EXPECT_EQ(disk.bytes_written, 16 * block);
    EXPECT_EQ(disk.reads + disk.bytes_read, 0);
  }
  // A column of a matrix with rows of 16 blocks. Because of the skew, it has blocks on all disks.
  std::vector<disk::Run> column;
  for (std::int64_t row = 0; row < 4; ++row)
    column.push_back({row * 16 * block, block, memory.data() + row * block});
  set->wait(set->start_read(column));
  EXPECT_EQ(set->counters().parallel_reads, 1);
  // Two parts of a block are one block.
  const std::vector<disk::Run> halves = {{0, 100, memory.data()}, {2000, 100, memory.data() + 100}};
  set->wait(set->start_read(halves));
  EXPECT_EQ(set->counters().parallel_reads, 2);
  EXPECT_EQ(set->counters().disks[0].reads, 3);
  EXPECT_EQ(set->counters().disks[0].bytes_read, block + 200);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.file("disk0")), {}), 0);
}

/// Makes the system refuse io_uring to this process, as containers do.
bool forbid_uring(int number) {
  const auto refusal = static_cast<std::uint32_t>(SECCOMP_RET_ERRNO | number);
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, refusal),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {static_cast<unsigned short>(std::size(program)), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// Returns the choice of backend if io_uring_setup gives this errno, or "" if this is impossible.
std::string choice_without_uring(int number) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    std::string text;
    if (forbid_uring(number)) {
      const BackendChoice choice = choose_backend();
      text = std::string(to_string(choice.kind)) + ": " + choice.reason;
      try {
        choose_backend(BackendKind::io_uring);
      } catch (const Error& error) {
        text += std::string("; ") + error_name(error.code()) + ": " + error.what();
      }
    }
    (void)!write(ends[1], text.data(), text.size());
    _exit(0);
  }
  close(ends[1]);
  std::string text(2000, ' ');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(read(ends[0], text.data(), 2000), 0)));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

TEST(DiskBackends, where_io_uring_is_forbidden_threads_take_over_and_say_why) {
  if (!uring_hindrance().empty()) GTEST_SKIP() << uring_hindrance();
  const std::string forbidden = choice_without_uring(EPERM);
  if (forbidden.empty()) GTEST_SKIP() << "no system call can be forbidden here";
  EXPECT_EQ(
      forbidden.find("threads: io_uring does not start: Operation not permitted (a container"), 0U)
      << forbidden;
  EXPECT_NE(forbidden.find("; unsupported: "), std::string::npos) << forbidden;
  EXPECT_NE(forbidden.find("the call asks for io_uring"), std::string::npos) << forbidden;
  EXPECT_NE(choice_without_uring(ENOSYS).find("(the kernel has no io_uring)"), std::string::npos);
}

}  // namespace
}  // namespace weft::disk
