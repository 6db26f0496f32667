#include "run/chirp_spectrum.hpp"

#include <algorithm>
#include <utility>

#include "base/chirp.hpp"
#include "comm/agreement.hpp"
#include "comm/node_memory.hpp"
#include "run/execution.hpp"

namespace weft::run {
namespace {

/// Returns the middle of the plan as a separate plan, from columns of the view to its rows.
Plan plan_of_spectrum(const Plan& plan) {
  const Layout columns = plan.stages[1].target.with_order({0, 1});
  const Layout rows = plan.stages[2].source.with_order({0, 1});
  Plan spectrum;
  spectrum.problem = {.shape = {volume(plan.view())},
                      .axes = {0},
                      .precision = plan.problem.precision,
                      .ranks = plan.problem.ranks,
                      .ranks_per_node = plan.problem.ranks_per_node,
                      .norm = Norm::forward,
                      .threads = plan.problem.threads};
  spectrum.stages = {{.source = columns, .target = columns, .axes = {0}, .twiddles = true},
                     {.source = rows, .target = rows, .axes = {1}}};
  spectrum.exchanges = {plan.exchanges[1]};
  spectrum.exchanges[0].wire = WirePrecision::same;  // floats here would add an error to every
                                                     // transform
  return spectrum;
}

/// Fills a box of whole columns with the convolution's kernel: the chirp's conjugate, and zeros.
template <class T>
void fill_kernel(const Plan& plan, const Box& columns, T* out) {
  const Shape view = plan.view();
  const Problem& problem = plan.problem;
  const std::int64_t n = problem.shape[0];
  const ChirpKernel chirp_kernel{n, volume(view), problem.output_shape()[0], n};
  const auto roots = kernel::twiddles_of(2 * n);
  const std::int64_t width = columns.extent(1);
  std::fill(out, out + 2 * columns.volume(), T{0});
  for (std::int64_t row = columns.lower[0]; row < columns.upper[0]; ++row, out += 2 * width)
    for_kernel(chirp_kernel, row * view[1] + columns.lower[1], width,
               [&](std::int64_t i, std::int64_t exponent) {
                 const std::complex<long double> root = roots->root(exponent);
                 out[2 * i] = static_cast<T>(root.real());
                 out[2 * i + 1] = static_cast<T>(problem.sign < 0 ? -root.imag() : root.imag());
               });
}

void fill_kernel(const Plan& plan, const Box& columns, void* out) {
  switch (plan.problem.precision) {
    case Precision::f32:
      return fill_kernel(plan, columns, static_cast<float*>(out));
    case Precision::f64:
      return fill_kernel(plan, columns, static_cast<double*>(out));
    case Precision::f80:
      return fill_kernel(plan, columns, static_cast<long double*>(out));
  }
}

}  // namespace

std::shared_ptr<const kernel::LineSpectrum> chirp_spectrum(const Plan& plan,
                                                           const comm::Communicator& comm,
                                                           const kernel::LocalOptions& local) {
  if (!plan.convolves()) return {};
  const Plan middle = plan_of_spectrum(plan);
  const Box columns = middle.input().box(comm.rank());
  const Box rows = middle.output().box(comm.rank());
  const std::int64_t element_bytes = complex_bytes(plan.problem.precision);
  const std::int64_t chirp_bytes = columns.volume() * element_bytes;
  const std::int64_t spectrum_bytes = rows.volume() * element_bytes;
  comm::require_memory_together(comm, chirp_bytes + spectrum_bytes, "the spectrum of a chirp");
  AlignedBuffer chirp;
  AlignedBuffer spectrum;
  comm::together(comm, [&] {
    chirp = AlignedBuffer(chirp_bytes);
    spectrum = AlignedBuffer(spectrum_bytes);
    fill_kernel(plan, columns, chirp.data());
  });
  Execution execution(comm, local.threads, true, 0,
                      [&] { return programs_of(middle, comm.rank(), local, {}); });
  StageProgress progress;
  execution.begin(program_number({Direction::forward, false}), chirp.data(), spectrum.data(),
                  progress, nullptr);
  while (execution.is_busy()) execution.execute_stage();
  return std::make_shared<const kernel::LineSpectrum>(std::move(spectrum), rows.lower[0],
                                                      plan.view()[1]);
}

}  // namespace weft::run
