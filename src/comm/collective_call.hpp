#pragma once

#include <optional>
#include <string>

#include <weft/error.hpp>

#include "base/turns.hpp"
#include "comm/communicator.hpp"

namespace weft::comm {

/// The turn of a thread on a communicator. It ends when the object is destroyed. Turns serialise
/// the calls of the threads of one process. If MPI supports only one thread at a time, the turn is
/// for all communicators. A thread that has the turn may take it again. On a solo communicator no
/// thread waits.
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
/// `words` is the name of the call in a message. If ranks have an error in `mine`, throws the error
/// of the lowest such rank instead.
///
/// Every collective call of the public interface begins with this function. Calls that transform an
/// array during the agreement begin with an Agreement on their own number instead. So ranks in
/// different calls meet in the same reduction, and none waits for ever.
///
/// Collective. Cost: one reduction of 24 bytes.
void agree_on_call(const Communicator& comm, const std::string& words,
                   const std::optional<Error>& mine = {});

/// Returns the number of a call in an Agreement. This number is negative, because calls of
/// transforms have positive numbers.
std::int64_t number_of_call(const std::string& words);

/// Throws Error(disagreement) on all ranks, which must be in different calls. The message names the
/// calls of rank 0 and of the first rank that differs. Collective.
[[noreturn]] void throw_different_calls(const Communicator& comm, const std::string& words);

/// The turn of a collective call, and the agreement of all ranks on the call.
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
