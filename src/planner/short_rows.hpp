#pragma once

#include "planner/search.hpp"

namespace weft::planner {

/// Returns `best`, unless it cuts rows: ranks have only short parts of the rows of its output. In
/// this case returns the first plan that is about as fast, cuts no rows and has the order of
/// `best`; `best` if there is none. Tiles of short rows are slower, which the model does not know.
/// The plans must be sorted by time.
PredictedPlan best_worth_its_rows(const std::vector<PredictedPlan>& all, const PredictedPlan& best);

}  // namespace weft::planner
