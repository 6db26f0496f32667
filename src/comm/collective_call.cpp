#include "comm/collective_call.hpp"

#include <cstdint>

#include "base/hash.hpp"
#include "comm/agreement.hpp"
#include "comm/communicator_state.hpp"
#include "comm/environment.hpp"

namespace weft::comm {
namespace {

/// The turns of the whole process. They serialise calls on different communicators if MPI supports
/// only one thread at a time.
Turns& turns_of_process() {
  static auto* const turns = new Turns;
  return *turns;
}

Turns* turns_of(const Communicator& comm) {
  if (comm.is_solo()) return nullptr;
  require_may_call_mpi();
  return threads_may_call_at_once() ? &comm.state().turns : &turns_of_process();
}

}  // namespace

Turn::Turn(const Communicator& comm) : turns_(turns_of(comm)) {
  if (turns_ != nullptr) turns_->lock();
}

Turn::~Turn() {
  if (turns_ != nullptr) turns_->unlock();
}

std::int64_t number_of_call(const std::string& words) {
  return -1 - static_cast<std::int64_t>(hash_of(words) >> 2);
}

void throw_different_calls(const Communicator& comm, const std::string& words) {
  std::string first = words;
  comm.broadcast(first, 0);
  const int mine = words == first ? comm.size() : comm.rank();
  const auto odd = static_cast<int>(comm.min(std::int64_t{mine}));
  std::string other = words;
  comm.broadcast(other, odd);
  throw Error(ErrorCode::disagreement,
              "all ranks must make the same collective calls in the same order; rank 0 is in " +
                  first + ", rank " + std::to_string(odd) + " in " + other +
                  "; make the same calls, of as many arrays, on every rank");
}

void agree_on_call(const Communicator& comm, const std::string& words,
                   const std::optional<Error>& mine) {
  if (comm.is_solo()) {
    if (mine) throw Error(*mine);
    return;
  }
  Agreement agreement(comm, mine, false, number_of_call(words));
  if (!agreement.conclude().alike) throw_different_calls(comm, words);
}

}  // namespace weft::comm
