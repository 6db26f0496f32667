// Poisson solvers, compared with difference equations, modes between walls, and sums over charges.
#include <weft/weft.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <weft/poisson.hpp>

#include "mpi/support/c_interface_check.hpp"
#include "mpi/support/same_error.hpp"

namespace weft::test_support {
namespace {

using std::numbers::pi;

/// Returns the real part of an element of noise as a double.
template <class E>
struct RealsOf {
  using Type = E;
};
template <class T>
struct RealsOf<std::complex<T>> {
  using Type = T;
};

/// The whole arrays of a solved problem in C order. Empty on all ranks but rank 0.
struct Solved {
  std::vector<std::complex<double>> rho;
  std::vector<std::complex<double>> u;
  std::complex<double> mean;
};

template <class E>
std::vector<std::complex<double>> gathered(const std::vector<E>& mine, const Layout& layout) {
  std::vector<E> whole(static_cast<std::size_t>(rank_of(world) == 0 ? volume(layout.shape()) : 0));
  gather(mine.data(), layout, whole.data(), sizeof(E), world);
  std::vector<std::complex<double>> result;
  for (const E& each : whole) {
    if constexpr (reals_of<E> == 2)
      result.emplace_back(static_cast<double>(each.real()), static_cast<double>(each.imag()));
    else
      result.emplace_back(static_cast<double>(each));
  }
  return result;
}

/// Solves for noise on all ranks, in place or not.
template <class E>
Solved solved(PoissonOptions options, bool in_place = false) {
  using T = typename RealsOf<E>::Type;
  options.comm = world;
  options.element = reals_of<E> == 2 ? Element::complex : Element::real;
  PoissonSolver<T> solver(options);
  const Layout& layout = solver.layout();
  const LocalView view{layout.box(solver.rank()), layout.strides(solver.rank())};
  std::vector<E> rho(static_cast<std::size_t>(layout.local_volume(solver.rank())));
  fill_noise(reinterpret_cast<T*>(rho.data()), reals_of<E>, layout.shape(), view, 5);
  Solved result;
  result.rho = gathered(rho, layout);
  std::vector<E> u(in_place ? 0 : rho.size());
  std::vector<E>& target = in_place ? rho : u;
  result.mean = solver.solve(rho.data(), target.data());
  result.u = gathered(target, layout);
  return result;
}

/// The neighbour of a point below (step -1) or above it. At an end of the axis, the boundary
/// condition replaces it by a point inside, with a sign or 0.
struct Neighbour {
  std::int64_t index;
  double sign;
};

Neighbour neighbour(std::int64_t i, int step, std::int64_t n, const AxisEnds& ends,
                    GridPoints points) {
  const std::int64_t next = i + step;
  if (next >= 0 && next < n) return {next, 1};
  const Boundary wall = step < 0 ? ends.lower : ends.upper;
  if (wall == Boundary::periodic) return {(next + n) % n, 1};
  if (points == GridPoints::cells) return {i, wall == Boundary::neumann ? 1.0 : -1.0};
  // Nodes: a Neumann wall is at point i, so the neighbour is the mirror image i - step. A Dirichlet
  // wall is at `next`, where u is 0.
  if (wall == Boundary::neumann) return {i - step, 1};
  return {i, 0};
}

/// Returns the weight of a point in the mean. A node on a Neumann wall counts half.
double weight(std::int64_t i, std::int64_t n, const AxisEnds& ends, GridPoints points) {
  const bool is_at_wall = (i == 0 && ends.lower == Boundary::neumann) ||
                          (i == n - 1 && ends.upper == Boundary::neumann);
  return is_at_wall && points == GridPoints::nodes ? 0.5 : 1;
}

/// Expects the equations of centred differences to hold on an array of two axes, and the solver's
/// mean to be the weighted mean.
void expect_differences(const Solved& found, const PoissonOptions& options,
                        const std::array<double, 2>& steps, bool has_mean, double tolerance) {
  if (rank_of(world) != 0) return;
  const std::int64_t rows = options.shape[0];
  const std::int64_t columns = options.shape[1];
  const auto value = [&](std::int64_t i, std::int64_t j) {
    return found.u[static_cast<std::size_t>(i * columns + j)];
  };
  std::complex<double> sum = 0;
  double weights = 0;
  double worst = 0;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::complex<double> rho = found.rho[static_cast<std::size_t>(i * columns + j)];
      const double w = weight(i, rows, options.boundary[0], options.points) *
                       weight(j, columns, options.boundary[1], options.points);
      sum += w * rho;
      weights += w;
      std::complex<double> laplacian =
          -2.0 * value(i, j) * (1 / (steps[0] * steps[0]) + 1 / (steps[1] * steps[1]));
      for (const int step : {-1, 1}) {
        const Neighbour a = neighbour(i, step, rows, options.boundary[0], options.points);
        const Neighbour b = neighbour(j, step, columns, options.boundary[1], options.points);
        laplacian += a.sign * value(a.index, j) / (steps[0] * steps[0]) +
                     b.sign * value(i, b.index) / (steps[1] * steps[1]);
      }
      const double error = std::abs(laplacian - (rho - found.mean));
      worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    }
  EXPECT_LE(worst, tolerance);
  EXPECT_LE(std::abs(found.mean - (has_mean ? sum / weights : 0.0)), tolerance);
}

double step_of(double length, std::int64_t n, const AxisEnds& ends, GridPoints points) {
  if (points == GridPoints::cells || ends.lower == Boundary::periodic)
    return length / static_cast<double>(n);
  const int walls =
      (ends.lower == Boundary::dirichlet ? 1 : -1) + (ends.upper == Boundary::dirichlet ? 1 : -1);
  return length / static_cast<double>(n + walls / 2);
}

template <class E>
void expect_each_wall(double tolerance) {
  using enum Boundary;
  for (const GridPoints points : {GridPoints::cells, GridPoints::nodes})
    for (const AxisEnds ends : {AxisEnds(periodic), AxisEnds(dirichlet), AxisEnds(neumann),
                                AxisEnds(dirichlet, neumann), AxisEnds(neumann, dirichlet)})
      for (const AxisEnds other : {AxisEnds(periodic), AxisEnds(neumann)}) {
        const PoissonOptions options{.shape = {9, 7},
                                     .boundary = {ends, other},
                                     .points = points,
                                     .lengths = {2.0, 1.5},
                                     .order = PoissonOrder::second};
        SCOPED_TRACE(std::string(to_string(ends.lower)) + " " + to_string(ends.upper) + ", " +
                     to_string(other.lower) + ", " + to_string(points));
        const bool has_mean = ends.lower != dirichlet && ends.upper != dirichlet;
        expect_differences(solved<E>(options, points == GridPoints::nodes), options,
                           {step_of(2.0, 9, ends, points), step_of(1.5, 7, other, points)},
                           has_mean, tolerance);
      }
}

TEST(Poisson, SecondOrderSolvesTheEquationsOfDifferences) {
  expect_each_wall<double>(1e-12);
  expect_each_wall<std::complex<double>>(1e-12);
  expect_each_wall<float>(2e-4);
  expect_each_wall<std::complex<float>>(2e-4);
  expect_each_wall<long double>(1e-12);  // the expected sums are in double precision
}

TEST(Poisson, SpectralSolutionsAreExactForModes) {
  const PoissonOptions options{
      .shape = {10, 12, 9},
      .boundary = {Boundary::dirichlet, Boundary::periodic, Boundary::neumann},
      .lengths = {2.0, 1.0, 3.0},
      .comm = world};
  PoissonSolver<double> solver(options);
  const Layout& layout = solver.layout();
  std::vector<double> rho(static_cast<std::size_t>(layout.local_volume(solver.rank())));
  std::vector<double> wanted = rho;
  const double square = pi * pi / 4 + 4 * pi * pi + 4 * pi * pi / 9;
  for_each_local(layout.shape(), {layout.box(solver.rank()), layout.strides(solver.rank())},
                 [&](std::int64_t whole, std::int64_t local) {
                   const double x = (static_cast<double>(whole / 108) + 0.5) / 10;
                   const double y = static_cast<double>(whole / 9 % 12) / 12;
                   const double z = (static_cast<double>(whole % 9) + 0.5) / 9;
                   const auto at = static_cast<std::size_t>(local);
                   wanted[at] = std::sin(pi * x) * std::cos(2 * pi * y) * std::cos(2 * pi * z);
                   rho[at] = -square * wanted[at];
                 });
  EXPECT_EQ(solver.solve(rho.data(), rho.data()), 0);
  for (std::size_t i = 0; i < rho.size(); ++i) EXPECT_NEAR(rho[i], wanted[i], 1e-14);
  EXPECT_NE(solver.explain().find("dst2, r2c, dct2 of 10x12x9, divided by -|k|^2\n"),
            std::string::npos)
      << solver.explain();
  EXPECT_GT(solver.workspace_bytes(), 0);
}

/// Returns the potential of a unit charge at a distance, in one to three dimensions.
double potential(double r, std::size_t dims) {
  if (dims == 1) return r / 2;
  return dims == 2 ? std::log(r) / (2 * pi) : -1 / (4 * pi * r);
}

/// Returns the mean of the potential over a cell of side h around the charge, by the midpoint rule
/// of n^dims points. In three dimensions the singularity is integrated over a ball of the same
/// centre.
double mean_potential(double h, std::size_t dims) {
  if (dims == 1) return 0;  // the potential at the charge is finite, and weft uses its value
  if (dims == 3) return -2.380077363979119 / (4 * pi * h);  // the mean of 1/r over a unit cube
  const int n = 1500;
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      sum += potential(h * std::hypot((i + 0.5) / n - 0.5, (j + 0.5) / n - 0.5), 2);
  return sum / (double{n} * n);
}

TEST(Poisson, OpenBoundariesOfSecondOrderSumOverCharges) {
  for (const Shape& shape : {Shape{13}, Shape{7, 6}, Shape{5, 6, 4}}) {
    const double h = 0.3;
    PoissonOptions options{
        .shape = shape, .boundary = {Boundary::open}, .lengths = {}, .order = PoissonOrder::second};
    for (const std::int64_t n : shape) options.lengths.push_back(h * static_cast<double>(n));
    const double self = mean_potential(h, shape.size());
    const double cell = std::pow(h, shape.size());
    for (const Solved& found :
         {solved<double>(options), solved<std::complex<double>>(options, true)}) {
      EXPECT_EQ(found.mean, 0.0);
      if (rank_of(world) != 0) continue;
      const Shape strides = dense_strides(shape, shape.size() == 1   ? std::vector{0}
                                                 : shape.size() == 2 ? std::vector{0, 1}
                                                                     : std::vector{0, 1, 2});
      for (std::size_t i = 0; i < found.u.size(); ++i) {
        std::complex<double> sum = 0;
        for (std::size_t j = 0; j < found.rho.size(); ++j) {
          double square = 0;
          for (std::size_t a = 0; a < shape.size(); ++a) {
            const auto from = static_cast<std::int64_t>(i) / strides[a] % shape[a];
            const auto to = static_cast<std::int64_t>(j) / strides[a] % shape[a];
            square += h * h * static_cast<double>((from - to) * (from - to));
          }
          sum += cell * found.rho[j] * (i == j ? self : potential(std::sqrt(square), shape.size()));
        }
        EXPECT_LE(std::abs(found.u[i] - sum), shape.size() == 2 ? 1e-7 : 1e-13) << "point " << i;
      }
    }
  }
}

TEST(Poisson, OpenBoundariesOfSpectralOrderMatchAGaussianCharge) {
  // The potential of a Gaussian charge is an error function.
  const std::int64_t n = 32;
  const double sigma = 0.07;
  PoissonSolver<double> solver(
      {.shape = {n, n, n}, .boundary = {Boundary::open}, .lengths = {1.0}, .comm = world});
  const Layout& layout = solver.layout();
  std::vector<double> rho(static_cast<std::size_t>(layout.local_volume(solver.rank())));
  std::vector<double> wanted = rho;
  for_each_local(layout.shape(), {layout.box(solver.rank()), layout.strides(solver.rank())},
                 [&](std::int64_t whole, std::int64_t local) {
                   double square = 0;
                   for (const std::int64_t i : {whole / (n * n), whole / n % n, whole % n}) {
                     const double x = static_cast<double>(i) / n - 0.5;
                     square += x * x;
                   }
                   const double r = std::sqrt(square);
                   const auto at = static_cast<std::size_t>(local);
                   rho[at] = std::exp(-square / (2 * sigma * sigma)) /
                             std::pow(2 * pi * sigma * sigma, 1.5);
                   wanted[at] = r == 0 ? -1 / (4 * pi) * std::sqrt(2 / pi) / sigma
                                       : -std::erf(r / (std::sqrt(2.0) * sigma)) / (4 * pi * r);
                 });
  std::vector<double> u(rho.size());
  solver.solve(rho.data(), u.data());
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i], wanted[i], 1e-9);
}

