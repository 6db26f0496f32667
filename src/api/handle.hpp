#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <weft/error.hpp>
#include <weft/fft.hpp>
#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "comm/communicator.hpp"
#include "run/transform.hpp"

namespace weft::api {

/// A transform of a precision known at run time only: the C++, C and Python interfaces share it.
class Handle {
 public:
  struct Options {
    std::string engine = {};
    bool own_workspace = true;
    std::optional<Machine> machine = {};
    PlanBy plan_by = PlanBy::standard;    ///< where there is no machine
    double budget_s = 10;                 ///< for trials, with effort beyond estimate
    std::string wisdom = {};              ///< file of earlier decisions; empty: none
    bool outputs_in_node_memory = false;  ///< as in planner::Freedom
  };

  /// Collective over `comm`: compares the problem on all ranks, plans and binds. `mine` is an error
  /// that this rank met while it read its arguments; if any rank has one, all throw it.
  Handle(const Problem& problem, const Options& options, const comm::Communicator& comm,
         const std::optional<Error>& mine = {});

  /// Collective: binds a plan that was made before, the same on all ranks.
  Handle(const Plan& plan, const Options& options, const comm::Communicator& comm,
         const std::optional<Error>& mine = {});

  const Plan& plan() const { return plan_; }
  const comm::Communicator& comm() const { return comm_; }
  run::Transform& transform() { return *transform_; }
  const run::Transform& transform() const { return *transform_; }

  /// Collective: all ranks run, or all throw if any has an error in `mine` or null pointers.
  void execute(run::Direction direction, const void* in, void* out,
               const std::optional<Error>& mine = {});

  /// Collective: several arrays, the exchange of one while the next is transformed.
  void execute_many(run::Direction direction, std::span<const void* const> in,
                    std::span<void* const> out, const std::optional<Error>& mine = {});

  std::int64_t inplace_bytes() const;
  Shape inplace_real_strides() const;
  std::string explain() const;

 private:
  struct Call;
  class CallGate;

  /// Makes plan_ ready to run. Collective.
  void bind(const Options& options);

  /// What is wrong with a call on this rank: null pointers, no workspace.
  std::optional<Error> call_error(run::Direction direction, const void* in, const void* out) const;

  /// What is wrong with a call of several arrays on this rank.
  std::optional<Error> many_error(run::Direction direction, std::span<const void* const> in,
                                  std::span<void* const> out) const;

  /// What is wrong where some rank runs in place and this one does not.
  std::optional<Error> mixture_error(bool mine_in_place) const;

  /// Whether all run in place, where somebody does; else all throw. Collective.
  bool agreed_in_place(bool somebody, bool mine) const;

  comm::Communicator comm_;
  std::int64_t number_;  ///< of this transform on the communicator, the same on all ranks
  Plan plan_;
  std::string engine_;
  std::optional<run::Transform> transform_;
  run::Direction last_recorded_ = run::Direction::forward;
  bool has_some_array_ = false;   ///< this rank's input and output are not both empty
  bool has_both_arrays_ = false;  ///< neither is
};

}  // namespace weft::api
