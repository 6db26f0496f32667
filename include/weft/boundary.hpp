#pragma once

namespace weft {

/// The condition on a field u at an end of an axis.
///   periodic   the axis continues at its other end
///   dirichlet  u is 0 at the wall
///   neumann    u has no slope at the wall
///   open       no wall: u decays as in free space
enum class Boundary { periodic, dirichlet, neumann, open };

/// The conditions at both ends of an axis. A single condition holds at both ends.
struct AxisEnds {
  AxisEnds(Boundary both) : lower(both), upper(both) {}  // NOLINT(google-explicit-constructor)
  AxisEnds(Boundary at_lower, Boundary at_upper) : lower(at_lower), upper(at_upper) {}
  friend bool operator==(const AxisEnds&, const AxisEnds&) = default;

  Boundary lower;
  Boundary upper;
};

/// The positions of the n points of an axis of length L between walls; h is their distance.
/// Periodic and open axes ignore this choice and have h = L/n.
///   cells  the middles of n cells: h = L/n
///   nodes  multiples of h. A Neumann wall is one of the points; a Dirichlet wall is not, because u
///          is 0 there. h is L/(n+1) between two Dirichlet walls, L/(n-1) between two Neumann
///          walls, and otherwise L/n
enum class GridPoints { cells, nodes };

/// The order of a solution.
///   spectral  exact for the modes of the grid
///   second    exact for the equation with centred differences, which are of second order in h
enum class PoissonOrder { spectral, second };

const char* to_string(Boundary);
const char* to_string(GridPoints);
const char* to_string(PoissonOrder);

}  // namespace weft
