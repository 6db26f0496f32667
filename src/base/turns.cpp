#include "base/turns.hpp"

#include <unistd.h>

#include <chrono>
#include <thread>

#include <weft/error.hpp>

namespace weft {
namespace {

/// A thread of this process that has locked the mutex sets process_ soon, but not in the same
/// instant.
constexpr int most_tries = 100;
constexpr std::chrono::milliseconds between_tries{1};

}  // namespace

void Turns::lock() {
  if (!mutex_.try_lock()) wait();
  process_ = getpid();
}

void Turns::wait() {
  for (int tries = 0; process_ != getpid(); ++tries) {
    if (mutex_.try_lock()) return;
    if (tries == most_tries)
      throw Error(ErrorCode::unsupported,
                  "a transform, communicator or set of files must be idle when its process forks; "
                  "a thread of the parent process was using this one; make it again in this "
                  "process, or fork between calls");
    std::this_thread::sleep_for(between_tries);
  }
  mutex_.lock();
}

}  // namespace weft
