#include "ooc/run/panel_ends.hpp"

#include <algorithm>
#include <complex>

namespace weft::ooc {
namespace {

std::int64_t elements_of(const std::vector<RunGrid>& grids) {
  std::int64_t sum = 0;
  for (const RunGrid& grid : grids) sum += grid.runs() * grid.length;
  return sum;
}

/// Halves those of the elements [first, end) of a slab that are in the panel, [radix][width].
template <class Real>
void halve(const KPass& pass, const Panel& panel, std::int64_t first, std::int64_t end,
           std::complex<Real>* memory) {
  const std::int64_t columns = pass.rest * pass.inner;
  const std::int64_t width = panel.rests * panel.inners;
  const std::int64_t left = panel.rest * pass.inner + panel.inner;
  for (std::int64_t row = first / columns; row <= (end - 1) / columns; ++row) {
    const std::int64_t from = std::max(first - row * columns, left);
    const std::int64_t to = std::min(end - row * columns, left + width);
    for (std::int64_t k = from; k < to; ++k) memory[row * width + k - left] *= Real(0.5);
  }
}

template <class Real>
void complete(const KPass& pass, const std::vector<Panel>& parts, Real* memory) {
  auto* numbers = reinterpret_cast<std::complex<Real>*>(memory);
  const std::int64_t present = elements_of(reads_of(pass, parts));
  if (pass.reads_reals)
    for (std::int64_t k = present; k-- > 0;) numbers[k] = memory[k];  // from the end, in place
  std::fill(numbers + present, numbers + elements(pass, parts), std::complex<Real>());
  if (pass.spectrum_of == 0) return;
  const std::int64_t n = pass.spectrum_of;
  const std::int64_t after = pass.source_slab / (n / 2 + 1);
  halve(pass, parts[0], 0, after, numbers);
  if (n % 2 == 0) halve(pass, parts[0], n / 2 * after, pass.source_slab, numbers);
}

template <class Real>
void keep(const KPass& pass, const std::vector<Panel>& parts, Real* memory) {
  for (std::int64_t k = 0; k < elements(pass, parts); ++k) memory[k] = memory[2 * k];
}

}  // namespace

void complete_source(const KPass& pass, const std::vector<Panel>& parts, Precision precision,
                     void* memory) {
  if (precision == Precision::f32)
    complete(pass, parts, static_cast<float*>(memory));
  else
    complete(pass, parts, static_cast<double*>(memory));
}

void keep_real_parts(const KPass& pass, const std::vector<Panel>& parts, Precision precision,
                     void* memory) {
  if (precision == Precision::f32)
    keep(pass, parts, static_cast<float*>(memory));
  else
    keep(pass, parts, static_cast<double*>(memory));
}

}  // namespace weft::ooc
