#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weft/field_work.hpp>

#include "run/execution.hpp"
#include "run/joint_stage.hpp"
#include "run/round_trip_route.hpp"

namespace weft::run {

/// The properties of a function that a round trip needs when it is made.
struct FunctionShape {
  std::int64_t results = 0;
  bool is_pointwise = false;
  friend bool operator==(const FunctionShape&, const FunctionShape&) = default;
};

/// The properties on which a round trip depends. The same round trip can run all functions with
/// these properties.
struct RoundTripShape {
  ApplyIn turn = ApplyIn::spectrum;
  FieldCounts counts = {};
  std::optional<FunctionShape> before = {};
  FunctionShape function = {};
  std::optional<FunctionShape> after = {};
  std::int64_t least_block_bytes = 0;
  friend bool operator==(const RoundTripShape&, const RoundTripShape&) = default;

  FieldTrip trip() const { return {turn, counts, before.has_value(), after.has_value()}; }
};

/// A round trip of several fields, with functions on the way. Each field has its own lane: while
/// one field is exchanged, another is transformed.
class RoundTrip {
 public:
  /// Collective over `comm`. All ranks succeed, or all throw the same error.
  RoundTrip(const Plan& plan, const comm::Communicator& comm, const kernel::LocalOptions& local,
            const RoundTripShape& shape);

  const RoundTripShape& shape() const { return shape_; }
  /// Returns the number of steps of one lane in record().
  std::size_t steps() const { return names_.size(); }
  std::int64_t workspace_bytes() const;

  /// Runs the work on the caller's arrays, and records the steps if `recording`. Returns the
  /// results of this rank's functions in the order before, function, after. `error` receives the
  /// error of a function on this rank. Allocates only the returned results. Collective.
  std::vector<double> execute(const FieldWork& work, std::span<const void* const> in,
                              std::span<void* const> out, bool recording,
                              std::exception_ptr& error);
  /// Returns the steps of the last recorded run, one lane after the other. Stages with functions
  /// are recorded only for the first lane.
  const std::vector<StepRecord>& record() const { return records_; }

 private:
  struct Joint {
    std::size_t stage = 0;
    std::vector<JointStage> parts;
  };
  std::vector<RankProgram> make_programs();
  void reserve();
  void execute_stages(kernel::ChainCall& call, std::vector<double>& totals, const FieldWork& work);
  JointSpec joint_spec(const StageSpec& stage, std::size_t number) const;
  const Joint* joint_of(std::size_t stage) const;
  void execute_joint(const Joint& joint, kernel::ChainCall& call, std::vector<double>& totals,
                     const FieldWork& work);
  void add_results(const JointStage& part, const FieldWork& work,
                   std::vector<double>& totals) const;
  /// Return the number of lanes in the exchange before a stage, and in the exchange after it.
  std::int64_t lanes_before(std::size_t stage) const;
  std::int64_t lanes_after(std::size_t stage) const;
  void clear_records();
  void begin(std::span<const void* const> in, std::span<void* const> out, bool recording);

  Plan plan_;
  comm::Communicator comm_;
  kernel::LocalOptions local_;
  RoundTripShape shape_;
  kernel::ChainTables tables_;
  RoundTripRoute trip_;
  std::vector<Joint> joints_;  ///< in the order of execution
  std::vector<std::unique_ptr<Execution>> lanes_;
  std::vector<std::vector<void*>> no_lane_;  ///< buffers of the caller's arrays beyond the lanes
  std::vector<double> block_results_;
  std::vector<Context> contexts_;     ///< of the lanes, in a joint stage
  std::vector<void* const*> arrays_;  ///< buffers of each lane, then those of no_lane_
  StageProgress progress_;
  std::vector<std::string> names_;  ///< of the steps
  std::vector<StepRecord> records_;
};

}  // namespace weft::run
