// The order in which accesses of a disk begin.
#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <string>

#include "disk/disk_queue.hpp"
#include "disk/open_file.hpp"

namespace weft::disk {
namespace {

/// A queue and its jobs. The letters r and w mean reads and writes.
class DiskQueueTest : public testing::Test {
 protected:
  void push(const std::string& kinds) {
    for (const char kind : kinds) {
      std::deque<Job>& jobs = kind == 'r' ? reads_ : writes_;
      const AccessDirection direction =
          kind == 'r' ? AccessDirection::read : AccessDirection::write;
      jobs.push_back({Access(file_, direction, 0, {{&byte_, 1}}), 0, nullptr});
      queue_.push(jobs.back());
    }
  }

  /// Begins the next jobs, and returns their kinds.
  std::string begin(int count) {
    std::string kinds;
    for (int k = 0; k < count; ++k) {
      const Job& job = queue_.begin();
      const bool reads = job.access.direction() == AccessDirection::read;
      kinds += reads ? 'r' : 'w';
      const Job& first = reads ? reads_.at(begun_reads_++) : writes_.at(begun_writes_++);
      EXPECT_EQ(&job, &first) << "jobs of a kind begin in their order";
    }
    return kinds;
  }

  DiskQueue queue_;

 private:
  OpenFile file_ = OpenFile::elsewhere("a file");
  std::byte byte_{};
  std::deque<Job> reads_;
  std::deque<Job> writes_;
  std::size_t begun_reads_ = 0;
  std::size_t begun_writes_ = 0;
};

TEST_F(DiskQueueTest, one_kind_has_the_disk_alone) {
  push("rrrr");
  EXPECT_EQ(begin(4), "rrrr");
  EXPECT_TRUE(queue_.is_empty());
  EXPECT_EQ(queue_.under_way(), 4);
  queue_.end(AccessDirection::read);
  push("ww");
  EXPECT_FALSE(queue_.is_empty());
  EXPECT_EQ(begin(2), "ww");
  EXPECT_EQ(queue_.under_way(), 5);
}

/// Reads and writes alternate. Otherwise a panel would be written only after the whole next panel
/// has been read.
TEST_F(DiskQueueTest, writes_do_not_wait_behind_all_reads) {
  push("rrrrrrrrwwww");
  EXPECT_EQ(begin(4), "rwrw");
  queue_.end(AccessDirection::write);
  EXPECT_EQ(begin(1), "w");
  queue_.end(AccessDirection::read);
  EXPECT_EQ(begin(1), "r");
  EXPECT_EQ(begin(6), "wrrrrr");
  EXPECT_TRUE(queue_.is_empty());
}

TEST_F(DiskQueueTest, the_kind_that_comes_later_catches_up) {
  push("wwwwww");
  EXPECT_EQ(begin(4), "wwww");
  push("rrrrrr");
  EXPECT_EQ(begin(4), "rrrr");
  EXPECT_EQ(begin(2), "wr");
}

/// One job is in progress at a time, as with few threads.
TEST_F(DiskQueueTest, kinds_take_turns) {
  push("wwwrrr");
  std::string kinds;
  for (int k = 0; k < 6; ++k) {
    kinds += begin(1);
    queue_.end(kinds.back() == 'r' ? AccessDirection::read : AccessDirection::write);
  }
  EXPECT_EQ(kinds, "rwrwrw");
}

}  // namespace
}  // namespace weft::disk
