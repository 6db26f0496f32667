#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include <weft/round_trip.hpp>

#include "kernel/field_chain.hpp"
#include "run/local_stage.hpp"

namespace weft::run {

/// A stage, or a part of it, that works on the fields of all lanes together, because functions need
/// several fields at once.
struct JointSpec {
  StageSpec stage = {};  ///< of each lane
  /// At the turn: the transforms back, which use the axes of the stage in the opposite order.
  std::vector<kernel::AxisTransform> transforms_back = {};
  std::optional<kernel::ChainFunction> first = {};  ///< before all transforms of the round trip
  std::optional<kernel::ChainFunction> turn = {};
  std::optional<kernel::ChainFunction> last = {};  ///< after all transforms of the round trip
  FieldCounts counts = {};
  bool is_after_turn = false;  ///< a stage after the turn
  std::int64_t least_block_bytes = 0;
};

/// The passes of a joint stage: sweeps of each field, and chains of all fields.
class JointStage {
 public:
  /// `tables` must outlive the stage. `sizes` (bytes) is increased to the needs of the stage.
  JointStage(const JointSpec& given, const kernel::ChainTables& tables,
             const kernel::LocalOptions& options, BufferSizes& sizes);

  kernel::ScratchSize scratch_size() const { return scratch_; }
  /// Returns the number of results of all functions and blocks in one execution.
  std::int64_t result_count() const;

  /// arrays[i][b] is the start of buffer b of lane i. The buffers include the caller's arrays.
  /// `results` has room for result_count() numbers.
  kernel::MemoryTraffic execute(std::span<void* const* const> arrays,
                                const kernel::Scratch& scratch, kernel::ChainCall& call,
                                double* results) const;
  /// Combines the results of an execution in the order of blocks: calls add(function, result) for
  /// each, where `result` is an array of that function's results.
  template <class Add>
  void for_each_result(const double* results, Add&& add) const {
    for (const JointPass& pass : passes_)
      if (pass.chain)
        for (std::int64_t block = 0; block < pass.chain->blocks(); ++block)
          for (const kernel::ChainFunction& function : pass.functions) {
            add(function, results);
            results += function.results;
          }
  }

 private:
  /// One trip through the cache, of each field alone or of all fields together.
  struct JointPass {
    std::optional<kernel::Sweep> sweep = {};
    std::int64_t fields = 1;
    std::optional<kernel::FieldChain> chain = {};
    std::vector<kernel::ChainFunction> functions = {};
  };
  std::vector<JointPass> passes_;
  kernel::ScratchSize scratch_;
};

}  // namespace weft::run
