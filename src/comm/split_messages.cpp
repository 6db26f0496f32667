#include "comm/split_messages.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "comm/communicator_state.hpp"
#include "comm/mpi_check.hpp"

namespace weft::comm {
namespace {

/// MPI libraries hand a message to the system in one call, and Linux moves at most 2 GiB in one.
constexpr std::int64_t message_bytes_max = std::int64_t{1} << 30;

/// Messages between two ranks arrive in the order they were sent, so one tag does.
constexpr int tag = 0;

std::int64_t pieces(std::int64_t count, std::int64_t piece) { return (count + piece - 1) / piece; }

}  // namespace

SplitMessages::SplitMessages(Communicator comm, std::vector<Transfer> transfers,
                             std::int64_t element_bytes, std::int64_t limit)
    : comm_(std::move(comm)),
      transfers_(std::move(transfers)),
      element_bytes_(element_bytes),
      piece_(std::clamp<std::int64_t>(message_bytes_max / element_bytes, 1, limit)) {
  std::int64_t most = 0;
  for (const Transfer& transfer : transfers_) {
    most =
        std::max(most, pieces(transfer.send_count, piece_) + pieces(transfer.recv_count, piece_));
  }
  requests_.resize(static_cast<std::size_t>(most), MPI_REQUEST_NULL);
  if (most > 0) element_ = element_type(element_bytes);
}

void SplitMessages::execute_one(const Transfer& transfer, const char* send, char* recv) const {
  std::size_t posted = 0;
  const auto next_request = [&] { return &requests_[posted++]; };
  for (std::int64_t done = 0; done < transfer.recv_count; done += piece_) {
    check_mpi(
        MPI_Irecv(recv + (transfer.recv_offset + done) * element_bytes_,
                  checked_cast<int>(std::min(piece_, transfer.recv_count - done)),  // count
                  element_.get(), transfer.recv_peer, tag, usable(comm_.state()), next_request()),
        "MPI_Irecv", transfer.recv_peer);
  }
  for (std::int64_t done = 0; done < transfer.send_count; done += piece_) {
    check_mpi(
        MPI_Isend(send + (transfer.send_offset + done) * element_bytes_,
                  checked_cast<int>(std::min(piece_, transfer.send_count - done)),  // count
                  element_.get(), transfer.send_peer, tag, usable(comm_.state()), next_request()),
        "MPI_Isend", transfer.send_peer);
  }
  check_mpi(MPI_Waitall(checked_cast<int>(posted), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall", transfer.recv_count > 0 ? transfer.recv_peer : transfer.send_peer);
}

void SplitMessages::execute(const void* send, void* recv) const {
  for (const Transfer& transfer : transfers_) {
    execute_one(transfer, static_cast<const char*>(send), static_cast<char*>(recv));
  }
}

Traffic SplitMessages::traffic() const {
  Traffic total;
  for (const Transfer& transfer : transfers_) {
    total.bytes += transfer.send_count * element_bytes_;
    total.messages += pieces(transfer.send_count, piece_);
  }
  return total;
}

}  // namespace weft::comm
