#pragma once

#include "planner/search.hpp"

namespace weft::planner {

/// Returns `best`, or if ranks have only short parts of the rows of its output, the first plan about
/// as fast with long rows. That plan must have the order of `best`. Tiles of short rows are slower,
/// which the model does not know. The plans must be sorted by time.
PredictedPlan best_worth_its_rows(const std::vector<PredictedPlan>& all, const PredictedPlan& best);

}  // namespace weft::planner
