// Poisson's equation in a channel on all ranks, in C++: walls at both ends of x, periodic along
// y and z.
//   mpiexec -n 4 ./poisson
#include <weft/weft.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double worst = 0;
  {
    const weft::Shape shape{33, 24, 20};
    weft::PoissonSolver<double> solver(
        {.shape = shape,
         .boundary = {weft::Boundary::dirichlet, weft::Boundary::periodic,
                      weft::Boundary::periodic},
         .points = weft::GridPoints::cells,
         .comm = MPI_COMM_WORLD});
    if (solver.rank() == 0) std::printf("%s", solver.explain().c_str());

    // Each rank fills its own box; u is zero at the walls x = 0 and x = 1.
    constexpr double pi = std::numbers::pi;
    const weft::Box box = solver.layout().box(solver.rank());
    std::vector<double> wanted;
    for (std::int64_t i = box.lower[0]; i < box.upper[0]; ++i)
      for (std::int64_t j = box.lower[1]; j < box.upper[1]; ++j)
        for (std::int64_t k = box.lower[2]; k < box.upper[2]; ++k)
          wanted.push_back(std::sin(pi * (double(i) + 0.5) / 33) *
                           std::cos(2 * pi * double(j) / 24) * std::sin(4 * pi * double(k) / 20));
    std::vector<double> u = wanted;
    for (double& each : u) each *= -(1 + 4 + 16) * pi * pi;  // now u has rho

    solver.solve(u.data(), u.data());
    for (std::size_t i = 0; i < u.size(); ++i) worst = std::max(worst, std::abs(u[i] - wanted[i]));
    std::printf("rank %d: error %.1e\n", solver.rank(), worst);
  }
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return worst < 1e-13 ? 0 : 1;
}
