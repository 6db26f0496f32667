// Times work in cache against the same by calls of the transform, on one node.
//
//   mpicxx -std=c++20 -O3 -march=native -fopenmp -Iinclude bench/round_trips.cpp -o build/round_trips \
//     -Lbuild/openmpi -Wl,-rpath,$PWD/build/openmpi -lweft -lfftw3_mpi -lfftw3_omp -lfftw3 -ldl -luring
//   mpiexec -n RANKS build/round_trips THREADS REPETITIONS [N]
//
// Prints one line of JSON for each case: median seconds of each way, all ways in turn. The grid has N^3 points,
// 256^3 unless N is given.
//   inverse-laplacian  r2c: forward, division by -k^2, backward. FFTW keeps its transposed order in the middle.
//   cross-product      apply_in_space of 6 spectra to 3, with 2/3 of the modes
//   open-poisson       support N/2 of a doubled grid, against the padded grid
#include <fftw3-mpi.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <weft/weft.hpp>

namespace {

using Complex = std::complex<double>;
using Reals = std::vector<double>;
using Spectrum = std::vector<Complex>;

struct Way {
  std::string name;
  std::function<void()> run;
};

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Runs all ways in turn; rank 0 prints their medians.
void compare(const std::string& name, const std::vector<Way>& ways, int repetitions) {
  std::vector<std::vector<double>> times(ways.size());
  for (int r = -2; r < repetitions; ++r)
    for (std::size_t i = 0; i < ways.size(); ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      ways[i].run();
      double mine = MPI_Wtime() - start;
      double slowest = 0;
      MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (r >= 0) times[i].push_back(slowest);
    }
  if (rank_of_world() != 0) return;
  std::printf("{\"case\": \"%s\"", name.c_str());
  for (std::size_t i = 0; i < ways.size(); ++i) {
    auto& t = times[i];
    std::nth_element(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(t.size() / 2), t.end());
    std::printf(", \"%s\": %.6f", ways[i].name.c_str(), t[t.size() / 2]);
  }
  std::printf("}\n");
  std::fflush(stdout);
}

/// Calls visit(start of a row, sum of the squares of its outer wavenumbers, inner ones, their number) for each row.
template <class Visit>
void for_each_row(const weft::Tile& tile, const Visit& visit) {
  const double* const k0 = tile.coordinates[0];
  const double* const k1 = tile.coordinates[1];
  const double* const k2 = tile.coordinates[2];
  const double* const k[3] = {k0, k1, k2};
  int inner = 0;
  for (int axis = 0; axis < 3; ++axis)
    if (tile.strides[axis] == 1) inner = axis;
  const int a = inner == 0 ? 1 : 0;
  const int b = 3 - inner - a;
  for (std::int64_t i = 0; i < tile.extents[a]; ++i)
    for (std::int64_t j = 0; j < tile.extents[b]; ++j)
      visit(i * tile.strides[a] + j * tile.strides[b], k[a][i] * k[a][i] + k[b][j] * k[b][j],
            k[inner], tile.extents[inner]);
}

void invert_laplacian(const weft::Tile& tile) {
  const auto* in = static_cast<const Complex*>(tile.inputs[0]);
  auto* out = static_cast<Complex*>(tile.outputs[0]);
  for_each_row(tile, [&](std::int64_t start, double outer, const double* k, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      const double square = outer + k[i] * k[i];
      const double factor = square > 0 ? -1 / square : 0;
      out[start + i] = factor * in[start + i];
    }
  });
}

void cross(const weft::Tile& tile) {
  const double* in[6];
  double* out[3];
  for (int i = 0; i < 6; ++i) in[i] = static_cast<const double*>(tile.inputs[i]);
  for (int i = 0; i < 3; ++i) out[i] = static_cast<double*>(tile.outputs[i]);
  for_each_row(tile, [&](std::int64_t start, double, const double*, std::int64_t n) {
    for (std::int64_t i = start; i < start + n; ++i) {
      out[0][i] = in[1][i] * in[5][i] - in[2][i] * in[4][i];
      out[1][i] = in[2][i] * in[3][i] - in[0][i] * in[5][i];
      out[2][i] = in[0][i] * in[4][i] - in[1][i] * in[3][i];
    }
  });
}

