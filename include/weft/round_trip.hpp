#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "weft/plan.hpp"

namespace weft {

/// The space in which a round trip calls its function. From there, fields are transformed back.
enum class ApplyIn { spectrum, space };

/// The numbers of arrays at four points of a round trip.
struct FieldCounts {
  std::int64_t stored_in = 1;   ///< the caller's inputs
  std::int64_t in = 1;          ///< fields that are transformed before the function
  std::int64_t out = 1;         ///< fields that are transformed after the function
  std::int64_t stored_out = 1;  ///< the caller's outputs

  std::int64_t lanes() const { return std::max(in, out); }
  std::int64_t arrays() const { return std::max(std::max(stored_in, stored_out), lanes()); }
  friend bool operator==(const FieldCounts&, const FieldCounts&) = default;
};

/// The properties on which the stages and the time of a round trip depend. Each component counts as
/// a field: a vector field of three components is three fields.
struct FieldTrip {
  ApplyIn turn = ApplyIn::spectrum;
  FieldCounts counts = {};
  bool has_before = false;  ///< a function in the first stage
  bool has_after = false;   ///< a function in the last stage
};

/// Predicts the time of a round trip of a plan, without the work of its functions. The steps are
/// those that a run records: the outward stages, the stage with the function, and the stages of the
/// return. Between them are the exchanges of all fields. Throws unsupported for a plan without
/// round trips.
Prediction predict(const Plan& plan, const FieldTrip& trip, const Machine& machine);

/// Describes the stages and exchanges of a round trip, and their predicted times if given.
std::string explain(const Plan& plan, const FieldTrip& trip,
                    const std::optional<Prediction>& prediction = {});

}  // namespace weft
