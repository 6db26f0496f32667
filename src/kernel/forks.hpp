#pragma once

namespace weft::kernel {

/// From now on, ends the OpenMP threads of each thread that forks, before it forks. Otherwise the
/// child would wait for threads that it does not have. Parent and child start new ones on demand.
void end_threads_before_forks();

}  // namespace weft::kernel
