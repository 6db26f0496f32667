#pragma once

#include <optional>
#include <string>

#include <weft/error.hpp>

#include "base/turns.hpp"
#include "comm/communicator.hpp"

namespace weft::comm {

/// This thread's turn on a communicator, until it is dropped: the calls that threads of one process
/// make on it follow each other. A thread that has its turn may take another one within. In this
/// process alone nothing is shared, and there is nothing to wait for.
///
/// Errors  unsupported where this thread must not call MPI: in a process that was forked from one
///         where MPI ran, or in a thread that the level of MPI_Init_thread excludes.
class Turn {
 public:
  explicit Turn(const Communicator& comm);
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn();

 private:
  Turns* turns_;
};

/// Throws the same Error(disagreement) on all ranks unless all are about to make the same call,
/// `words`, as a message names it; or the error of the lowest rank that has one in `mine`.
///
/// Every collective call of the public interface begins with it, or, where it has an array to
/// transform meanwhile, with an Agreement on number_of_call(). So ranks in different calls meet
/// here, in the same reduction, and none waits for what never comes.
///
/// Collective. Cost: one reduction of 24 bytes.
void agree_on_call(const Communicator& comm, const std::string& words,
                   const std::optional<Error>& mine = {});

/// What stands for a call in an Agreement: below 0, so that calls of transforms have the others.
std::int64_t number_of_call(const std::string& words);

/// Throws Error(disagreement) on all ranks, which have found that they are in different calls: it
/// says which rank 0 and the first other one are in. Collective.
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
