#pragma once

#include <cstdint>
#include <functional>

namespace weft::disk {

/// Calls work(lane, number) for number = 0, 1, ... below `count`, `lanes` of them at a time, and
/// returns when all have ended. A lane is a thread of its own and does one after the other, so what
/// belongs to a lane needs no lock. A disk that has several accesses to do at a time is faster.
///
/// Errors  what the first `work` that failed has thrown; no further one begins after it.
/// Cost    a thread for each lane but the first, which is the caller's.
void in_flight(int lanes, std::int64_t count,
               const std::function<void(int lane, std::int64_t number)>& work);

}  // namespace weft::disk
