// Sets that are changed in place. A mark in their index says that they are incomplete.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "disk/striped_set.hpp"
#include "support/directory.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::disk {
namespace {

using test_support::Directory;
using test_support::expect_error;

constexpr std::int64_t index_block = 4096;
constexpr const char* remedy = "call it again";

struct MadeIndex {
  Directory directory;
  std::string path = directory.file("field.json");

  MadeIndex() {
    const SetIndex index = {.shape = {4, 512},
                            .dtype = "float64",
                            .striping = {.bytes = 4 * index_block, .block_bytes = index_block}};
    create_set(path, directory.folders(2), index)->flush();
  }
  std::string text() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

void write_block(StripedSet& set) {
  std::vector<std::byte> memory(index_block);
  const Run run = {0, index_block, memory.data()};
  set.wait(set.start_write({&run, 1}));
}

void read_block(StripedSet& set) {
  std::vector<std::byte> memory(index_block);
  const Run run = {0, index_block, memory.data()};
  set.wait(set.start_read({&run, 1}));
}

TEST(HalfDoneSet, the_first_write_marks_the_set_as_incomplete) {
  const MadeIndex made;
  const std::string whole = made.text();
  const auto set = open_set(made.path, Mode::write, {.incomplete_remedy = remedy});
  read_block(*set);
  EXPECT_EQ(made.text(), whole);
  write_block(*set);
  EXPECT_EQ(read_index(made.path).incomplete_remedy, remedy);
  set->flush();
  EXPECT_EQ(read_index(made.path).incomplete_remedy, remedy);
  mark_incomplete(made.path, "");
  EXPECT_EQ(made.text(), whole);
}

TEST(HalfDoneSet, only_a_call_with_the_same_remedy_writes_to_it) {
  const MadeIndex made;
  mark_incomplete(made.path, remedy);
  for (const Mode mode : {Mode::read, Mode::write})
    expect_error(ErrorCode::invalid_argument,
                 {"must be whole to be used", made.path, "is incomplete", remedy},
                 [&] { open_set(made.path, mode); });
  expect_error(ErrorCode::invalid_argument, {"is incomplete", remedy},
               [&] { open_disks_of_set(made.path, Mode::read, 0, 1); });
  EXPECT_NO_THROW(open_set(made.path, Mode::write, {.incomplete_remedy = remedy}));
  mark_incomplete(made.path, "");
  EXPECT_NO_THROW(open_set(made.path, Mode::read));
}

TEST(HalfDoneSet, checksums_exist_until_the_first_change) {
  const MadeIndex made;
  {
    const auto set = open_set(made.path, Mode::write);
    write_block(*set);
    set->flush();
  }
  const auto set = open_set(made.path, Mode::write, {.incomplete_remedy = remedy});
  bool had_sums = false;
  set->before_first_change([&] { had_sums = std::ifstream(made.path + ".sums").good(); });
  write_block(*set);
  EXPECT_TRUE(had_sums);
  EXPECT_FALSE(std::ifstream(made.path + ".sums").good());
}

TEST(HalfDoneSet, nothing_is_written_if_the_call_before_the_first_change_fails) {
  const MadeIndex made;
  const auto set = open_set(made.path, Mode::write, {.incomplete_remedy = remedy});
  set->before_first_change([] { throw Error(ErrorCode::io_failure, "no room to say so"); });
  for (int k = 0; k < 2; ++k)
    expect_error(ErrorCode::io_failure, {"no room to say so"}, [&] { write_block(*set); });
  EXPECT_EQ(set->counters().disks[0].writes, 0);
}

}  // namespace
}  // namespace weft::disk