/// Expects the solution for a wave on one axis of n points.
template <class E>
void expect_wave_on_a_line(std::int64_t n, PoissonOrder order) {
  using T = typename RealsOf<E>::Type;
  PoissonSolver<T> solver({.shape = {n},
                           .order = order,
                           .element = reals_of<E> == 2 ? Element::complex : Element::real,
                           .comm = world});
  SCOPED_TRACE(solver.explain());
  ASSERT_EQ(solver.layout().shape(), Shape{n});
  const std::int64_t first = solver.layout().box(solver.rank()).lower[0];
  std::vector<E> rho(static_cast<std::size_t>(solver.layout().local_volume(solver.rank())));
  std::vector<E> u = rho;
  const double h = 1 / static_cast<double>(n);
  const double wave = order == PoissonOrder::second ? 2 / h * std::sin(pi * h) : 2 * pi;
  const auto exact = [&](std::size_t i) {
    return std::cos(2 * pi * h * static_cast<double>(first + static_cast<std::int64_t>(i)));
  };
  for (std::size_t i = 0; i < rho.size(); ++i)
    rho[i] = static_cast<E>(static_cast<T>(3 - wave * wave * exact(i)));
  const std::complex<double> mean = solver.solve(rho.data(), u.data());
  const double rounding = static_cast<double>(std::numeric_limits<T>::epsilon()) * 100;
  EXPECT_LE(std::abs(mean - 3.0), rounding);
  double worst = 0;
  for (std::size_t i = 0; i < u.size(); ++i)
    worst = std::max(worst, std::abs(std::complex<double>(u[i]) - exact(i)));
  EXPECT_LE(worst, rounding);
}

