// Files of wisdom, and text files that several processes change.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <weft/wisdom.hpp>

#include "base/text_file.hpp"
#include "unit/support/expect_error.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;
using test_support::expect_error;

constexpr std::int64_t limit_bytes = 1 << 20;
constexpr double wait_s = 20;

/// A folder for the test, which is removed afterwards.
class WisdomFile : public testing::Test {
 protected:
  WisdomFile() {
    std::string name = (fs::temp_directory_path() / "weft-wisdom-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
    path_ = (folder_ / "choices.wisdom").string();
  }
  ~WisdomFile() override { fs::remove_all(folder_); }

  std::string content() const { return content(path_); }
  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  /// Returns the number of files in the folder.
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
  std::string path_;
};

Plan plan_of(std::int64_t n) { return make_plan({.shape = {n, 6}, .ranks = 2}); }

Wisdom wisdom_of(std::int64_t first, std::int64_t end) {
  Wisdom wisdom;
  for (std::int64_t n = first; n < end; ++n) wisdom.add({{}, plan_of(n)});
  return wisdom;
}

TEST_F(WisdomFile, NoFileIsEmptyWisdom) {
  EXPECT_EQ(read_wisdom(path_), Wisdom());
  EXPECT_EQ(files(), 0) << "reading makes no file";
}

TEST_F(WisdomFile, GrowsByMerging) {
  merge_into_file(path_, wisdom_of(2, 4));
  EXPECT_EQ(read_wisdom(path_), wisdom_of(2, 4));
  merge_into_file(path_, wisdom_of(3, 7));
  EXPECT_EQ(read_wisdom(path_), wisdom_of(2, 7));
  write_wisdom(path_, wisdom_of(9, 10));
  EXPECT_EQ(read_wisdom(path_), wisdom_of(9, 10));
  EXPECT_EQ(files(), 1) << "a lock or a temporary file was left";
}

TEST_F(WisdomFile, DamagedFilesAreNotChanged) {
  std::string cut = to_json(wisdom_of(2, 5));
  cut.resize(cut.size() / 2);
  const std::vector<std::string> damaged{"",
                                         cut,
                                         "nonsense\n",
                                         "{\"weft_wisdom\":3,\"entries\":[]}",
                                         "{\"weft_wisdom\":2}",
                                         "\xff\xfe",
                                         std::string(1 << 16, '[')};
  for (const std::string& text : damaged) {
    put(text);
    expect_error(ErrorCode::invalid_argument, {path_, "wisdom"}, [&] { read_wisdom(path_); });
    expect_error(ErrorCode::invalid_argument, {path_, "wisdom"},
                 [&] { merge_into_file(path_, wisdom_of(2, 3)); });
    expect_error(ErrorCode::invalid_argument, {path_, "wisdom"},
                 [&] { write_wisdom(path_, wisdom_of(2, 3)); });
    EXPECT_EQ(content(), text);
    EXPECT_EQ(files(), 1);
  }
}

TEST_F(WisdomFile, APathOfNoRegularFileIsRefused) {
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {folder_.string(), pipe, std::string("/dev/zero")}) {
    expect_error(ErrorCode::io_failure, {path, "regular file"}, [&] { read_wisdom(path); });
    expect_error(ErrorCode::io_failure, {path, "regular file"},
                 [&] { merge_into_file(path, wisdom_of(2, 3)); });
  }
  EXPECT_EQ(files(), 1);
}

TEST_F(WisdomFile, PathsWithoutAFileAreEmptyOrRefused) {
  expect_error(ErrorCode::invalid_argument, {"path"}, [] { read_wisdom(""); });
  expect_error(ErrorCode::invalid_argument, {"path"},
               [&] { read_wisdom(path_ + std::string(1, '\0')); });
  const std::string nowhere = (folder_ / "none" / "choices.wisdom").string();
  EXPECT_EQ(read_wisdom(nowhere), Wisdom());
  expect_error(ErrorCode::io_failure, {nowhere, "folder"},
               [&] { merge_into_file(nowhere, wisdom_of(2, 3)); });
  const std::string through_file = path_ + "/choices.wisdom";
  put("");
  expect_error(ErrorCode::io_failure, {through_file}, [&] { read_wisdom(through_file); });
}

