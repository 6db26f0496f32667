#pragma once

// Leaves out MPI's old C++ bindings. A program with them would need another library.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/boundary.hpp"
#include "weft/kind.hpp"
#include "weft/layout.hpp"

namespace weft {

namespace api {
class PoissonHandle;
}

/// Options of a Poisson solver, for designated initialisers.
struct PoissonOptions {
  Shape shape;  ///< points of the whole array
  /// The conditions: one element for all axes, or one for each axis. Open boundaries must be on all
  /// axes, and the array then has 1 to 3 axes.
  std::vector<AxisEnds> boundary = {Boundary::periodic};
  GridPoints points = GridPoints::cells;
  /// The lengths of the box, between the walls: one for all axes, or one for each.
  std::vector<double> lengths = {1.0};
  /// With open boundaries, `second` is a convolution on a doubled grid with the potential of a
  /// point charge. `spectral` uses a truncated kernel. It needs three axes, and a smooth rho that
  /// is zero near the ends. Along each axis, its grid is padded to the length of the box plus the
  /// diagonal of the box.
  PoissonOrder order = PoissonOrder::spectral;
  Element element = Element::real;    ///< of rho and u; complex: solves for both parts
  MPI_Comm comm = MPI_COMM_NULL;      ///< MPI_COMM_NULL: this process alone, without MPI
  std::optional<Layout> layout = {};  ///< of rho and u; absent: a slab
  int threads = 1;                    ///< OpenMP threads of this rank
};

/// Solves laplacian(u) = rho on a box, for many rho on one grid.
///
/// Shapes      rho and u of a rank are layout().box(rank) of the whole arrays, dense, in the
///             layout's memory order.
/// Mean        if every end is periodic or Neumann, a solution exists only for a rho of mean 0, and
///             a constant may be added to u. solve() subtracts the mean of rho and returns it. The
///             mean of u is 0.
/// Memory      rho is unchanged unless u is the same array. workspace_bytes() includes the factors
///             of open boundaries.
/// Collective  construction and solve(), over the communicator. All ranks succeed or all throw the
///             same Error. Destruction is local and safe at any time.
/// Threads     as Fft.
/// Errors      invalid_argument for conditions that do not fit; disagreement (ranks gave different
///             options); those of Fft.
/// Cost        a transform forward and backward. The factors are applied while lines are in cache.
///             An array of one axis is gathered and solved on one rank.
/// Sources     Swarztrauber 1977 for walls; Hockney and Eastwood 1988 for open boundaries of second
///             order; Vico, Greengard and Ferrando 2016 for those of spectral order.
template <class T>
class PoissonSolver {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> ||
                    std::is_same_v<T, long double>,
                "weft::PoissonSolver is made for float, double and long double");

 public:
  explicit PoissonSolver(const PoissonOptions& options);

  /// Solves for u. Returns the mean of rho that was subtracted, or 0. u may be rho. Null is valid
  /// for an empty box.
  double solve(const T* rho, T* u);
  std::complex<double> solve(const std::complex<T>* rho, std::complex<T>* u);

  int rank() const;
  /// The layout of rho and u.
  const Layout& layout() const;
  std::int64_t workspace_bytes() const;
  /// Describes the stages and exchanges of solve(). Predicted times are included if a model of a
  /// machine planned them.
  std::string explain() const;

 private:
  std::shared_ptr<api::PoissonHandle> handle_;
};

extern template class PoissonSolver<float>;
extern template class PoissonSolver<double>;
extern template class PoissonSolver<long double>;

}  // namespace weft
