#pragma once

#include <cstdint>
#include <functional>

namespace weft::disk {

/// Calls work(thread, number) for number = 0, 1, ... below `count`, on `threads` threads, and
/// returns when all have ended. A thread does one number after the other, so data of one thread
/// need no lock. Several threads are useful because a disk is faster with several accesses at the
/// same time.
///
/// Errors  the exception of the first `work` that failed. After it, no further work begins.
/// Cost    starts `threads` - 1 threads; the first thread is the caller's.
void in_flight(int threads, std::int64_t count,
               const std::function<void(int thread, std::int64_t number)>& work);

}  // namespace weft::disk