/// Runs as the user "nobody" until this object is destroyed, because root may write everywhere.
class AsNobody {
 public:
  explicit AsNobody(const fs::path& folder) {
    constexpr uid_t nobody = 65534;
    was_root_ = geteuid() == 0;
    may_ = !was_root_ || (chown(folder.c_str(), nobody, nobody) == 0 && seteuid(nobody) == 0);
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
  ~AsNobody() {
    if (was_root_ && seteuid(0) != 0) std::abort();
  }
  bool may() const { return may_; }

 private:
  bool was_root_ = false;
  bool may_ = true;
};

TEST_F(WisdomFile, FilesWithoutPermissionAreRefused) {
  const AsNobody nobody(folder_);
  if (!nobody.may()) GTEST_SKIP() << "root cannot become another user here";
  merge_into_file(path_, wisdom_of(2, 3));
  const std::string before = content();
  chmod(path_.c_str(), 0400);
  expect_error(ErrorCode::io_failure, {path_, "denied"},
               [&] { merge_into_file(path_, wisdom_of(3, 4)); });
  EXPECT_EQ(content(), before);
  EXPECT_EQ(files(), 1);
  chmod(path_.c_str(), 0);
  expect_error(ErrorCode::io_failure, {path_, "denied"}, [&] { read_wisdom(path_); });
  chmod(folder_.c_str(), 0500);
  expect_error(ErrorCode::io_failure, {"denied"}, [&] { merge_into_file(path_ + "2", {}); });
  chmod(folder_.c_str(), 0700);
}

TEST_F(WisdomFile, ATextThatIsTooLongIsRefused) {
  put(std::string(100, 'x'));
  EXPECT_TRUE(read_text(path_, 100));
  expect_error(ErrorCode::io_failure, {path_, "99 bytes"}, [&] { read_text(path_, 99); });
  put("short");
  expect_error(ErrorCode::io_failure, {path_, "99 bytes"}, [&] {
    update_text(path_, 99, wait_s, [](const auto&) { return std::string(100, 'x'); });
  });
  EXPECT_EQ(content(), "short");
  EXPECT_EQ(files(), 1);
}

/// A limit on the size of files simulates a full disk.
TEST_F(WisdomFile, AFullDiskKeepsTheOldFile) {
  merge_into_file(path_, wisdom_of(2, 3));
  const std::string before = content();
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  getrlimit(RLIMIT_FSIZE, &old_limit);
  const rlimit small{before.size() + 10, old_limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  expect_error(ErrorCode::io_failure, {path_, "cannot be written", "disk"},
               [&] { merge_into_file(path_, wisdom_of(3, 9)); });
  setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(content(), before);
  EXPECT_EQ(files(), 1);
}

TEST_F(WisdomFile, PermissionsAndLinksStay) {
  merge_into_file(path_, wisdom_of(2, 3));
  chmod(path_.c_str(), 0640);
  const std::string link = (folder_ / "link").string();
  fs::create_symlink("choices.wisdom", link);
  merge_into_file(link, wisdom_of(3, 4));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_wisdom(path_), wisdom_of(2, 4));
  struct stat status {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
  EXPECT_EQ(files(), 2);
}

TEST_F(WisdomFile, ALinkToAFileThatIsNotThereYetStaysALink) {
  const std::string link = (folder_ / "link").string();
  fs::create_symlink("choices.wisdom", link);
  merge_into_file(link, wisdom_of(3, 4));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_wisdom(path_), wisdom_of(3, 4));
  fs::create_symlink("round", folder_ / "round");
  EXPECT_THROW(merge_into_file((folder_ / "round").string(), wisdom_of(3, 4)), Error);
}

TEST_F(WisdomFile, WisdomThatCouldNotBeReadIsNotWritten) {
  merge_into_file(path_, wisdom_of(2, 4));
  const std::string before = content();
  Plan plan = plan_of(7);
  plan.prediction = Prediction{"absurd", {}, {}, 1};
  plan.prediction->alternatives.push_back({"way", std::numeric_limits<double>::infinity(), "", 0});
  Wisdom absurd;
  absurd.add({{}, plan});
  EXPECT_THROW(merge_into_file(path_, absurd), Error);
  EXPECT_THROW(write_wisdom(path_, absurd), Error);
  EXPECT_EQ(content(), before);
  EXPECT_EQ(files(), 1);
}

TEST_F(WisdomFile, NothingIsLostBehindAZeroByte) {
  put(to_json(wisdom_of(2, 4)) + '\0' + "lost");
  const std::string before = content();
  EXPECT_THROW(read_wisdom(path_), Error);
  EXPECT_THROW(merge_into_file(path_, wisdom_of(3, 7)), Error);
  EXPECT_EQ(content(), before);
}

TEST_F(WisdomFile, WhatChangesNothingWritesNothing) {
  merge_into_file(path_, wisdom_of(2, 4));
  struct stat before {};
  struct stat after {};
  ASSERT_EQ(stat(path_.c_str(), &before), 0);
  merge_into_file(path_, wisdom_of(3, 4));
  ASSERT_EQ(stat(path_.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(WisdomFile, AFailedChangeKeepsTheOldFile) {
  put("before");
  expect_error(ErrorCode::internal, {"no"}, [&] {
    update_text(path_, limit_bytes, wait_s,
                [](const auto&) -> std::string { throw Error(ErrorCode::internal, "no"); });
  });
  EXPECT_EQ(content(), "before");
  EXPECT_EQ(files(), 1);
}

/// A process that was stopped while it held the lock does not block others forever.
TEST_F(WisdomFile, AHeldLockIsWaitedForUpToALimit) {
  put("before");
  const int holder = open((path_ + ".lock").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(flock(holder, LOCK_EX), 0);
  const auto add = [](const auto& text) { return *text + "+"; };
  expect_error(ErrorCode::io_failure, {path_ + ".lock", "another process"},
               [&] { update_text(path_, limit_bytes, 0.05, add); });
  EXPECT_EQ(content(), "before");
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    flock(holder, LOCK_UN);
  });
  update_text(path_, limit_bytes, wait_s, add);
  later.join();
  close(holder);
  EXPECT_EQ(content(), "before+");
  EXPECT_EQ(files(), 1);
}

/// A lock file that a killed process left behind is not locked.
TEST_F(WisdomFile, ALockFileThatWasLeftIsTaken) {
  std::ofstream(path_ + ".lock") << "";
  update_text(path_, limit_bytes, 0, [](const auto&) { return "after"; });
  EXPECT_EQ(content(), "after");
  EXPECT_EQ(files(), 1);
}

/// Takes and removes the lock file repeatedly in a thread, as other processes do. Counts how often
/// this thread had the lock while the test used the file.
class Busy {
 public:
  explicit Busy(std::string path) : path_(std::move(path)), thread_([this] { run(); }) {}
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() { stop(); }
  int stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return both_;
  }
  static void linger() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(30);
    while (std::chrono::steady_clock::now() < end) continue;
  }
  std::atomic<bool> somebody_else = false;
  std::atomic<int> turns = 0;

 private:
  void run() {
    while (!stop_) {
      const int lock = open(path_.c_str(), O_RDWR | O_CREAT, 0600);
      struct stat mine {};
      struct stat there {};
      if (flock(lock, LOCK_EX | LOCK_NB) == 0 && fstat(lock, &mine) == 0 &&
          stat(path_.c_str(), &there) == 0 && mine.st_ino == there.st_ino) {
        linger();
        both_ += somebody_else ? 1 : 0;
        ++turns;
        unlink(path_.c_str());
      }
      close(lock);
      linger();
    }
  }
  const std::string path_;
  std::atomic<bool> stop_ = false;
  int both_ = 0;
  std::thread thread_;
};

/// A lock on a file that its holder has removed meanwhile does not count.
TEST_F(WisdomFile, ALockIsHeldByOneWhileLockFilesComeAndGo) {
  put("same");
  Busy other(path_ + ".lock");
  // On a busy machine the other thread may get no turn for a long time.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto left = [&] { return std::chrono::steady_clock::now() < end; };
  for (int i = 0; i < 100 || (other.turns == 0 && left()); ++i)
    update_text(path_, limit_bytes, wait_s, [&](const auto& text) {
      other.somebody_else = true;
      for (int wait = 0; wait < 4; ++wait) Busy::linger();
      other.somebody_else = false;
      return *text;
    });
  EXPECT_EQ(other.stop(), 0);
  EXPECT_GT(other.turns, 0);
}

TEST_F(WisdomFile, ProcessesAtOnceLoseNothing) {
  constexpr int processes = 4;
  constexpr int each = 12;
  std::vector<pid_t> children;
  for (int child = 0; child < processes; ++child) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      int failed = 0;
      try {
        for (int i = 0; i < each; ++i) {
          const std::int64_t n = 2 + child * each + i;
          merge_into_file(path_, wisdom_of(n, n + 1));
          read_wisdom(path_);  // the file must be complete at any time
        }
      } catch (...) {
        failed = 1;
      }
      _exit(failed);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(read_wisdom(path_), wisdom_of(2, 2 + processes * each));
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace weft
