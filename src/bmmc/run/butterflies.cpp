#include "bmmc/run/butterflies.hpp"

#include <omp.h>

#include <algorithm>

#include "base/memory.hpp"
#include "base/rounding.hpp"
#include "bmmc/plan/affine_copy.hpp"

namespace weft::bmmc {
namespace {

/// Approximate bytes of the lines of a tile: half of a second-level cache.
constexpr std::int64_t tile_bytes = std::int64_t{1} << 18;
/// Smallest number of lines in a tile. Adjacent elements then fill whole cache lines.
constexpr std::int64_t least_lines = 8;

/// Returns the mask of the frequency bits that the stages before this step have computed.
Bits known_bits(const Superlevel& level, const ButterflyStep& step) {
  return bit_range(0, level.stages_done + step.first_stage);
}

/// Returns the frequency bits that all records of a load on a processor have in common.
Bits common_frequency(const Superlevel& level, int processor, std::int64_t load_number) {
  return combined(level.processor_frequency, static_cast<Bits>(processor)) ^
         combined(level.load_frequency, static_cast<Bits>(load_number));
}

std::int64_t reversed(std::int64_t value, int bits) {
  std::int64_t result = 0;
  for (int bit = 0; bit < bits; ++bit) result |= (value >> bit & 1) << (bits - 1 - bit);
  return result;
}

template <class Real>
void multiply(std::complex<Real>* line, const std::complex<Real>* roots, std::int64_t count) {
  auto* parts = reinterpret_cast<Real*>(line);
  const auto* by = reinterpret_cast<const Real*>(roots);
  for (std::int64_t i = 0; i < 2 * count; i += 2) {
    const Real re = parts[i] * by[i] - parts[i + 1] * by[i + 1];
    parts[i + 1] = parts[i] * by[i + 1] + parts[i + 1] * by[i];
    parts[i] = re;
  }
}

}  // namespace

LocalButterflies::LocalButterflies(const Superlevel& level, const ButterflyStep& step,
                                   int processor, int sign, long double scale,
                                   const kernel::LocalOptions& options)
    : level_(level),
      step_(step),
      processor_(processor),
      options_(options),
      length_(std::int64_t{1} << step.stages) {
  const std::int64_t element = complex_bytes(options.precision);
  const std::int64_t granule = kernel::line_alignment_bytes / element;
  // The pitch has one more granule, because lines a power of two apart would use the same cache
  // sets.
  pitch_ = rounded_up(length_, granule) + granule;
  tile_lines_ = std::max(least_lines, tile_bytes / (pitch_ * element));
  const int done = level.stages_done + step.first_stage;
  if (done > 0)
    twiddles_ =
        std::make_unique<kernel::RowTwiddles>(std::int64_t{1} << (done + step.stages), sign);
  for (std::int64_t k = 0; k < length_; ++k) reversed_.push_back(reversed(k, step.stages));
  kernel::AxisTransform transform;
  transform.kind = sign < 0 ? kernel::LineKind::c2c_forward : kernel::LineKind::c2c_backward;
  transform.length = length_;
  transform.scale = scale;
  lines_ = kernel::LineRunner(transform, options, pitch_ * element, pitch_ * element, true);
}

std::int64_t LocalButterflies::held_bytes() const {
  const std::int64_t element = complex_bytes(options_.precision);
  const auto done_after = level_.stages_done + step_.first_stage + step_.stages;
  return options_.threads * (tile_lines_ + 1) * pitch_ * element +
         (twiddles_ ? kernel::RowTwiddles::table_bytes(std::int64_t{1} << done_after) : 0);
}

void LocalButterflies::execute(char* load, std::int64_t load_number) const {
  if (options_.precision == Precision::f32)
    execute_as(reinterpret_cast<std::complex<float>*>(load), load_number);
  else
    execute_as(reinterpret_cast<std::complex<double>*>(load), load_number);
}

// The load is an array [outers][2^stages][inners]. A tile has the lines of adjacent inner indices
// of one outer index. If there is only one inner index, lines are contiguous, and a tile has the
// lines of adjacent outer indices.
template <class Real>
void LocalButterflies::execute_as(std::complex<Real>* load, std::int64_t load_number) const {
  const std::int64_t inners = std::int64_t{1} << step_.first_slot;
  const std::int64_t lines = std::int64_t{1} << (std::ssize(level_.slot_frequency) - step_.stages);
  const std::int64_t tile = inners == 1 ? tile_lines_ : std::min(inners, tile_lines_);
  const std::int64_t tiles_of_outer = inners == 1 ? 1 : divided_up(inners, tile);
  const std::int64_t tiles =
      inners == 1 ? divided_up(lines, tile) : lines / inners * tiles_of_outer;
  const Bits common = common_frequency(level_, processor_, load_number);
  // Each thread has a tile, and a row of twiddles.
  const std::int64_t thread_elements = (tile_lines_ + 1) * pitch_;
  AlignedBuffer scratch(options_.threads * thread_elements *
                        std::int64_t{sizeof(std::complex<Real>)});
#pragma omp parallel for schedule(dynamic) num_threads(options_.threads) if (options_.threads > 1)
  for (std::int64_t t = 0; t < tiles; ++t) {
    const std::int64_t outer = inners == 1 ? t * tile : t / tiles_of_outer;
    const std::int64_t inner = inners == 1 ? 0 : t % tiles_of_outer * tile;
    const std::int64_t count =
        inners == 1 ? std::min(tile, lines - outer) : std::min(tile, inners - inner);
    const auto first = static_cast<Bits>(outer * length_ * inners + inner);
    transform_tile(load, common, first, count,
                   scratch.as<std::complex<Real>>() + omp_get_thread_num() * thread_elements);
  }
}

template <class Real>
void LocalButterflies::transform_tile(std::complex<Real>* load, Bits common, Bits first,
                                      std::int64_t count, std::complex<Real>* tile) const {
  const std::int64_t inners = std::int64_t{1} << step_.first_slot;
  const std::int64_t to_next = inners == 1 ? length_ : 1;
  std::complex<Real>* const start = load + first;
  for (std::int64_t k = 0; k < length_; ++k) {
    std::complex<Real>* const to = tile + reversed_[static_cast<std::size_t>(k)];
    for (std::int64_t line = 0; line < count; ++line)
      to[line * pitch_] = start[k * inners + line * to_next];
  }
  std::complex<Real>* const roots = tile + tile_lines_ * pitch_;
  for (std::int64_t line = 0; twiddles_ && line < count; ++line) {
    const Bits slot = first + static_cast<Bits>(line * to_next);
    const Bits frequency =
        (common ^ combined(level_.slot_frequency, slot)) & known_bits(level_, step_);
    if (frequency == 0) continue;
    twiddles_->row(static_cast<std::int64_t>(frequency), length_, roots);
    multiply(tile + line * pitch_, roots, length_);
  }
  lines_.run(tile, tile, count);
  for (std::int64_t k = 0; k < length_; ++k)
    for (std::int64_t line = 0; line < count; ++line)
      start[k * inners + line * to_next] = tile[line * pitch_ + k];
}

CrossingButterflies::CrossingButterflies(const Superlevel& level, const ButterflyStep& step,
                                         int processor, int sign,
                                         const kernel::LocalOptions& options)
    : level_(level),
      step_(step),
      processor_(processor),
      options_(options),
      twiddles_(std::int64_t{1} << (level.stages_done + step.first_stage + 1), sign) {}

void CrossingButterflies::execute(char* zeros, char* ones, std::int64_t first, std::int64_t count,
                                  std::int64_t load_number) const {
  const auto from = static_cast<Bits>(first);
  if (options_.precision == Precision::f32)
    execute_as(reinterpret_cast<std::complex<float>*>(zeros),
               reinterpret_cast<std::complex<float>*>(ones), from, count, load_number);
  else
    execute_as(reinterpret_cast<std::complex<double>*>(zeros),
               reinterpret_cast<std::complex<double>*>(ones), from, count, load_number);
}

template <class Real>
void CrossingButterflies::execute_as(std::complex<Real>* zeros, std::complex<Real>* ones,
                                     Bits first, std::int64_t count,
                                     std::int64_t load_number) const {
  const Bits common = common_frequency(level_, processor_, load_number);
  const Bits known = known_bits(level_, step_);
#pragma omp parallel for num_threads(options_.threads) if (options_.threads > 1)
  for (std::int64_t k = 0; k < count; ++k) {
    const Bits slot = first + static_cast<Bits>(k);
    const Bits frequency = (common ^ combined(level_.slot_frequency, slot)) & known;
    const std::complex<double> root = twiddles_.at(static_cast<std::int64_t>(frequency));
    const std::complex<double> one = ones[k];
    const std::complex<double> zero = zeros[k];
    const std::complex<double> turned = {one.real() * root.real() - one.imag() * root.imag(),
                                         one.real() * root.imag() + one.imag() * root.real()};
    zeros[k] = std::complex<Real>(zero + turned);
    ones[k] = std::complex<Real>(zero - turned);
  }
}

}  // namespace weft::bmmc
