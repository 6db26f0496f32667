#pragma once

#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// Returns whether an axis is one of the transformed axes.
bool is_transformed(const Problem& problem, int axis);

/// Returns the positions of an axis's points in real space, in units of the axis's length. If the
/// problem has `support`, returns the positions of the given points only.
std::vector<double> unit_positions(const Problem& problem, int axis);

/// Returns the wavenumbers of a transformed axis in the order of the spectrum. The unit is
/// 2 pi / length, or pi / length for cosines and sines.
std::vector<double> unit_wavenumbers(const Problem& problem, int axis);

/// Returns the positions of a rank's points along an axis of the input, which is `length` long.
///
/// Errors  invalid_argument for an axis that does not exist, or a length that is not finite and
///         above 0
std::vector<double> positions_on(const Plan& plan, std::int64_t rank, int axis, double length);

/// Returns a rank's wavenumbers along an axis of the output, in radians per unit of `length`, which
/// is the axis's length in real space. Returns zeros for an axis that is not transformed.
///
/// Errors  those of positions_on(); unsupported if the array has one axis and the plan's output has
///         two (n1 x n2)
std::vector<double> wavenumbers_on(const Plan& plan, std::int64_t rank, int axis, double length);

}  // namespace weft
