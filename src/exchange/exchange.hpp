#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <weft/plan.hpp>

#include "comm/communicator.hpp"
#include "comm/exchanges.hpp"
#include "comm/exposed_memory.hpp"
#include "comm/hand_over.hpp"
#include "exchange/flight.hpp"
#include "kernel/place.hpp"

namespace weft::exchange {

/// The places and buffers that one rank needs for an exchange.
struct BufferNeeds {
  kernel::Place outlet;            ///< to which the earlier stage writes
  kernel::Place inlet;             ///< from which the later stage reads
  std::int64_t send_elements = 0;  ///< size of the send buffer
  std::int64_t recv_elements = 0;  ///< size of the receive buffer
  /// Size of this rank's own block, if ExchangeEndpoint::own_last. It is a part of send_elements,
  /// unless the own block has its own buffer.
  std::int64_t own_elements = 0;
};

/// Moves the output of the earlier stage to the input of the later stage. An executor is made once
/// and executed often.
///
/// One execution is collective over its group. The caller calls start() for each chunk in order, as
/// soon as the earlier stage has written the chunk. The caller may call progress() at any time. If
/// the later stage reads chunk by chunk, wait() comes before each chunk, and finish() after the
/// stage. Otherwise finish() comes before the later stage. An execution allocates nothing.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void start(int chunk, void* send, void* recv) = 0;
  virtual void progress() {}
  virtual void wait(int /*chunk*/) { finish(); }
  virtual void finish() = 0;
  /// Returns the messages of this rank to others in one execution.
  virtual comm::MessageTraffic traffic() const = 0;
  /// Returns the bytes that reach this rank from other ranks through node memory, without a
  /// message, in one execution.
  virtual std::int64_t bytes_from_others() const { return 0; }
  /// Returns the bytes that weft itself reads and writes in memory in one execution, on this rank.
  virtual std::int64_t copied_bytes() const { return 0; }
  /// Sets whether this rank has other work before finish(). If so, the exchange overlaps with it.
  /// Must be called before start().
  void set_overlaps(bool overlaps) { overlaps_ = overlaps; }
  /// Sets whether the earlier stage has written this rank's own block directly to its destination.
  /// Must be called before start().
  void set_own_is_there(bool is_there) { own_is_there_ = is_there; }
  /// Returns the time in which messages were under way.
  const Flight& flight() const { return flight_; }
  void forget_flight() { flight_ = {}; }

 protected:
  Flight flight_;
  bool overlaps_ = false;
  bool own_is_there_ = false;
};

/// One exchange as one rank sees it.
struct ExchangeEndpoint {
  Layout from;
  Layout to;
  std::int64_t rank = 0;
  std::int64_t element_bytes = 0;  ///< in a message
  bool narrow = false;             ///< doubles are sent as floats
  int send_buffer = 0;             ///< number of the send buffer in the run
  int recv_buffer = 0;
  int chunks = 1;
  int chunk_axis = -1;  ///< chunks divide this axis of each rank's box of `from`
  /// The later stage reads this rank's own block (which the rank sends to itself) from the send
  /// buffer. This is possible if the later stage does not write to the send buffer.
  bool keep_own_block = false;
  /// For packed messages in one chunk: the own block comes after all others in the send buffer.
  bool own_last = false;
  /// Buffer into which the earlier stage writes the own block, if own_last; negative: send_buffer.
  /// It is recv_buffer, or a separate buffer from which the later stage reads the block.
  int own_buffer = -1;
  /// For a shared exchange: the number of the buffer of rank 0's array, the direction, and the
  /// layout of the arrays. With push, the earlier stage writes into the arrays of all ranks, in
  /// layout `to`. Without push, the arrays have layout `home`, and the later stage reads from the
  /// arrays of all ranks. The earlier stage then writes into these arrays too; if `home` is `from`,
  /// it writes only into the array of this rank.
  int first_peer_buffer = 0;
  bool push = false;
  Layout home;
  /// For a node-aware exchange, also the number of rank 0's buffer for received messages.
  std::int64_t ranks_per_node = 1;
  int first_peer_arrival = 0;
};

/// The resources of executors.
struct ExchangeResources {
  comm::Communicator comm;              ///< its ranks are the ranks of the layouts
  comm::HandOver* hand_over = nullptr;  ///< synchronises ranks that share memory; only exchanges
                                        ///< in node memory need it
  int tag = 0;                          ///< of messages; concurrent transforms have different tags
  /// For Method::rma: the receive buffers that are exposed to MPI_Put, from number `first_exposed`
  /// on.
  std::span<const comm::ExposedMemory> exposed = {};
  int first_exposed = 0;
};

/// Returns the sizes and places of buffers that are not allocated yet. Local.
BufferNeeds buffer_needs(const Exchange& exchange, const ExchangeEndpoint& side);

/// Makes the executor of an exchange. Collective over resources.comm.
std::unique_ptr<Executor> make_executor(const Exchange& exchange, const ExchangeEndpoint& side,
                                        const ExchangeResources& resources);

}  // namespace weft::exchange
