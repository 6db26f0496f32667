// Transforms a real plane wave on all ranks, in C. Only one element of its half spectrum is not
// zero. One rank owns this element.
//   mpiexec -n 4 ./fft
#include <weft/weft.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Ends the program at an error. Every call returns an error code; a real program would handle it.
static void check(int code) {
  if (code == WEFT_OK) return;
  fprintf(stderr, "%s: %s\n", weft_error_name(code), weft_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double two_pi = 8 * atan(1.0);
  const int64_t shape[2] = {30, 32}, wave[2] = {4, 7};

  weft_options options;
  check(weft_options_init(&options));
  options.shape = shape;
  options.dims = 2;
  options.kind = WEFT_R2C;
  options.norm = WEFT_NORM_FORWARD;
  weft_fft* fft = NULL;
  check(weft_fft_create(&options, MPI_COMM_WORLD, &fft));

  // The boxes of this rank: of the input, and of the output.
  int rank;
  int64_t lower[2], upper[2], from[2], to[2], elements, spectrum_elements;
  weft_layout *input, *output;
  check(weft_fft_rank(fft, &rank));
  check(weft_fft_input_layout(fft, &input));
  check(weft_fft_output_layout(fft, &output));
  check(weft_layout_box(input, rank, lower, upper));
  check(weft_layout_volume(input, rank, &elements));
  check(weft_layout_box(output, rank, from, to));
  check(weft_layout_volume(output, rank, &spectrum_elements));

  double* x = malloc((size_t)(elements + 1) * sizeof *x);
  double* spectrum = malloc((size_t)(spectrum_elements + 1) * 2 * sizeof *spectrum);  // complex
  if (!x || !spectrum) MPI_Abort(MPI_COMM_WORLD, 1);
  double* next = x;
  for (int64_t i = lower[0]; i < upper[0]; ++i)
    for (int64_t j = lower[1]; j < upper[1]; ++j)
      *next++ = 3 * cos(two_pi * ((double)(i * wave[0]) / 30 + (double)(j * wave[1]) / 32));

  check(weft_fft_forward(fft, x, spectrum));
  int wrong = 0;
  next = spectrum;
  for (int64_t i = from[0]; i < to[0]; ++i)
    for (int64_t j = from[1]; j < to[1]; ++j, next += 2) {
      const int here = i == wave[0] && j == wave[1];
      if (here) printf("rank %d owns the wave: half its amplitude is %.12f\n", rank, next[0]);
      if (fabs(next[0] - (here ? 1.5 : 0)) > 1e-12 || fabs(next[1]) > 1e-12) ++wrong;
    }

  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  free(x);
  free(spectrum);
  weft_layout_destroy(input);
  weft_layout_destroy(output);
  weft_fft_destroy(fft);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
