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

/// The places of one rank's side of an exchange in the buffers of a run.
struct BufferNeeds {
  kernel::Place outlet;            ///< where the earlier stage writes
  kernel::Place inlet;             ///< from where the later stage reads
  std::int64_t send_elements = 0;  ///< size of the send buffer
  std::int64_t recv_elements = 0;  ///< size of the receive buffer
  /// Size of this rank's own block, if own_last. It is part of send_elements, unless the block has
  /// an own_buffer.
  std::int64_t own_elements = 0;
};

/// Moves the output of the earlier stage to the input of the later one. Made once, executed often.
///
/// One execution is collective over its group. start() is called for each chunk in order, as soon
/// as the earlier stage has written it. progress() is called at any time. wait() is called before a
/// chunk is read, if chunks are read one by one. finish() is called before other data is read.
/// Allocates nothing.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void start(int chunk, void* send, void* recv) = 0;
  virtual void progress() {}
  virtual void wait(int /*chunk*/) { finish(); }
  virtual void finish() = 0;
  /// Returns the messages of this rank to others in one execution.
  virtual comm::MessageTraffic traffic() const = 0;
  /// Returns the bytes that come from other ranks' memory in one execution, without a message. They
  /// are the parts of this rank's box after the exchange that were in other boxes before it.
  virtual std::int64_t bytes_from_others() const { return 0; }
  /// Returns the bytes that weft itself reads and writes in memory in one execution, on this rank.
  virtual std::int64_t copied_bytes() const { return 0; }
  /// Sets, before start(), whether this rank has other work before it calls finish(), so that the
  /// exchange should overlap with it.
  void set_overlaps(bool overlaps) { overlaps_ = overlaps; }
  /// Sets, before start(), whether the earlier stage has written this rank's own block directly to
  /// its destination.
  void set_own_is_there(bool is_there) { own_is_there_ = is_there; }
  /// Returns the time with messages under way.
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
  bool narrow = false;             ///< doubles travel as floats
  int send_buffer = 0;             ///< number of the send buffer in the run
  int recv_buffer = 0;
  int chunks = 1;
  int chunk_axis = -1;  ///< its range in `from` on each rank is divided into chunks
  /// The later stage may read this rank's own block from the send buffer, because it does not write
  /// there.
  bool keep_own_block = false;
  /// For packed messages in one chunk: the own block is after all others.
  bool own_last = false;
  /// Buffer of the own block if it is last; negative: none. The earlier stage writes the block to
  /// its place in recv_buffer or into a separate buffer, from which the later stage reads it.
  int own_buffer = -1;
  /// For a shared exchange: the number of rank 0's array, and the direction. Push: the earlier
  /// stage writes into all ranks' arrays in layout `to`. Pull: it writes in layout `home`, into its
  /// own array if `home` is `from`. The later stage then reads from all ranks' arrays.
  int first_peer_buffer = 0;
  bool push = false;
  Layout home;
  /// For a node-aware exchange: also the number of rank 0's buffer for received messages.
  std::int64_t ranks_per_node = 1;
  int first_peer_arrival = 0;
};

/// The resources of executors.
struct ExchangeResources {
  comm::Communicator comm;              ///< its ranks are the ranks of the layouts
  comm::HandOver* hand_over = nullptr;  ///< of ranks that share memory; shared exchanges need it
  int tag = 0;                          ///< of messages; concurrent transforms have different tags
  /// The receive buffers from number `first_exposed` on, if blocks are put into them.
  std::span<const comm::ExposedMemory> exposed = {};
  int first_exposed = 0;
};

/// Returns sizes and places, before anything is allocated. Local.
BufferNeeds buffer_needs(const Exchange& exchange, const ExchangeEndpoint& side);

/// Makes the executor of an exchange. Collective over resources.comm.
std::unique_ptr<Executor> make_executor(const Exchange& exchange, const ExchangeEndpoint& side,
                                        const ExchangeResources& resources);

}  // namespace weft::exchange
