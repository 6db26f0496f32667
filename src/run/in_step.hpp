#pragma once

#include <weft/error.hpp>

#include "comm/communicator.hpp"
#include "comm/end_all_ranks.hpp"

namespace weft::run {

/// Runs work in which a failed message ends all ranks: the rank cannot continue, nor can the others
/// without it.
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
