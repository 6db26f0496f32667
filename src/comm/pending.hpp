#pragma once

#include "comm/mpi.hpp"
#include "comm/mpi_check.hpp"

namespace weft::comm {

/// The buffers of a non-blocking collective call. Open MPI treats equal addresses as MPI_IN_PLACE
/// (seen in 4.1.4). A rank with nothing to send then no longer matches the others. Therefore an
/// empty buffer gets a separate address.
struct TwoBuffers {
  TwoBuffers(const void* from, void* to, bool sends) : send(from), recv(to) {
    static char nowhere;
    if (send != recv) return;
    if (sends)
      recv = &nowhere;
    else
      send = &nowhere;
  }
  const void* send;
  void* recv;
};

/// A collective call that may be under way.
class Pending {
 public:
  MPI_Request* request() { return &request_; }

  /// Returns true when the call is done, or none was started.
  bool test() {
    if (request_ == MPI_REQUEST_NULL) return true;
    int done = 0;
    check_mpi(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test of a collective call");
    return done != 0;
  }

  void wait() {
    if (request_ == MPI_REQUEST_NULL) return;
    check_mpi(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait for a collective call");
  }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace weft::comm
