#include "kernel/forks.hpp"

#include <omp.h>
#include <pthread.h>

namespace weft::kernel {
namespace {

/// Fails only within a parallel region, where no program forks.
void end_threads() { omp_pause_resource_all(omp_pause_hard); }

}  // namespace

void end_threads_before_forks() {
  // This fails only without memory. Forks then behave as if nothing were registered.
  static const int watched = pthread_atfork(end_threads, nullptr, nullptr);
  static_cast<void>(watched);
}

}  // namespace weft::kernel
