#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weft/error.hpp>
#include <weft/fft.hpp>
#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "base/turns.hpp"
#include "comm/communicator.hpp"
#include "run/round_trip.hpp"
#include "run/transform.hpp"

namespace weft::api {

/// A transform with a precision that is known only at run time. The C++, C and Python interfaces
/// share it.
///
/// Threads     calls that run a transform, change it or copy its record are serialised. The runs of
///             all transforms of one communicator are serialised too.
class Handle {
 public:
  struct Options {
    std::string engine =
        {};  ///< "auto" or a name; empty: the plan's engines, otherwise WEFT_ENGINE
    bool own_workspace = true;
    Planning planning = {};               ///< effort and all_ranks are taken from the problem
                                          ///< instead
    bool outputs_in_node_memory = false;  ///< as in planner::Freedom
    bool needs_round_trips = false;       ///< the plan must allow round trips
  };

  /// Compares the problem on all ranks, plans it and binds the plan. Collective over `comm`. `mine`
  /// is an error that this rank found in its arguments. If any rank has an error, all throw it.
  Handle(const Problem& problem, const Options& options, const comm::Communicator& comm,
         const std::optional<Error>& mine = {});

  /// Binds an existing plan, which must be the same on all ranks. Collective.
  Handle(const Plan& plan, const Options& options, const comm::Communicator& comm,
         const std::optional<Error>& mine = {});

  const Plan& plan() const { return plan_; }
  /// The layouts of the caller's arrays, components included.
  const Layout& input() const { return input_; }
  const Layout& output() const { return output_; }
  const comm::Communicator& comm() const { return comm_; }
  run::Transform& transform() { return *transform_; }
  std::int64_t workspace_bytes() const;
  void use_workspace(void* memory, std::int64_t bytes);
  bool recording() const;
  void set_recording(bool on);
  /// Returns the record of the last recorded run, valid until the next run. Threads that run
  /// concurrently must use the copy of record_now().
  const std::vector<StepRecord>& record() const {
    return last_round_trip_ ? last_round_trip_->record() : transform_->record();
  }
  std::vector<StepRecord> record_now() const;

  /// Runs a transform. If any rank has an error in `mine` or null pointers, all ranks throw.
  /// Collective.
  void execute(Direction direction, const void* in, void* out,
               const std::optional<Error>& mine = {});

  /// Transforms several arrays: one is exchanged while the next is transformed. Collective.
  void execute_many(Direction direction, std::span<const void* const> in,
                    std::span<void* const> out, const std::optional<Error>& mine = {});

  /// Runs a round trip of several fields, with functions of tiles. Returns the results of the
  /// functions, combined over all ranks in the order of ranks. Collective.
  std::vector<double> apply(ApplyIn turn, const FieldWork& work, std::span<const void* const> in,
                            std::span<void* const> out, const std::optional<Error>& mine = {});

  /// Describes a round trip of apply(). Includes predicted times if the transform has a machine.
  std::string explain_apply(ApplyIn turn, const FieldWork& work, std::int64_t inputs,
                            std::int64_t outputs) const;

  /// In place, each component begins at a multiple of inplace_bytes() / fields.
  std::int64_t inplace_bytes() const;
  Shape inplace_real_strides() const;
  Shape inplace_output_strides() const;
  std::string explain() const;

 private:
  struct Call;
  struct RoundTripCall;
  class CallGate;

  /// Makes plan_ ready to run. Collective.
  void bind(const Options& options);

  void note_recording(Direction direction);
  /// Describes the steps of the last recorded run.
  std::string recorded_steps(bool is_predicted) const;
  /// Returns the bytes of all workspaces.
  std::int64_t held_bytes() const;

  /// Returns the bytes of this rank's dense array: the input or the output of the transform.
  std::int64_t bytes_of(bool is_input) const { return is_input ? input_bytes_ : output_bytes_; }

  /// Returns the bytes of one component in place.
  std::int64_t inplace_bytes_of_one() const;
  Shape strides_of_one_in_place() const;
  /// Returns the strides in place. If there are components, their stride comes first.
  Shape with_components_in_place(Shape strides, Element element) const;
  /// Transforms the components of arrays. The arrays must have been checked. Collective.
  void execute_components(const Variant& variant, std::span<const void* const> in,
                          std::span<void* const> out);

  /// Returns the error of a call on this rank: null pointers, arrays that overlap, no workspace.
  std::optional<Error> call_error(Direction direction, const void* in, const void* out) const;

  /// Returns the error of a call of several arrays on this rank.
  std::optional<Error> many_error(Direction direction, std::span<const void* const> in,
                                  std::span<void* const> out) const;

  /// Returns the error of a round trip on this rank.
  std::optional<Error> work_error(ApplyIn turn, const FieldWork& work,
                                  std::span<const void* const> in,
                                  std::span<void* const> out) const;

  /// Sets component_inputs_ and component_outputs_ to the fields in the arrays of a round trip.
  void split_components(ApplyIn turn, std::span<const void* const> in, std::span<void* const> out);

  /// Returns the round trip of a shape. The first call with a shape makes it. The last few round
  /// trips are kept. Collective.
  run::RoundTrip& round_trip(const run::RoundTripShape& shape);
  void combine_ranks(const FieldWork& work, std::vector<double>& results);

  /// Returns the error of a call in which other ranks run in place and this rank does not.
  std::optional<Error> mixture_error(bool mine_in_place) const;

  /// Returns whether all ranks run in place. Throws on all ranks if only some do. Collective.
  bool agreed_in_place(bool somebody, bool mine) const;

  comm::Communicator comm_;
  std::int64_t number_ = 0;  ///< number of this transform on its communicator, the same on all
                             ///< ranks
  mutable Turns turns_;      ///< turns of threads on this transform; a run first takes the turn on
                             ///< the communicator
  Plan plan_;
  Layout input_;
  Layout output_;
  std::optional<run::Transform> transform_;
  kernel::LocalOptions local_;
  std::optional<Machine> machine_;                   ///< its model predicts times; see ChosenPlan
  std::list<run::RoundTrip> round_trips_;            ///< kept round trips, the last used first
  const run::RoundTrip* last_round_trip_ = nullptr;  ///< the last recorded run, if it was a round
                                                     ///< trip
  std::vector<double> gathered_;                     ///< results of all ranks, during a run
  Direction last_recorded_ = Direction::forward;
  std::int64_t input_bytes_ = 0;
  std::int64_t output_bytes_ = 0;
  bool has_some_array_ = false;                ///< this rank's input or output has elements
  bool has_both_arrays_ = false;               ///< this rank's input and output both have elements
  std::vector<const void*> component_inputs_;  ///< pointers to the components, during a run
  std::vector<void*> component_outputs_;
};

}  // namespace weft::api
