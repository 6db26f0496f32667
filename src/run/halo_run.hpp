#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <weft/precision.hpp>

#include "base/memory.hpp"
#include "comm/node_workspace.hpp"
#include "exchange/exchange.hpp"
#include "kernel/box_sum.hpp"
#include "kernel/sweep.hpp"
#include "plan/halo_rounds.hpp"

namespace weft::run {

/// The rounds of a halo bound to executors and workspace.
///
/// Up to 64 rounds of an axis are under way at the same time, each with its own buffers.
/// accumulate() adds received planes in a fixed order. So the same input gives the same bits, for
/// any exchange method.
class HaloRun {
 public:
  /// Collective over `comm`, which has the layout's ranks. `rounds` are those of this rank. All
  /// ranks succeed, or all throw the same error.
  HaloRun(const HaloProblem& problem, std::vector<HaloRound> rounds,
          const comm::Communicator& comm);

  /// Workspace of this rank: about twice its planes.
  std::int64_t workspace_bytes() const { return workspace_bytes_; }

  /// Fills the planes of this rank's local array. Collective; allocates nothing after the first
  /// call.
  void fill(void* array);
  /// Adds the planes to the elements of their owners, and sets them to zero. Collective; allocates
  /// nothing after the first call.
  void accumulate(void* array, Precision precision);

 private:
  /// A round in one direction: from owners to receivers, or back.
  struct HaloMove {
    exchange::ExchangeEndpoint side;
    kernel::Sweep pack;    ///< from the local array to the exchange, or in a local round to the
                           ///< planes of this array
    kernel::Sweep unpack;  ///< from the exchange to the local array
    kernel::BoxSum sum;    ///< instead of unpack, for accumulating
    std::unique_ptr<exchange::Executor> executor;  ///< null for a local round
  };
  /// A round in both directions.
  struct BoundRound {
    HaloRound round;
    Box planes;                   ///< box of this rank's planes in the array of the round
    std::int64_t first_byte = 0;  ///< position of the planes in the local array
    HaloMove fill;
    HaloMove back;
  };
  /// Rounds that run at the same time.
  struct AxisRounds {
    std::size_t first = 0;
    std::size_t last = 0;  ///< one past the end
  };

  kernel::Place array_place(const Box& box, const Shape& position) const;
  void bind(BoundRound& bound, std::int64_t number);
  void allocate();
  std::vector<AxisRounds> batches() const;
  void start(BoundRound& bound, HaloMove& move, bool overlaps, bool clears);
  void clear(const BoundRound& bound) const;
  void begin(void* array);
  void end();

  comm::Communicator comm_;
  std::int64_t element_bytes_ = 0;
  std::int64_t ranks_per_node_ = 1;
  Shape strides_;  ///< of the local array, by axis of the rounds
  std::vector<BoundRound> rounds_;
  std::vector<AxisRounds> batches_;
  std::vector<std::int64_t> sizes_;  ///< bytes of the buffers of the rounds
  std::int64_t workspace_bytes_ = 0;
  AlignedBuffer memory_;
  std::optional<comm::NodeWorkspace> shared_;  ///< instead of memory_, if a round uses node memory
  std::vector<comm::ExposedMemory> exposed_;   ///< instead of memory_, one for each buffer, if
                                               ///< blocks are put
  std::vector<void*> buffers_;
};

}  // namespace weft::run
