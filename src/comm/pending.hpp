#pragma once

#include "comm/mpi.hpp"
#include "comm/mpi_check.hpp"

namespace weft::comm {

/// The buffers of a non-blocking collective call, with different addresses. Open MPI treats equal
/// addresses as MPI_IN_PLACE (seen in 4.1.4), so the calls of ranks would differ. If the two
/// addresses are equal, one of the buffers is empty, and this buffer gets another address.
struct DistinctBuffers {
  /// `sends` is true if this rank sends data. A receive buffer with the same address is then the
  /// empty one.
  DistinctBuffers(const void* send_buffer, void* recv_buffer, bool sends)
      : send(send_buffer), recv(recv_buffer) {
    static char empty_buffer;
    if (send != recv) return;
    if (sends)
      recv = &empty_buffer;
    else
      send = &empty_buffer;
  }
  const void* send;
  void* recv;
};

/// A non-blocking collective call, from its start to its end.
class PendingCall {
 public:
  MPI_Request* request() { return &request_; }

  /// Returns whether the call has ended. Returns true if none was started.
  bool test() {
    if (request_ == MPI_REQUEST_NULL) return true;
    int has_ended = 0;
    check_mpi(MPI_Test(&request_, &has_ended, MPI_STATUS_IGNORE), "MPI_Test of a collective call");
    return has_ended != 0;
  }

  void wait() {
    if (request_ == MPI_REQUEST_NULL) return;
    check_mpi(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait for a collective call");
  }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace weft::comm
