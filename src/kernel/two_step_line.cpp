#include "kernel/two_step_line.hpp"

#include <algorithm>

#include "base/rounding.hpp"
#include "kernel/copy.hpp"
#include "kernel/twiddles.hpp"

namespace weft::kernel {
namespace {

/// Lines of a tile. A row across them fills four cache lines with complex doubles.
constexpr std::int64_t tile_lines = 16;
/// Shorter lines fit in cache, where libraries are fastest.
constexpr std::int64_t least_bytes = std::int64_t{8} << 20;
constexpr std::int64_t most_points = std::int64_t{1} << 14;

/// Returns the distance between lines of a tile, in elements. It is not a power of two, because all
/// lines would then share the same cache sets.
std::int64_t padded(std::int64_t length, std::int64_t element_bytes) {
  const std::int64_t granule = line_alignment_bytes / element_bytes;
  return rounded_up(length, granule) + granule;
}

AxisTransform columns_of(const AxisTransform& transform, std::int64_t n1) {
  AxisTransform columns{.kind = transform.kind, .length = n1};
  columns.twiddles = twiddles_of(transform.length);
  return columns;
}

AxisTransform rows_of(const AxisTransform& transform, std::int64_t n2) {
  return {.kind = transform.kind, .length = n2, .scale = transform.scale};
}

std::pair<std::int64_t, std::int64_t> factors_of(const AxisTransform& transform,
                                                 Precision precision) {
  return *TwoStepLine::factors(transform.length, precision);
}

}  // namespace

std::optional<std::pair<std::int64_t, std::int64_t>> TwoStepLine::factors(std::int64_t length,
                                                                          Precision precision) {
  const std::int64_t element_bytes = complex_bytes(precision);
  if (length > most_points * most_points || length * element_bytes < least_bytes) return {};
  const std::int64_t granule = line_alignment_bytes / element_bytes;
  // Rows begin at cache lines.
  for (std::int64_t n1 = most_points; n1 >= tile_lines; --n1)
    if (n1 * n1 <= length && length % (n1 * granule) == 0 && length / n1 <= most_points)
      return std::pair(n1, length / n1);
  return {};
}

TwoStepLine::TwoStepLine(const AxisTransform& transform, const LocalOptions& options)
    : element_bytes_(complex_bytes(options.precision)),
      n1_(factors_of(transform, options.precision).first),
      n2_(transform.length / n1_),
      pitch1_(padded(n1_, element_bytes_)),
      pitch2_(padded(n2_, element_bytes_)),
      first_(columns_of(transform, n1_), options, pitch1_ * element_bytes_,
             pitch1_ * element_bytes_, true),
      second_(rows_of(transform, n2_), options, n2_ * element_bytes_, pitch2_ * element_bytes_,
              false) {}

std::int64_t TwoStepLine::scratch_bytes() const {
  return (n1_ * n2_ + tile_lines * std::max(pitch1_, pitch2_)) * element_bytes_;
}

void TwoStepLine::run(const void* in, void* out, void* scratch) const {
  char* const matrix = static_cast<char*>(scratch);
  char* const tile = matrix + n1_ * n2_ * element_bytes_;
  columns(static_cast<const char*>(in), matrix, tile);
  rows(matrix, static_cast<char*>(out), tile);
}

void TwoStepLine::columns(const char* in, char* matrix, char* tile) const {
  for (std::int64_t j2 = 0; j2 < n2_; j2 += tile_lines) {
    const std::int64_t count = std::min(tile_lines, n2_ - j2);
    copy_plane(tile, in + j2 * element_bytes_, {count, n1_, 1, n2_, pitch1_, 1}, element_bytes_);
    first_.run(tile, tile, count, j2);
    copy_plane(matrix + j2 * element_bytes_, tile, {count, n1_, pitch1_, 1, 1, n2_}, element_bytes_,
               {true, Stores::streaming});
  }
  finish_streaming();
}

void TwoStepLine::rows(const char* matrix, char* out, char* tile) const {
  for (std::int64_t k1 = 0; k1 < n1_; k1 += tile_lines) {
    const std::int64_t count = std::min(tile_lines, n1_ - k1);
    // The cast is safe. If `in` is not `out`, these rows are not changed.
    second_.run(const_cast<char*>(matrix) + k1 * n2_ * element_bytes_, tile, count);
    copy_plane(out + k1 * element_bytes_, tile, {count, n2_, pitch2_, 1, 1, n1_}, element_bytes_,
               {true, Stores::streaming});
  }
  finish_streaming();
}

}  // namespace weft::kernel