/// Transforms of these lines are divided: among ranks, or on one rank because they are long.
TEST(Poisson, SolvesOnLinesThatTransformsDivide) {
  std::vector<std::int64_t> points{64, 1009};
  if (size_of(world) == 1) points = {1 << 18, 1 << 20};
  for (const std::int64_t n : points) {
    expect_wave_on_a_line<float>(n, PoissonOrder::spectral);
    expect_wave_on_a_line<double>(n, PoissonOrder::second);
    expect_wave_on_a_line<std::complex<float>>(n, PoissonOrder::second);
    expect_wave_on_a_line<std::complex<double>>(n, PoissonOrder::spectral);
  }
}

TEST(Poisson, DifferentArgumentsOnRanksAreRefused) {
  const int rank = rank_of(world);
  if (size_of(world) == 1) return;
  const bool is_last = rank == size_of(world) - 1;
  const auto with = [&](const PoissonOptions& options) { PoissonSolver<double> solver(options); };
  expect_same_error(world, ErrorCode::disagreement, {"weft::PoissonSolver", "lengths"}, [&] {
    with({.shape = {8, 6}, .lengths = {is_last ? 2.0 : 1.0}, .comm = world});
  });
  expect_same_error(world, ErrorCode::disagreement, {"order"}, [&] {
    with({.shape = {8, 6},
          .order = is_last ? PoissonOrder::second : PoissonOrder::spectral,
          .comm = world});
  });
  expect_same_error(world, ErrorCode::invalid_argument, {"rank ", "at least 1; given 0x6"}, [&] {
    with({.shape = {is_last ? 0 : 8, 6}, .comm = world});
  });
  PoissonSolver<double> solver({.shape = {8, 6}, .comm = world});
  std::vector<double> rho(48);
  std::vector<std::complex<double>> complex(48);
  expect_same_error(world, ErrorCode::invalid_argument, {"solver's numbers, real; given complex"},
                    [&] {
                      if (is_last)
                        solver.solve(complex.data(), complex.data());
                      else
                        solver.solve(rho.data(), rho.data());
                    });
}

