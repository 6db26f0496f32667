// Transforms a plane wave on all ranks, in C++. Only one element of its spectrum is not zero. One
// rank owns this element.
//   mpiexec -n 4 ./fft
#include <weft/weft.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

using Complex = std::complex<double>;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0;
  {
    const weft::Shape shape{24, 20, 16};
    const weft::Shape wave{3, 17, 5};  // of 20 points, index 17 is the wavenumber -3
    weft::Fft<double> fft({.shape = shape, .comm = MPI_COMM_WORLD, .norm = weft::Norm::forward});
    if (fft.rank() == 0) std::printf("%s", fft.explain().c_str());

    // Each rank fills its own box. i, j and k are indices of the whole array.
    const weft::Box box = fft.input_box();
    std::vector<Complex> x(fft.input_elements());
    std::size_t at = 0;
    for (std::int64_t i = box.lower[0]; i < box.upper[0]; ++i)
      for (std::int64_t j = box.lower[1]; j < box.upper[1]; ++j)
        for (std::int64_t k = box.lower[2]; k < box.upper[2]; ++k) {
          const double turns =
              double(i * wave[0]) / 24 + double(j * wave[1]) / 20 + double(k * wave[2]) / 16;
          x[at++] = std::polar(2.5, 2 * std::numbers::pi * turns);
        }

    std::vector<Complex> spectrum(fft.output_elements());
    fft.forward(x.data(), spectrum.data());

    const weft::Box owned = fft.output_box();
    const weft::Shape strides = fft.output().strides(fft.rank());
    for (std::int64_t i = owned.lower[0]; i < owned.upper[0]; ++i)
      for (std::int64_t j = owned.lower[1]; j < owned.upper[1]; ++j)
        for (std::int64_t k = owned.lower[2]; k < owned.upper[2]; ++k) {
          const Complex value =
              spectrum[(i - owned.lower[0]) * strides[0] + (j - owned.lower[1]) * strides[1] +
                       (k - owned.lower[2]) * strides[2]];
          const bool here = weft::Shape{i, j, k} == wave;
          if (here)
            std::printf("rank %d owns the wave: amplitude %.12f\n", fft.rank(), value.real());
          if (std::abs(value - (here ? 2.5 : 0.0)) > 1e-12) ++wrong;
        }
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
