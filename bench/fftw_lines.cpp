// How fast FFTW transforms the lines of a tile that stays in cache, by planning effort and form.
//
//   g++ -O2 bench/fftw_lines.cpp -o fftw_lines -lfftw3 && ./fftw_lines
//
// Prints microseconds a line of 256 complex doubles. Lines are contiguous with a padded pitch, out of place and in
// place, planned 1 to 32 at a time. Then they are adjacent columns, in place.
#include <fftw3.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

namespace {

constexpr int length = 256;
constexpr int lines = 32;
constexpr int pitch = length + 4;
constexpr int repetitions = 300;

struct Effort {
  const char* name;
  unsigned flag;
};
constexpr Effort efforts[] = {
    {"estimate", FFTW_ESTIMATE}, {"measure", FFTW_MEASURE}, {"patient", FFTW_PATIENT}};

template <class F>
double best_us(F run) {
  double best = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best / lines * 1e6;
}

void contiguous(fftw_complex* a, fftw_complex* b, const Effort& effort, int together,
                bool in_place) {
  const fftw_iodim64 line{length, 1, 1};
  const fftw_iodim64 many{together, pitch, pitch};
  fftw_complex* out = in_place ? a : b;
  const fftw_plan plan =
      fftw_plan_guru64_dft(1, &line, 1, &many, a, out, FFTW_FORWARD, effort.flag);
  const double us = best_us([&] {
    for (int k = 0; k < lines; k += together)
      fftw_execute_dft(plan, a + k * pitch, out + k * pitch);
  });
  std::printf("%-12s %-9s %2d lines a plan: %.2f us a line\n",
              in_place ? "in place" : "out of place", effort.name, together, us);
  fftw_destroy_plan(plan);
}

void columns(fftw_complex* a, const Effort& effort) {
  const fftw_iodim64 line{length, lines, lines};
  const fftw_iodim64 many{lines, 1, 1};
  const fftw_plan plan = fftw_plan_guru64_dft(1, &line, 1, &many, a, a, FFTW_FORWARD, effort.flag);
  std::printf("%-12s %-9s %2d lines a plan: %.2f us a line\n", "columns", effort.name, lines,
              best_us([&] { fftw_execute(plan); }));
  fftw_destroy_plan(plan);
}

}  // namespace

int main() {
  fftw_complex* a = fftw_alloc_complex(lines * pitch);
  fftw_complex* b = fftw_alloc_complex(lines * pitch);
  std::memset(a, 0, lines * pitch * sizeof(fftw_complex));
  for (const bool in_place : {false, true})
    for (const Effort& effort : efforts)
      for (const int together : {1, 4, 8, 32}) contiguous(a, b, effort, together, in_place);
  for (const Effort& effort : efforts) columns(a, effort);
  fftw_free(b);
  fftw_free(a);
}
