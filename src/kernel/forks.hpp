#pragma once

namespace weft::kernel {

/// From the first call on, the threads that OpenMP keeps for the calling thread end before a fork.
/// The parent makes them again when they are next needed, and so does the child, which otherwise
/// would wait for threads that it does not have.
void end_threads_before_forks();

}  // namespace weft::kernel
