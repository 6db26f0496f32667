#include "comm/take_back.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/communicator_state.hpp"
#include "comm/message_queue.hpp"
#include "comm/mpi_check.hpp"

namespace weft::comm {
namespace {

void drop_message(const Communicator& comm, int from, int tag) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  int bytes = 0;
  check_mpi(MPI_Mprobe(from, tag, usable(comm.state()), &message, &status), "MPI_Mprobe", from);
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count", from);
  const auto nowhere = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
  check_mpi(MPI_Mrecv(nowhere.get(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv",
            from);
}

}  // namespace

void take_back(const Communicator& comm, const Messages* begun) {
  if (comm.is_solo()) return;
  MessageQueue* const queue = begun ? &begun->queue() : nullptr;
  const std::vector<std::int64_t> none(static_cast<std::size_t>(comm.size()), 0);
  const int my_tag = queue ? queue->tag() : -1;
  const std::vector<std::int64_t> arrived = queue ? queue->cancel_receives() : none;
  const std::vector<std::int64_t> sent = comm.all_to_all(queue ? queue->sent() : none);
  const std::vector<int> tags = comm.all_gather_values(my_tag);
  for (int rank = 0; rank < comm.size(); ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const std::int64_t received = tags[r] == my_tag ? arrived[r] : 0;
    for (std::int64_t i = received; i < sent[r]; ++i) drop_message(comm, rank, tags[r]);
  }
  if (queue) queue->finish_sends();
}

}  // namespace weft::comm
