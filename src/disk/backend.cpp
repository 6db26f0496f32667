#include "disk/backend.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include <weft/error.hpp>

#include "base/from_string.hpp"
#include "disk/backends.hpp"

namespace weft {

template <>
struct Words<disk::BackendKind> {
  static constexpr const char* name = "backend of disks";
  static constexpr std::array table = {Word{disk::BackendKind::automatic, "automatic"},
                                       Word{disk::BackendKind::io_uring, "io_uring"},
                                       Word{disk::BackendKind::threads, "threads"},
                                       Word{disk::BackendKind::synchronous, "synchronous"}};
};

namespace disk {
namespace {

constexpr const char* variable = "WEFT_DISK_BACKEND";

class SynchronousBackend final : public Backend {
 public:
  using Backend::Backend;
  BackendKind kind() const override { return BackendKind::synchronous; }

 private:
  void start_jobs(Batch& batch) override {
    for (Job& job : batch.jobs) {
      begin(job);
      do_all(job);
    }
  }
};

BackendChoice asked_for(BackendKind kind, const std::string& by) {
  if (kind == BackendKind::io_uring) {
    const std::string hindrance = uring_hindrance();
    if (!hindrance.empty())
      throw Error(ErrorCode::unsupported, "the backend of disks must work on this machine; " + by +
                                              " asks for io_uring, and " + hindrance +
                                              "; choose threads or automatic");
  }
  return {kind, by + " asks for it"};
}

BackendChoice best() {
  const std::string hindrance = uring_hindrance();
  if (hindrance.empty()) return {BackendKind::io_uring, "the system allows it"};
  return {BackendKind::threads, hindrance};
}

}  // namespace

const char* to_string(BackendKind kind) { return word_of(kind); }

BackendKind backend_from_string(std::string_view word) { return from_string<BackendKind>(word); }

BackendChoice choose_backend(BackendKind wanted) {
  if (wanted != BackendKind::automatic) return asked_for(wanted, "the call");
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return best();
  const auto known = [&](const auto& entry) { return std::string_view(entry.word) == text; };
  const auto& table = Words<BackendKind>::table;
  const auto found = std::find_if(table.begin(), table.end(), known);
  if (found == table.end())
    throw Error(ErrorCode::invalid_argument, "the environment variable " + std::string(variable) +
                                                 " must be one of " + all_words<BackendKind>() +
                                                 "; given '" + text + "'");
  return found->value == BackendKind::automatic ? best() : asked_for(found->value, variable);
}

Backend::Backend(int disks) : process_(getpid()), counters_(disks), under_way_(disks) {}

bool Backend::is_of_parent() const { return process_ != getpid(); }

void Backend::require_own_process() const {
  if (is_of_parent())
    throw Error(
        ErrorCode::unsupported,
        "files on disks must be read and written by the process that opened them; this "
        "process was forked later and lacks the threads that do it; open them again in this one");
}

void Backend::start(Batch& batch) {
  require_own_process();
  start_jobs(batch);
}

std::vector<DiskCounters> Backend::counters() const {
  const std::lock_guard lock(counting_);
  return counters_;
}

void Backend::begin(const Job& job) {
  const std::lock_guard lock(counting_);
  const auto disk = static_cast<std::size_t>(job.disk);
  counters_[disk].deepest = std::max(counters_[disk].deepest, ++under_way_[disk]);
}

bool Backend::advance(Job& job, std::int64_t answer) {
  try {
    job.access.take(answer);
  } catch (...) {
    end(job, std::current_exception());
    return true;
  }
  if (!job.access.is_complete()) return false;
  end(job, nullptr);
  return true;
}

void Backend::do_all(Job& job) {
  const AccessDirection direction = job.access.direction();
  while (!advance(job, perform(job.access.next(), direction))) {
  }
}

void Backend::end(Job& job, std::exception_ptr failure) {
  {
    const std::lock_guard lock(counting_);
    const auto disk = static_cast<std::size_t>(job.disk);
    --under_way_[disk];
    DiskCounters& counters = counters_[disk];
    const std::int64_t bytes = failure ? 0 : job.access.bytes();
    if (job.access.direction() == AccessDirection::read) {
      ++counters.reads;
      counters.bytes_read += bytes;
    } else {
      ++counters.writes;
      counters.bytes_written += bytes;
    }
  }
  job.batch->end_one(std::move(failure));
}

std::unique_ptr<Backend> make_backend(BackendKind kind, int disks, int depth) {
  if (kind == BackendKind::io_uring) return make_uring_backend(disks, depth);
  if (kind == BackendKind::threads) return make_threads_backend(disks, depth);
  return std::make_unique<SynchronousBackend>(disks);
}

}  // namespace disk
}  // namespace weft