weft_poisson_options c_options(const std::int64_t* shape, int dims) {
  weft_poisson_options options{};
  options.dims = dims;
  options.shape = shape;
  options.precision = WEFT_F64;
  return options;
}

TEST(Poisson, TheCInterfaceGivesTheSameBits) {
  const std::int64_t shape[] = {9, 7};
  const int boundary[] = {WEFT_NEUMANN, WEFT_NEUMANN, WEFT_PERIODIC, WEFT_PERIODIC};
  const double lengths[] = {2.0, 1.5};
  weft_poisson_options options = c_options(shape, 2);
  options.boundary = boundary;
  options.lengths = lengths;
  options.points = WEFT_NODES;
  options.order = WEFT_SECOND_ORDER;
  weft_poisson* solver = nullptr;
  ASSERT_EQ(weft_poisson_create(&options, world, &solver), WEFT_OK) << weft_last_error();
  weft_layout* layout = nullptr;
  ASSERT_EQ(weft_poisson_layout(solver, &layout), WEFT_OK);
  std::int64_t bytes = 0;
  EXPECT_EQ(weft_poisson_workspace_bytes(solver, &bytes), WEFT_OK);
  EXPECT_GT(bytes, 0);
  char* text = nullptr;
  ASSERT_EQ(weft_poisson_explain(solver, &text), WEFT_OK);
  EXPECT_NE(taken(text).find("dct1, r2c of 9x7, divided by -|k|^2 of centred differences"),
            std::string::npos);

  PoissonSolver<double> same({.shape = {9, 7},
                              .boundary = {Boundary::neumann, Boundary::periodic},
                              .points = GridPoints::nodes,
                              .lengths = {2.0, 1.5},
                              .order = PoissonOrder::second,
                              .comm = world});
  std::vector<double> rho(static_cast<std::size_t>(same.layout().local_volume(same.rank())));
  fill_noise(rho.data(), 1, same.layout().shape(),
             {same.layout().box(same.rank()), same.layout().strides(same.rank())}, 6);
  std::vector<double> u(rho.size());
  std::vector<double> wanted(rho.size());
  double mean[2] = {7, 7};
  ASSERT_EQ(weft_poisson_solve(solver, rho.data(), u.data(), mean), WEFT_OK) << weft_last_error();
  const double wanted_mean = same.solve(rho.data(), wanted.data());
  EXPECT_EQ(u, wanted);
  EXPECT_EQ(mean[0], wanted_mean);
  EXPECT_NE(mean[0], 0);
  EXPECT_EQ(mean[1], 0);
  EXPECT_EQ(weft_poisson_solve(solver, rho.data(), u.data(), nullptr), WEFT_OK);
  weft_layout_destroy(layout);
  weft_poisson_destroy(solver);
}

