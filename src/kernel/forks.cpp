#include "kernel/forks.hpp"

#include <omp.h>
#include <pthread.h>

namespace weft::kernel {
namespace {

/// This fails only within a parallel region, and no program forks there.
void end_threads() { omp_pause_resource_all(omp_pause_hard); }

}  // namespace

void end_threads_before_forks() {
  // This fails only if memory is exhausted. Forks then behave as if nothing were registered.
  static const int watched = pthread_atfork(end_threads, nullptr, nullptr);
  static_cast<void>(watched);
}

}  // namespace weft::kernel
