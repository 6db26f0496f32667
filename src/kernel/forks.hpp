#pragma once

namespace weft::kernel {

/// Makes the OpenMP threads of the calling thread end before each later fork. The parent restarts
/// them on demand. So does the child, which would otherwise wait for threads that it does not have.
void end_threads_before_forks();

}  // namespace weft::kernel
