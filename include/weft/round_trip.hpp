#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "weft/plan.hpp"

namespace weft {

/// The space in which a round trip turns: that of its function.
enum class ApplyIn { spectrum, space };

/// The numbers of arrays in a round trip, by its steps.
struct FieldCounts {
  std::int64_t stored_in = 1;   ///< the caller's inputs
  std::int64_t in = 1;          ///< fields that are transformed there
  std::int64_t out = 1;         ///< fields that are transformed back
  std::int64_t stored_out = 1;  ///< the caller's outputs

  std::int64_t lanes() const { return std::max(in, out); }
  std::int64_t arrays() const { return std::max(std::max(stored_in, stored_out), lanes()); }
  friend bool operator==(const FieldCounts&, const FieldCounts&) = default;
};

/// The stages and the time of a round trip depend on these values. Fields are those of one
/// component: a vector field of three components is three.
struct FieldTrip {
  ApplyIn turn = ApplyIn::spectrum;
  FieldCounts counts = {};
  bool has_before = false;  ///< a function in the first stage
  bool has_after = false;   ///< a function in the last stage
};

/// Predicts the time of a round trip of a plan, without the work of its functions. The steps are
/// those that a run records. They are the stages there, the one with the function, the stages back,
/// and the exchanges of all fields between them. Throws unsupported for a plan without round trips.
Prediction predict(const Plan& plan, const FieldTrip& trip, const Machine& machine);

/// Describes the stages and exchanges of a round trip, and their predicted times if given.
std::string explain(const Plan& plan, const FieldTrip& trip,
                    const std::optional<Prediction>& prediction = {});

}  // namespace weft
