#include "ooc/run/panel_lines.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "base/rounding.hpp"
#include "kernel/copy.hpp"

namespace weft::ooc {
namespace {

/// Visits groups of lines at equal distances: calls move(first line, count, offset of its first
/// point, distance). The panel is [..][length][columns]. Line l has the indices l / columns and l %
/// columns.
template <class Move>
void for_each_stretch(std::int64_t length, std::int64_t columns, std::int64_t first,
                      std::int64_t end, Move&& move) {
  while (first < end) {
    const std::int64_t column = first % columns;
    const std::int64_t count = columns == 1 ? end - first : std::min(end - first, columns - column);
    move(first, count, first / columns * columns * length + column,
         columns == 1 ? length : std::int64_t{1});
    first += count;
  }
}

std::int64_t element_bytes(const kernel::AxisTransform& transform, bool is_real,
                           Precision precision) {
  return is_real || keeps_reals(transform) ? real_bytes(precision) : complex_bytes(precision);
}

void poke_by_caller(kernel::Progress* progress) {
  if (progress != nullptr && omp_get_thread_num() == 0) progress->poke();
}

}  // namespace

PanelLines::PanelLines(const KPass& pass, const PanelAxis& axis,
                       const kernel::AxisTransform& transform, const kernel::LocalOptions& options,
                       const kernel::RowTwiddles* twiddles)
    : axis_(axis),
      source_length_(kernel::input_extent(transform)),
      target_length_(kernel::output_extent(transform)),
      twiddle_(pass.twiddle),
      twiddles_first_(pass.other_sign),
      twiddle_step_(pass.twiddle_step),
      twiddle_columns_(pass.twiddle_columns),
      twiddles_(twiddles),
      options_(options),
      source_element_bytes_(
          element_bytes(transform, transform.kind == kernel::LineKind::r2c, options.precision)),
      target_element_bytes_(
          element_bytes(transform, transform.kind == kernel::LineKind::c2r, options.precision)),
      pitch_bytes_(tile_pitch_bytes(pass.longest_line(),
                                    widest_element_bytes(transform, options.precision))),
      tile_lines_(pass.tile_lines),
      lines_(transform, options, pitch_bytes_, pitch_bytes_, true) {
  const bool is_long = kernel::TwoStepLine::factors(axis.length, options.precision).has_value();
  if (!is_long || !transform.kind.is_c2c() || twiddles != nullptr || axis.after != 1) return;
  kernel::TwoStepLine line(transform, options);
  // The scratch of the long line uses the memory of a tile and its row of twiddles.
  if (line.scratch_bytes() <= (tile_lines_ + 1) * pitch_bytes_) long_line_ = std::move(line);
}

void PanelLines::execute(const void* from, void* to, const Panel& panel, void* tiles,
                         kernel::Progress* progress) const {
  const std::int64_t target = axis_.after * panel.inners;  // columns
  const std::int64_t source = panel.rests * target;
  const std::int64_t lines = panel.outers * axis_.before * source;
  if (long_line_ && source == 1)
    return execute_long(static_cast<const char*>(from), static_cast<char*>(to), lines,
                        static_cast<char*>(tiles), progress);
  const auto tile_count = divided_up(lines, tile_lines_);
#pragma omp parallel for schedule(dynamic) num_threads(options_.threads) if (options_.threads > 1)
  for (std::int64_t t = 0; t < tile_count; ++t) {
    const std::int64_t first = t * tile_lines_;
    const std::int64_t end = std::min(lines, first + tile_lines_);
    char* tile =
        static_cast<char*>(tiles) + omp_get_thread_num() * (tile_lines_ + 1) * pitch_bytes_;
    const auto in_tile = [&](std::int64_t line) { return tile + (line - first) * pitch_bytes_; };
    for_each_stretch(source_length_, source, first, end, [&](auto l, auto n, auto at, auto step) {
      kernel::copy_plane(in_tile(l), static_cast<const char*>(from) + at * source_element_bytes_,
                         {n, source_length_, step, source, pitch_bytes_ / source_element_bytes_, 1},
                         source_element_bytes_);
    });
    if (twiddles_first_) multiply(tile, first, end - first, panel);
    lines_.run(tile, tile, end - first);
    if (!twiddles_first_) multiply(tile, first, end - first, panel);
    for_each_stretch(target_length_, target, first, end, [&](auto l, auto n, auto at, auto step) {
      kernel::copy_plane(static_cast<char*>(to) + at * target_element_bytes_, in_tile(l),
                         {n, target_length_, pitch_bytes_ / target_element_bytes_, 1, step, target},
                         target_element_bytes_, {true, kernel::Stores::cached});
    });
    poke_by_caller(progress);
  }
}

void PanelLines::execute_long(const char* from, char* to, std::int64_t lines, char* tiles,
                              kernel::Progress* progress) const {
  const std::int64_t line_bytes = axis_.length * source_element_bytes_;
#pragma omp parallel for schedule(dynamic) num_threads(options_.threads) if (options_.threads > 1)
  for (std::int64_t k = 0; k < lines; ++k) {
    long_line_->run(from + k * line_bytes, to + k * line_bytes,
                    tiles + omp_get_thread_num() * (tile_lines_ + 1) * pitch_bytes_);
    poke_by_caller(progress);
  }
}

std::int64_t PanelLines::twiddle_index(std::int64_t line, const Panel& panel) const {
  if (twiddle_ == TwiddleBy::inner) return (panel.inner + line % panel.inners) / twiddle_columns_;
  return panel.rest + line / panel.inners % panel.rests;
}

void PanelLines::multiply(char* tile, std::int64_t first, std::int64_t count,
                          const Panel& panel) const {
  if (twiddles_ == nullptr) return;
  char* row = tile + tile_lines_ * pitch_bytes_;
  if (options_.precision == Precision::f32)
    multiply<float>(tile, first, count, panel, row);
  else
    multiply<double>(tile, first, count, panel, row);
}

template <class Real>
void PanelLines::multiply(char* tile, std::int64_t first, std::int64_t count, const Panel& panel,
                          char* row) const {
  auto* roots = reinterpret_cast<std::complex<Real>*>(row);
  std::int64_t known = -1;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t index = twiddle_index(first + k, panel);
    if (index == 0) continue;
    if (index != known) twiddles_->row(index * twiddle_step_, axis_.length, roots);
    known = index;
    Real* line = reinterpret_cast<Real*>(tile + k * pitch_bytes_);
    const Real* root = reinterpret_cast<const Real*>(row);
    for (std::int64_t i = 0; i < 2 * axis_.length; i += 2) {
      const Real re = line[i] * root[i] - line[i + 1] * root[i + 1];
      line[i + 1] = line[i] * root[i + 1] + line[i + 1] * root[i];
      line[i] = re;
    }
  }
}

}  // namespace weft::ooc
