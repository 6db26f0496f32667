#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/datatype.hpp"
#include "comm/exchanges.hpp"

namespace weft::comm {

/// One step of a schedule: what this rank sends to one rank and receives from one rank (the same or
/// another) at the same time. Offsets and counts in elements; a count of 0 means no message.
struct Transfer {
  int send_peer = 0;
  std::int64_t send_offset = 0;
  std::int64_t send_count = 0;
  int recv_peer = 0;
  std::int64_t recv_offset = 0;
  std::int64_t recv_count = 0;
};

/// Executes transfers one after the other, each block cut into messages of at most `limit` elements
/// and 1 GiB. Construction is local.
class SplitMessages {
 public:
  SplitMessages(Communicator comm, std::vector<Transfer> transfers, std::int64_t element_bytes,
                std::int64_t limit);
  void execute(const void* send, void* recv) const;
  Traffic traffic() const;

 private:
  void execute_one(const Transfer& transfer, const char* send, char* recv) const;

  Communicator comm_;
  std::vector<Transfer> transfers_;
  std::int64_t element_bytes_;
  std::int64_t piece_;  ///< most elements in one message
  Datatype element_;
  mutable std::vector<MPI_Request> requests_;  ///< for the largest transfer: execute allocates none
};

}  // namespace weft::comm
