// The main function of the MPI tests. Every rank runs every test. Rank 0 reports all its results,
// the other ranks only their failures. All ranks end with the same status. An alarm ends a hang.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
/// Replaces dlclose(), so that libraries that MPI unloads at its end stay loaded. The leak checker
/// runs later, and its suppressions (tools/lsan.supp) need the names of these libraries.
extern "C" int dlclose(void*) noexcept { return 0; }
#endif

namespace {

int world_rank = 0;
char current_test[256] = "(before the first test)";

/// Prints only this rank's failures, each with the rank.
class FailuresOfThisRank : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "[rank %d] %s:%d: failure in %s\n%s\n", world_rank,
                 result.file_name() != nullptr ? result.file_name() : "?", result.line_number(),
                 current_test, result.message());
    std::fflush(stderr);
  }
};

/// Ends all ranks. A failure on one rank can make the others wait for ever, which no test framework
/// notices.
extern "C" void on_alarm(int) {
  char text[400];
  const int length = std::snprintf(
      text, sizeof text, "[rank %d] time is up (WEFT_TEST_TIMEOUT_S) in %s; ending all ranks\n",
      world_rank, current_test);
  if (length > 0 && write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0) _exit(3);
  // Not MPI_Abort: it is not safe in a signal handler. The launcher ends the other ranks when one
  // dies by a signal.
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

/// Returns the seconds that one test may take, even on a machine with fewer cores than ranks. 0: no
/// limit.
unsigned time_limit_s() {
  const char* text = std::getenv("WEFT_TEST_TIMEOUT_S");
  const long seconds = text != nullptr ? std::strtol(text, nullptr, 10) : 300;
  return seconds > 0 ? static_cast<unsigned>(seconds) : 0;
}

/// Remembers which test runs, and starts the alarm again for each test. The limit is for one test,
/// not for all.
class CurrentTest : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& info) override {
    std::snprintf(current_test, sizeof current_test, "%s.%s", info.test_suite_name(), info.name());
    alarm(time_limit_s());
  }
};

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  if (provided < MPI_THREAD_FUNNELED) {
    std::fprintf(stderr, "the MPI tests need MPI_THREAD_FUNNELED; this MPI gives less\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  std::signal(SIGALRM, on_alarm);
  alarm(time_limit_s());

  testing::InitGoogleTest(&argc, argv);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (world_rank != 0) {
    std::unique_ptr<testing::TestEventListener>(
        listeners.Release(listeners.default_result_printer()));
    listeners.Append(new FailuresOfThisRank);  // the framework owns and deletes it
  }
  listeners.Append(new CurrentTest);

  int failed = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    if (world_rank == 0) std::fprintf(stderr, "no test matches the filter\n");
    failed = 1;
  }
  int failed_somewhere = 0;
  MPI_Allreduce(&failed, &failed_somewhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (failed_somewhere != 0 && failed == 0 && world_rank == 0)
    std::fprintf(stderr, "tests failed on other ranks\n");
  alarm(0);
  MPI_Finalize();
  return failed_somewhere;
}