/// A tile that is a whole local array, for the same functions by calls.
struct WholeTile {
  weft::Shape lower, extents, strides;
  std::vector<std::vector<double>> tables;
  std::vector<const double*> coordinates;
  std::vector<void*> inputs, outputs;
  std::vector<const double*> weights{nullptr, nullptr, nullptr};

  WholeTile(const weft::Layout& layout, int rank, bool in_spectrum) {
    const weft::Box box = layout.box(rank);
    lower = box.lower;
    extents = layout.local_shape(rank);
    strides = layout.strides(rank);
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t m = layout.shape()[static_cast<std::size_t>(axis)];
      std::vector<double> table;
      for (std::int64_t i = box.lower[axis]; i < box.upper[axis]; ++i)
        table.push_back(static_cast<double>(in_spectrum && axis < 2 && 2 * i >= m ? i - m : i));
      tables.push_back(table);
    }
    for (const auto& table : tables) coordinates.push_back(table.data());
  }
  template <class F>
  void call(const F& f, int threads) const {
#pragma omp parallel for num_threads(threads)
    for (std::int64_t i = 0; i < extents[0]; ++i) {
      weft::Shape part = extents;
      part[0] = 1;
      std::vector<const double*> where = coordinates;
      where[0] += i;
      std::vector<void*> in = inputs, out = outputs;
      for (void*& p : in) p = static_cast<char*>(p) + i * strides[0] * element_bytes;
      for (void*& p : out) p = static_cast<char*>(p) + i * strides[0] * element_bytes;
      weft::Tile tile{};
      tile.dims = 3;
      tile.extents = part.data();
      tile.strides = strides.data();
      tile.inputs = in.data();
      tile.outputs = out.data();
      tile.coordinates = where.data();
      tile.weights = weights.data();
      f(tile);
    }
  }
  std::int64_t element_bytes = 16;
};

void fill(Reals& x, int seed) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i) * 0.37 + seed);
}

/// FFTW-MPI's r2c and c2r with the transposed order in between, or with threads on one rank.
class FftwPoisson {
 public:
  FftwPoisson(std::int64_t n, int threads) : n_(n), threads_(threads) {
    fftw_plan_with_nthreads(threads);
    ptrdiff_t n1 = 0, start1 = 0;
    const ptrdiff_t size = fftw_mpi_local_size_3d_transposed(n, n, n / 2 + 1, MPI_COMM_WORLD, &n0_,
                                                             &start0_, &n1, &start1);
    n1_ = n1;
    start1_ = start1;
    real_ = fftw_alloc_real(2 * static_cast<std::size_t>(size));
    complex_ = fftw_alloc_complex(static_cast<std::size_t>(size));
    forward_ = fftw_mpi_plan_dft_r2c_3d(n, n, n, real_, complex_, MPI_COMM_WORLD,
                                        FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
    backward_ = fftw_mpi_plan_dft_c2r_3d(n, n, n, complex_, real_, MPI_COMM_WORLD,
                                         FFTW_MEASURE | FFTW_MPI_TRANSPOSED_IN);
    std::fill_n(real_, 2 * size, 1.0);
  }
  void run() {
    fftw_execute(forward_);
    const auto number = [&](std::int64_t k) {
      return static_cast<double>(2 * k < n_ ? k : k - n_);
    };
#pragma omp parallel for num_threads(threads_)
    for (std::int64_t j = 0; j < n1_; ++j) {
      const double k1 = number(start1_ + j);
      for (std::int64_t i = 0; i < n_; ++i) {
        const double outer = k1 * k1 + number(i) * number(i);
        auto* row = reinterpret_cast<Complex*>(complex_) + (j * n_ + i) * (n_ / 2 + 1);
        for (std::int64_t k = 0; k <= n_ / 2; ++k) {
          const double square = outer + static_cast<double>(k * k);
          row[k] *= square > 0 ? -1 / square : 0;
        }
      }
    }
    fftw_execute(backward_);
  }

 private:
  std::int64_t n_;
  int threads_;
  ptrdiff_t n0_ = 0, start0_ = 0;
  std::int64_t n1_ = 0, start1_ = 0;
  double* real_ = nullptr;
  fftw_complex* complex_ = nullptr;
  fftw_plan forward_ = nullptr;
  fftw_plan backward_ = nullptr;
};

void inverse_laplacian(std::int64_t n, int threads, int repetitions) {
  weft::Fft<double> fft(
      {.shape = {n, n, n}, .kinds = weft::Kind::r2c, .comm = MPI_COMM_WORLD, .threads = threads});
  Reals x(static_cast<std::size_t>(fft.input_elements()));
  Reals y(x.size());
  Spectrum X(static_cast<std::size_t>(fft.output_elements()));
  fill(x, 1);
  const double* in = x.data();
  double* out = y.data();
  const weft::FieldWork work{.function = {invert_laplacian, true}};
  WholeTile whole(fft.output(), fft.rank(), true);
  whole.inputs = {X.data()};
  whole.outputs = {X.data()};
  FftwPoisson fftw(n, threads);
  Reals z(x.size());
  compare("inverse-laplacian",
          {{"apply",
            [&] {
              fft.apply_in_spectrum(work, {&in, 1}, {&out, 1});
            }},
           {"calls",
            [&] {
              fft.forward(x.data(), X.data());
              whole.call(invert_laplacian, threads);
              fft.backward(X.data(), z.data());
            }},
           {"fftw", [&] { fftw.run(); }}},
          repetitions);
  double worst = 0;
  double largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    worst = std::max(worst, std::abs(y[i] - z[i]));
    largest = std::max(largest, std::abs(z[i]));
  }
  if (worst > 1e-12 * largest)
    std::printf("{\"error\": \"apply and calls differ by %g of %g\"}\n", worst, largest);
}

