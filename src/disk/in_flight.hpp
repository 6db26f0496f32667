#pragma once

#include <cstdint>
#include <functional>

namespace weft::disk {

/// Calls work(lane, number) for number = 0, 1, ... below `count`, on `lanes` lanes at the same
/// time, and returns when all have ended. A lane is a thread that does one number after the other,
/// so data of one lane need no lock. Several lanes are useful because a disk is faster with several
/// accesses at the same time.
///
/// Errors  the exception of the first `work` that failed. After it, no further work begins.
/// Cost    a thread for each lane except the first, which is the caller's.
void in_flight(int lanes, std::int64_t count,
               const std::function<void(int lane, std::int64_t number)>& work);

}  // namespace weft::disk
