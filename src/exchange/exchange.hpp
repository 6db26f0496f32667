#pragma once

#include <cstdint>
#include <memory>

#include <weft/plan.hpp>

#include "comm/communicator.hpp"
#include "comm/exchanges.hpp"
#include "comm/hand_over.hpp"
#include "exchange/flight.hpp"
#include "kernel/place.hpp"

namespace weft::exchange {

/// Where one rank's side of an exchange lies in the buffers of a run.
struct BufferNeeds {
  kernel::Place outlet;            ///< where the earlier stage writes
  kernel::Place inlet;             ///< from where the later stage reads
  std::int64_t send_elements = 0;  ///< size of the send buffer
  std::int64_t recv_elements = 0;  ///< size of the receive buffer
  /// Of this rank's own block, where that lies last; among send_elements unless it has a buffer.
  std::int64_t own_elements = 0;
};

/// Moves what the earlier stage wrote to where the later one reads. Made once, executed often.
///
/// One execution, collective over the group it was made with: start() for each chunk in order, as
/// soon as the earlier stage has written it; progress() at any time; wait() before a chunk is read,
/// where chunks arrive one by one; finish() before anything else is. Allocates nothing.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void start(int chunk, void* send, void* recv) = 0;
  virtual void progress() {}
  virtual void wait(int /*chunk*/) { finish(); }
  virtual void finish() = 0;
  /// What this rank sends to others in one execution.
  virtual comm::MessageTraffic traffic() const = 0;
  /// Bytes that weft itself reads and writes in memory in one execution, on this rank.
  virtual std::int64_t copied_bytes() const { return 0; }
  /// Before start(): whether this rank has something else to do before it calls finish(), so that
  /// whatever can go on meanwhile should.
  void set_overlaps(bool overlaps) { overlaps_ = overlaps; }
  /// Before start(): whether the earlier stage has written this rank's own block to where the later
  /// one reads it.
  void set_own_is_there(bool is_there) { own_is_there_ = is_there; }
  /// When messages were under way.
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
  std::int64_t element_bytes = 0;  ///< as they travel
  bool narrow = false;             ///< doubles travel as floats
  int send_buffer = 0;             ///< number of the send buffer in the run
  int recv_buffer = 0;
  int chunks = 1;
  int chunk_axis = -1;  ///< each rank's range of it in `from` is divided into the chunks
  /// The later stage may read this rank's own block from the send buffer: it does not write there.
  bool keep_own_block = false;
  /// Of packed messages in one chunk: the own block lies behind all others.
  bool own_last = false;
  /// Not negative, where it lies last: the earlier stage writes it to its place in recv_buffer, or
  /// into a buffer of its own, from which the later one reads it.
  int own_buffer = -1;
  /// Of a shared exchange: the number of rank 0's array among those of all ranks, and whether the
  /// earlier stage writes into the arrays of `to` (push) or the later one reads those of `home`
  /// (pull), where the earlier one writes: its own where that is `from`.
  int first_peer_buffer = 0;
  bool push = false;
  Layout home;
  /// Of a node-aware exchange: also the number of rank 0's buffer for messages that have arrived.
  std::int64_t ranks_per_node = 1;
  int first_peer_arrival = 0;
};

/// What executors are made of.
struct ExchangeResources {
  comm::Communicator comm;              ///< its ranks are the ranks of the layouts
  comm::HandOver* hand_over = nullptr;  ///< of ranks that share memory; shared exchanges need it
  int tag = 0;                          ///< of messages: of transforms that are under way together
};

/// Local: sizes and places, before anything is allocated.
BufferNeeds buffer_needs(const Exchange& exchange, const ExchangeEndpoint& side);

/// Collective over means.comm.
std::unique_ptr<Executor> make_executor(const Exchange& exchange, const ExchangeEndpoint& side,
                                        const ExchangeResources& means);

}  // namespace weft::exchange
