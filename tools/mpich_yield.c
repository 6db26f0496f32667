/* Makes waiting ranks of an MPICH over UCX yield the processor.
 *
 * Such an MPICH polls without yielding. With more ranks than cores each step of a barrier then
 * takes a time slice of the scheduler (tens of milliseconds). This library, loaded by LD_PRELOAD,
 * wraps UCX's poll and yields if the poll found nothing to do. tools/mpirun and `weft -n` load it
 * for more ranks than cores. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>

typedef unsigned (*progress_function)(void* worker);

unsigned ucp_worker_progress(void* worker);

/* Returns UCX's own function. If the program has linked UCX, it is the next symbol after this one. If Python has loaded
 * MPI with an extension module, it is not in the global scope. It is then found by the name of the loaded library. */
static progress_function find_next(void) {
  void* found = dlsym(RTLD_NEXT, "ucp_worker_progress");
  if (found == NULL) {
    void* library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL) found = dlsym(library, "ucp_worker_progress");
  }
  if (found == NULL) abort(); /* the caller of this function has loaded UCX */
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
