#include <complex>

#include "api/c_support.hpp"
#include "api/poisson.hpp"
#include "comm/from_mpi.hpp"

struct weft_poisson {
  weft::api::PoissonHandle handle;
};

namespace weft::api {
namespace {

static_assert(agree<Boundary>({{WEFT_PERIODIC, Boundary::periodic},
                               {WEFT_DIRICHLET, Boundary::dirichlet},
                               {WEFT_NEUMANN, Boundary::neumann},
                               {WEFT_OPEN, Boundary::open}}));
static_assert(agree<GridPoints>({{WEFT_CELLS, GridPoints::cells},
                                 {WEFT_NODES, GridPoints::nodes}}));
static_assert(agree<PoissonOrder>({{WEFT_SPECTRAL, PoissonOrder::spectral},
                                   {WEFT_SECOND_ORDER, PoissonOrder::second}}));

AxisEnds ends_from(const int* values) {
  AxisEnds ends(Boundary::periodic);
  set_enum(ends.lower, values[0], "boundary");
  set_enum(ends.upper, values[1], "boundary");
  return ends;
}

PoissonProblem problem_from(const weft_poisson_options* options) {
  require(options, "options");
  require_unused(options->reserved, "weft_poisson_options");
  const int dims = options->dims;
  PoissonProblem problem;
  problem.shape = shape_from(dims, options->shape, "shape");
  problem.boundary = {Boundary::periodic};
  problem.lengths = {1.0};
  if (options->boundary != nullptr) problem.boundary.clear();
  if (options->lengths != nullptr)
    problem.lengths.assign(options->lengths, options->lengths + dims);
  for (int axis = 0; options->boundary != nullptr && axis < dims; ++axis)
    problem.boundary.push_back(ends_from(options->boundary + std::ptrdiff_t{2} * axis));
  set_enum(problem.points, options->points, "points");
  set_enum(problem.order, options->order, "order");
  set_enum(problem.element, options->element, "element");
  set_enum(problem.precision, options->precision, "precision");
  if (options->threads != 0) problem.threads = options->threads;
  if (options->layout != nullptr) problem.layout = options->layout->value;
  return problem;
}

}  // namespace
}  // namespace weft::api

using namespace weft::api;

int weft_poisson_create(const weft_poisson_options* options, MPI_Comm comm, weft_poisson** solver) {
  return guarded([&] {
    const auto group = weft::comm::communicator_or_solo(comm);
    weft::PoissonProblem problem;
    const auto mine = error_of([&] {
      require(solver, "solver");
      problem = problem_from(options);
    });
    *solver = new weft_poisson{{problem, group, mine}};
  });
}

void weft_poisson_destroy(weft_poisson* solver) { delete solver; }

int weft_poisson_solve(weft_poisson* solver, const void* rho, void* u, double mean[2]) {
  return guarded([&] {
    require(solver, "solver");
    const std::complex<double> removed = solver->handle.solve(rho, u);
    if (mean == nullptr) return;
    mean[0] = removed.real();
    mean[1] = removed.imag();
  });
}

int weft_poisson_layout(const weft_poisson* solver, weft_layout** layout) {
  return guarded([&] {
    require(solver, "solver");
    require(layout, "layout");
    give_layout(solver->handle.layout(), layout);
  });
}

int weft_poisson_workspace_bytes(const weft_poisson* solver, int64_t* bytes) {
  return guarded([&] {
    require(solver, "solver");
    require(bytes, "bytes");
    *bytes = solver->handle.workspace_bytes();
  });
}

int weft_poisson_explain(const weft_poisson* solver, char** text) {
  return guarded([&] {
    require(solver, "solver");
    require(text, "text");
    give_text(solver->handle.explain(), text);
  });
}