void cross_product(std::int64_t n, int threads, int repetitions) {
  weft::Fft<double> fft({.shape = {n, n, n},
                         .kinds = weft::Kind::r2c,
                         .modes = {weft::two_thirds},
                         .comm = MPI_COMM_WORLD,
                         .threads = threads});
  const auto reals = static_cast<std::size_t>(fft.input_elements());
  const auto modes = static_cast<std::size_t>(fft.output_elements());
  std::vector<Spectrum> u(6, Spectrum(modes)), made(3, Spectrum(modes)), called(3, Spectrum(modes));
  std::vector<Reals> fields(6, Reals(reals)), products(3, Reals(reals));
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < modes; ++j)
      u[i][j] = {std::sin(static_cast<double>(i + j)), std::cos(0.3 * static_cast<double>(j))};
  std::vector<const Complex*> in;
  std::vector<Complex*> out;
  for (auto& a : u) in.push_back(a.data());
  for (auto& a : made) out.push_back(a.data());
  WholeTile whole(fft.input(), fft.rank(), false);
  whole.element_bytes = 8;
  for (auto& a : fields) whole.inputs.push_back(a.data());
  for (auto& a : products) whole.outputs.push_back(a.data());
  const weft::FieldWork work{.function = {cross, false}};
  compare("cross-product",
          {{"apply", [&] { fft.apply_in_space(work, in, out); }},
           {"calls",
            [&] {
              for (std::size_t i = 0; i < 6; ++i) fft.backward(u[i].data(), fields[i].data());
              whole.call(cross, threads);
              for (std::size_t i = 0; i < 3; ++i) fft.forward(products[i].data(), called[i].data());
            }}},
          repetitions);
}

void open_poisson(std::int64_t n, int threads, int repetitions) {
  const weft::FftOptions whole_grid{
      .shape = {n, n, n}, .kinds = weft::Kind::r2c, .comm = MPI_COMM_WORLD, .threads = threads};
  weft::FftOptions half = whole_grid;
  half.support = {n / 2};
  weft::Fft<double> padded(whole_grid);
  weft::Fft<double> fft(half);
  Reals x(static_cast<std::size_t>(fft.input_elements())), y(x.size());
  Reals x2(static_cast<std::size_t>(padded.input_elements())), y2(x2.size());
  fill(x, 1);
  fill(x2, 1);
  const double *in = x.data(), *in2 = x2.data();
  double *out = y.data(), *out2 = y2.data();
  const weft::FieldWork work{.function = {invert_laplacian, true}};
  compare("open-poisson",
          {{"support",
            [&] {
              fft.apply_in_spectrum(work, {&in, 1}, {&out, 1});
            }},
           {"padded",
            [&] {
              padded.apply_in_spectrum(work, {&in2, 1}, {&out2, 1});
            }}},
          repetitions);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 15;
  const std::int64_t n = argc > 3 ? std::atoll(argv[3]) : 256;
  fftw_init_threads();
  fftw_mpi_init();
  inverse_laplacian(n, threads, repetitions);
  cross_product(n, threads, repetitions);
  open_poisson(n, threads, repetitions);
  MPI_Finalize();
}
