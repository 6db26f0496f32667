#ifndef WEFT_POISSON_H
#define WEFT_POISSON_H

// Poisson's equation, in C. weft/weft.h includes this.

#include <mpi.h>

#include <stdint.h>

#include "weft/weft.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The condition on a field at an end of an axis, the points of an axis, and the order of a
/// solution: see weft/boundary.hpp.
enum weft_boundary { WEFT_PERIODIC = 0, WEFT_DIRICHLET = 1, WEFT_NEUMANN = 2, WEFT_OPEN = 3 };
enum weft_points { WEFT_CELLS = 0, WEFT_NODES = 1 };
enum weft_poisson_order { WEFT_SPECTRAL = 0, WEFT_SECOND_ORDER = 1 };

/// A solver of Poisson's equation. Freed by weft_poisson_destroy.
typedef struct weft_poisson weft_poisson;

/// The options of a Poisson solver. Begin with zeros; then set dims, shape and precision.
typedef struct weft_poisson_options {
  int dims;
  const int64_t* shape;  ///< points of the whole array
  /// Two values of weft_boundary for each axis: its lower and its upper end. NULL: all periodic.
  const int* boundary;
  const double* lengths;      ///< of the box, between the walls, one for each axis; NULL: all 1
  int points;                 ///< of weft_points
  int order;                  ///< of weft_poisson_order
  int element;                ///< of weft_element; automatic: real
  int precision;              ///< of weft_precision
  int threads;                ///< OpenMP threads of this rank; 0: 1
  int reserved[3];            ///< 0
  const weft_layout* layout;  ///< of rho and u; NULL: a slab
} weft_poisson_options;

/// Plans a solver of laplacian(u) = rho and prepares it, as weft::PoissonSolver does.
///
/// Collective  over `comm`; MPI_COMM_NULL is this process alone, without MPI. All ranks succeed, or
///             all fail with the same code and message. The options are not needed afterwards.
/// Errors      those of weft_fft_create.
int weft_poisson_create(const weft_poisson_options* options, MPI_Comm comm, weft_poisson** solver);
/// Frees a solver. Local. May be called at any time, also after MPI_Finalize. NULL is fine.
void weft_poisson_destroy(weft_poisson* solver);
/// Solves for u, which may be rho. `mean` receives the mean of rho that was subtracted: the real
/// and the imaginary part. Both are 0 if the solution is unique. `mean` may be NULL. Collective.
/// NULL is valid for the arrays of an empty box.
int weft_poisson_solve(weft_poisson* solver, const void* rho, void* u, double mean[2]);
/// The layout of rho and u. Free it with weft_layout_destroy.
int weft_poisson_layout(const weft_poisson* solver, weft_layout** layout);
/// Memory of the solver in addition to the caller's arrays, on this rank.
int weft_poisson_workspace_bytes(const weft_poisson* solver, int64_t* bytes);
/// Describes the stages and exchanges of a solution. Free it with weft_free. Local.
int weft_poisson_explain(const weft_poisson* solver, char** text);

#ifdef __cplusplus
}
#endif

#endif
