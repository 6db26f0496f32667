#include "base/process_mutex.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace weft {
namespace {

/// All mutexes. They are never destroyed, because a fork may come after static destructors.
struct KnownMutexes {
  std::mutex mutex;
  std::vector<ProcessMutex*> all;
};

KnownMutexes& known() {
  static auto* const instance = new KnownMutexes;
  return *instance;
}

/// Locks all mutexes or none, because a thread that holds one may wait for another.
bool try_lock_all(const std::vector<ProcessMutex*>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]->try_lock()) continue;
    while (i > 0) all[--i]->unlock();
    return false;
  }
  return true;
}

void before_fork() {
  known().mutex.lock();
  while (!try_lock_all(known().all)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void after_fork() {
  for (ProcessMutex* mutex : known().all) mutex->unlock();
  known().mutex.unlock();
}

void watch_forks() {
  static const int watched = pthread_atfork(before_fork, after_fork, after_fork);
  static_cast<void>(watched);  // without memory for this, forks do not wait
}

}  // namespace

ProcessMutex::ProcessMutex() {
  watch_forks();
  const std::lock_guard lock(known().mutex);
  known().all.push_back(this);
}

ProcessMutex::~ProcessMutex() {
  const std::lock_guard lock(known().mutex);
  std::erase(known().all, this);
}

}  // namespace weft
