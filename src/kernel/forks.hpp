#pragma once

namespace weft::kernel {

/// Registers a handler for all later forks: it ends the OpenMP threads of the forking thread before
/// the fork. Otherwise the child would wait for threads that it does not have. Parent and child
/// start new threads on demand.
void end_threads_before_forks();

}  // namespace weft::kernel
