#pragma once

#include <memory>
#include <string>
#include <vector>

#include <weft/plan.hpp>
#include <weft/record.hpp>

#include "exchange/exchange.hpp"
#include "run/buffer_assignment.hpp"
#include "run/local_stage.hpp"
#include "run/progress.hpp"
#include "run/shared_buffers.hpp"
#include "run/stage_transforms.hpp"

namespace weft::run {

/// The data of a program in one execution.
struct Context {
  void** buffers;
  kernel::Scratch scratch;
  StageProgress& progress;
  SharedBuffers* shared;  ///< not null if the program is shared
  StepRecord* records;    ///< null, or an array of steps() records to fill in
};

/// A plan as one rank executes it in one direction: sweeps and exchanges in order.
///
/// A program is made in two steps, so that all ranks can agree in between. The constructor is
/// local; connect() is collective.
class RankProgram {
 public:
  /// `spectrum`: from chirp_spectrum(), for a plan that convolves.
  RankProgram(const Plan& plan, const Variant& variant, std::int64_t rank,
              const kernel::LocalOptions& options,
              const std::shared_ptr<const kernel::LineSpectrum>& spectrum);
  /// The program of a lane of a round trip. The stages in `joint` work on all lanes together, so
  /// this program has only the exchanges of these stages; see joint_stage().
  RankProgram(const Problem& problem, RankRoute route, std::int64_t rank,
              const kernel::LocalOptions& options, std::vector<std::size_t> joint);

  /// Returns whether an exchange needs buffers that other ranks can access.
  bool is_shared() const { return buffers_.is_shared(); }
  /// Returns whether an exchange puts blocks into buffers of other ranks.
  bool is_exposed() const { return buffers_.is_exposed(); }
  /// Makes the exchanges. Collective over resources.comm.
  void connect(const exchange::ExchangeResources& resources);
  /// Takes over the exchanges of a program of the same direction, of which one is in place and the
  /// other is not. Local.
  void connect_like(const RankProgram& other);

  /// Bytes of each workspace buffer; 0 for input and output.
  const BufferSizes& buffer_bytes() const { return buffers_.sizes; }
  kernel::ScratchSize scratch_size() const { return scratch_; }
  std::size_t steps() const { return 2 * stages_.size() - 1; }
  /// Returns the names and kinds of the steps, with numbers of zero.
  std::vector<StepRecord> empty_records() const;

  std::size_t stage_count() const { return stages_.size(); }

  /// Returns the parts of a joint stage: one, or one for each chunk of an exchange.
  std::vector<StageSpec> joint_stage(std::size_t stage) const;
  /// Makes room for a joint stage.
  void grow_to(const BufferSizes& sizes, const kernel::ScratchSize& scratch);

  /// One execution is begin(), then all stages in order, then end(). Stages of other executions may
  /// run in between, in the same order on all ranks. Collective.
  void begin(void** buffers, SharedBuffers* shared) const;
  /// Waits for the exchange before the stage, executes the stage, and starts the exchange after it.
  void execute_stage(std::size_t stage, const Context& context) const;
  void end(SharedBuffers* shared) const;

  /// The four steps of a stage. The work of each part is between begin_part() and end_part(). The
  /// first two steps wait for the exchange before the stage. The others start the exchange after
  /// it.
  void begin_stage(std::size_t stage, const Context& context) const;
  void begin_part(std::size_t stage, std::size_t part, const Context& context) const;
  void end_part(std::size_t stage, std::size_t part, const Context& context) const;
  void end_stage(std::size_t stage, const Context& context) const;
  /// Ends an exchange whose chunks begin_part() has waited for.
  void end_receiving(std::size_t stage, const Context& context) const;

 private:
  struct LocalStage {
    std::string name;
    /// The sweeps of each chunk. If sends_parts, these are chunks of the exchange after the stage,
    /// which are sent as soon as they are ready. Otherwise they are chunks of the exchange before
    /// the stage, and the stage waits for each of them.
    std::vector<std::vector<kernel::Sweep>> parts;
    bool sends_parts = false;
    /// The stage only copies between two buffers. If these are the same array, nothing is copied.
    bool is_copy = false;
    int from = 0;
    int to = 0;
  };
  void execute_part(std::size_t stage, std::size_t part, const Context& context,
                    kernel::MemoryTraffic& traffic) const;
  void start(std::size_t exchange, int chunk, const Context& context) const;
  void wait(std::size_t exchange, int chunk, const Context& context) const;
  void finish(std::size_t exchange, const Context& context) const;

  void make(const Problem& problem, std::int64_t rank, const kernel::LocalOptions& options,
            bool first_uses_work);
  void add_stage(std::size_t position, const kernel::LocalOptions& options);
  bool is_joint(std::size_t position) const;
  bool receives_parts(std::size_t stage) const {
    return stages_[stage].parts.size() > 1 && !stages_[stage].sends_parts;
  }

  RankRoute route_;
  std::vector<std::size_t> joint_;
  std::vector<LocalStage> stages_;
  BufferAssignment buffers_;
  /// For each exchange of buffers_.
  std::vector<std::shared_ptr<exchange::Executor>> executors_;
  kernel::ScratchSize scratch_;
};

}  // namespace weft::run
