#pragma once

#include <optional>
#include <string>

#include <weft/error.hpp>

#include "base/turns.hpp"
#include "comm/communicator.hpp"

namespace weft::comm {

/// This thread's turn on a communicator, until destruction. It serialises the calls of the threads
/// of one process on the communicator. A thread with a turn may take another one inside. A solo
/// communicator needs no wait.
///
/// Errors  unsupported if this thread must not call MPI. Either its process was forked while MPI
///         ran, or the level of MPI_Init_thread excludes the thread.
class Turn {
 public:
  explicit Turn(const Communicator& comm);
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn();

 private:
  Turns* turns_;
};

/// Throws the same Error(disagreement) on all ranks unless all are about to make the same call.
/// `words` is its name in a message. Or throws the error of the lowest rank that has one in `mine`.
///
/// Every collective call of the public interface begins with it. Calls that can transform an array
/// at the same time begin with an Agreement on number_of_call() instead. So ranks in different
/// calls meet in the same reduction, and none waits for ever.
///
/// Collective. Cost: one reduction of 24 bytes.
void agree_on_call(const Communicator& comm, const std::string& words,
                   const std::optional<Error>& mine = {});

/// Returns the number of a call in an Agreement. It is negative; calls of transforms have the
/// others.
std::int64_t number_of_call(const std::string& words);

/// Throws Error(disagreement) on all ranks that are in different calls. The message names the calls
/// of rank 0 and of the first rank that differs. Collective.
[[noreturn]] void throw_different_calls(const Communicator& comm, const std::string& words);

/// The turn of a collective call and the agreement on it.
class CollectiveCall {
 public:
  CollectiveCall(const Communicator& comm, const std::string& words,
                 const std::optional<Error>& mine = {})
      : turn_(comm) {
    agree_on_call(comm, words, mine);
  }

 private:
  Turn turn_;
};

}  // namespace weft::comm