TEST(Poisson, TheCInterfaceRefusesWrongArguments) {
  const std::int64_t shape[] = {9, 7};
  const int wrong[] = {WEFT_PERIODIC, 4, WEFT_PERIODIC, WEFT_PERIODIC};
  weft_poisson* solver = nullptr;
  const auto refused = [&](const auto& change, const char* words) {
    weft_poisson_options options = c_options(shape, 2);
    change(options);
    EXPECT_EQ(weft_poisson_create(&options, world, &solver), WEFT_INVALID_ARGUMENT);
    EXPECT_NE(std::string(weft_last_error()).find(words), std::string::npos) << weft_last_error();
    EXPECT_EQ(solver, nullptr);
  };
  refused([&](auto& o) { o.boundary = wrong; }, "boundary must be one of its enum, 0..3; given 4");
  refused([](auto& o) { o.points = 2; }, "points must be one of its enum");
  refused([](auto& o) { o.order = -1; }, "order must be one of its enum");
  refused([](auto& o) { o.dims = 9; }, "1 to 8 axes");
  refused([](auto& o) { o.shape = nullptr; }, "shape");
  refused([](auto& o) { o.reserved[1] = 1; }, "reserved space");
  refused([](auto& o) { o.threads = -1; }, "threads");
  EXPECT_EQ(weft_poisson_create(nullptr, world, &solver), WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(weft_poisson_solve(nullptr, nullptr, nullptr, nullptr), WEFT_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace weft::test_support
