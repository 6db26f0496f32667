/* Makes waiting ranks of an MPICH over UCX yield the processor.
 *
 * Such an MPICH polls without yielding. With more ranks than cores each step of a barrier then
 * takes a time slice of the scheduler (tens of milliseconds). This library wraps UCX's poll, and
 * yields if the poll found nothing to do. If there are more ranks than cores, tools/mpirun and
 * `weft -n` load this library by LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>

typedef unsigned (*progress_function)(void* worker);

unsigned ucp_worker_progress(void* worker);

/* Returns UCX's own function. If the program is linked with UCX, this is the next symbol of the
 * same name. If Python has loaded MPI with an extension module, the symbol is not in the global
 * scope. This function then finds the loaded library by its name, and the symbol in the library. */
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
