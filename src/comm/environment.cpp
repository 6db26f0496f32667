#include "comm/environment.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <string>

#include <weft/error.hpp>

#include "comm/mpi.hpp"

namespace weft::comm {
namespace {

std::int64_t checked_limit(std::int64_t elements, const std::string& source) {
  if (elements < 1 || elements > INT_MAX) {
    throw Error(ErrorCode::invalid_argument, source + " must be in [1, " + std::to_string(INT_MAX) +
                                                 "]; given " + std::to_string(elements));
  }
  return elements;
}

std::int64_t limit_from_environment() {
  const char* text = std::getenv("WEFT_MAX_MPI_COUNT");
  if (text == nullptr || *text == '\0') return INT_MAX;
  char* end = nullptr;
  const long long value = std::strtoll(text, &end, 10);
  if (*end != '\0') {
    throw Error(ErrorCode::invalid_argument,
                "the environment variable WEFT_MAX_MPI_COUNT must be a whole number; given '" +
                    std::string(text) + "'");
  }
  return checked_limit(value, "the environment variable WEFT_MAX_MPI_COUNT");
}

std::atomic<std::int64_t> limit_set{0};  // 0: the default

/// Whether MPI ran when a parent of this process forked. MPI's connections then belong to the
/// parent.
bool forked_under_mpi = false;

void note_fork() { forked_under_mpi = forked_under_mpi || is_running(); }

/// The handler of forks is registered when the library is loaded, because a fork may come before
/// weft's first call.
[[maybe_unused]] const int forks_watched = pthread_atfork(nullptr, nullptr, note_fork);

/// Returns the thread level that MPI_Init_thread provided.
int thread_level() {
#ifdef SMPI_H
  // SimGrid runs its ranks one at a time, so the level that it reports has no meaning.
  return MPI_THREAD_MULTIPLE;
#endif
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level;
}

}  // namespace

std::string mpi_library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string version(text, static_cast<std::size_t>(std::max(length, 0)));
  while (!version.empty() && (version.back() == '\0' || version.back() == '\n')) version.pop_back();
  std::replace_if(
      version.begin(), version.end(), [](char c) { return c == '\n' || c == '\t' || c == '\0'; },
      ' ');
  return version;
}

std::string mpi_standard_version() {
  int version = 0;
  int subversion = 0;
  MPI_Get_version(&version, &subversion);
  return std::to_string(version) + "." + std::to_string(subversion);
}

bool is_initialized() {
  int flag = 0;
  MPI_Initialized(&flag);
  return flag != 0;
}

bool is_finalized() {
  int flag = 0;
  MPI_Finalized(&flag);
  return flag != 0;
}

bool is_running() { return is_initialized() && !is_finalized(); }

bool threads_may_call_at_once() { return thread_level() == MPI_THREAD_MULTIPLE; }

void require_may_call_mpi() {
  if (forked_under_mpi)
    throw Error(ErrorCode::unsupported,
                "ranks must not work in a process that was forked from one where MPI runs; "
                "MPI was running before the fork; start processes with the method \"spawn\", or "
                "transform in this process alone, without a communicator");
  const int level = thread_level();
  int is_main = 1;
  if (level < MPI_THREAD_SERIALIZED) MPI_Is_thread_main(&is_main);
  if (is_main == 0)
    throw Error(
        ErrorCode::unsupported,
        std::string("only the main thread must call weft on ranks where MPI was "
                    "initialised with ") +
            (level == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED") +
            "; this is another thread; initialise with MPI_THREAD_MULTIPLE, as mpi4py does");
}

std::int64_t count_limit() {
  const std::int64_t set = limit_set.load();
  if (set > 0) return set;
  static const std::int64_t from_environment = limit_from_environment();
  return from_environment;
}

void set_count_limit(std::int64_t elements) {
  limit_set.store(elements == 0 ? 0 : checked_limit(elements, "the count limit"));
}

}  // namespace weft::comm
