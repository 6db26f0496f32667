#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/memory.hpp"
#include "comm/communicator.hpp"
#include "planner/trials.hpp"
#include "run/transform.hpp"

namespace weft::api {

/// Runs plans on the ranks of a communicator. Allocates their arrays.
///
/// Memory  the largest input and output of all plans, and the workspaces of two plans.
class MpiTrials final : public planner::Trials {
 public:
  using OptionsOf = std::function<run::Transform::Options(const Plan&)>;

  MpiTrials(const comm::Communicator& comm, OptionsOf options_of);

  double elapsed_s() override;
  bool prepare(int place, const Plan& plan) override;
  double run(int place, int repetitions) override;

 private:
  /// The components of a plan's arrays, one after another in memory.
  struct Fields {
    std::int64_t count = 1;
    std::int64_t in_bytes = 0;  ///< of one component
    std::int64_t out_bytes = 0;
  };

  comm::Communicator comm_;
  OptionsOf options_of_;
  double begun_s_;
  std::array<std::optional<run::Transform>, 2> transforms_;
  std::array<Fields, 2> fields_;
  AlignedBuffer in_;
  AlignedBuffer out_;
};

}  // namespace weft::api
