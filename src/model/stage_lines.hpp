#pragma once

#include <cstdint>

#include <weft/plan.hpp>

namespace weft::model {

/// Lines of one kind and length, on the rank that has most of them.
struct StageLines {
  Kind kind = Kind::c2c;
  std::int64_t length = 1;
  double count = 0;
};

/// Returns the lines of a stage of the plan along one of its axes.
StageLines lines_along(const Plan& plan, const Stage& stage, int axis);

}  // namespace weft::model
