#pragma once

#include <weft/error.hpp>

#include "comm/communicator.hpp"
#include "comm/end_all_ranks.hpp"

namespace weft::run {

/// Runs work with messages. If a message fails, ends the program on all ranks, because neither this
/// rank nor the others can continue.
template <class Work>
auto in_step(const comm::Communicator& comm, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::mpi_failure) comm::end_all_ranks(comm.rank(), error.what());
    throw;
  }
}

}  // namespace weft::run
