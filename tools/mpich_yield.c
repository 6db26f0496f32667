/* Makes ranks of an MPICH over UCX give up the processor while they wait.
 *
 * Such an MPICH polls without ever yielding, so with more ranks than cores each step of a barrier
 * lasts a time slice of the scheduler (tens of milliseconds). Loaded by LD_PRELOAD, this stands
 * before UCX's poll and yields where the poll found nothing to do. Set by tools/mpirun and by
 * `weft -n` when there are more ranks than cores. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>

typedef unsigned (*progress_function)(void* worker);

unsigned ucp_worker_progress(void* worker);

/* UCX's own function: after this one where the program has linked UCX; where Python has loaded MPI as a part of an
 * extension module, it is in no global scope and is asked for by the name of its library, which is there already. */
static progress_function find_next(void) {
  void* found = dlsym(RTLD_NEXT, "ucp_worker_progress");
  if (found == NULL) {
    void* library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL) found = dlsym(library, "ucp_worker_progress");
  }
  if (found == NULL) abort(); /* whoever calls this function has loaded UCX */
  progress_function next;
  *(void**)&next = found;
  return next;
}

unsigned ucp_worker_progress(void* worker) {
  static progress_function next = NULL;
  if (next == NULL) next = find_next();
  const unsigned events = next(worker);
  if (events == 0) sched_yield();
  return events;
}
