#include "kernel/chirp_pass.hpp"

#include <algorithm>
#include <complex>

#include <weft/precision.hpp>

namespace weft::kernel {
namespace {

/// Returns element j of an axis of complex numbers, of reals or of half a spectrum.
template <class T>
std::complex<T> element(const ChirpEnd& end, const T* axis, std::int64_t at, std::int64_t j) {
  if (end.is_real) return axis[at];
  const std::complex<T> x{axis[2 * at], axis[2 * at + 1]};
  if (!end.is_half) return x;
  const bool is_real_by_symmetry = j == 0 || 2 * j == end.n;
  return is_real_by_symmetry ? std::complex<T>{x.real()} : T{2} * x;
}

/// The chirp from an element on, with the sign and the scale of a ChirpEnd.
template <class T>
class ChirpFactors {
 public:
  ChirpFactors(const ChirpEnd& end, const ChirpTable& chirp, std::int64_t first)
      : chirp_(chirp.from<T>(first)),
        re_(static_cast<T>(end.scale)),
        im_(static_cast<T>(end.sign < 0 ? end.scale : -end.scale)) {}

  std::complex<T> operator[](std::int64_t i) const {
    return {re_ * chirp_[2 * i], im_ * chirp_[2 * i + 1]};
  }

 private:
  const T* chirp_;
  T re_;
  T im_;
};

/// As operator*, without its special cases for infinities.
template <class T>
std::complex<T> product(const std::complex<T>& a, const std::complex<T>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

ChirpPass::ChirpPass(const ChirpEnd& end, const Box& box, const Place& axis, const Place& rows,
                     int threads)
    : end_(end),
      threads_(threads),
      axis_buffer_(axis.pieces[0].buffer),
      axis_offset_(axis.pieces[0].offset - axis.pieces[0].box.lower[0]),
      axis_end_(axis.pieces[0].box.upper[0]),
      axis_bytes_(axis.element_bytes),
      row_bytes_(rows.element_bytes),
      narrow_rows_(rows.narrow),
      rows_{box.lower[0], box.upper[0]} {
  for (const Piece& piece : rows.pieces) {
    const Box common = intersect(piece.box, box);
    if (common.empty()) continue;
    blocks_.push_back({piece.buffer,
                       piece.offset + (common.lower[0] - piece.box.lower[0]) * piece.strides[0] +
                           (common.lower[1] - piece.box.lower[1]) * piece.strides[1],
                       piece.strides[0],
                       piece.strides[1],
                       {common.lower[0], common.upper[0]},
                       {common.lower[1], common.upper[1]}});
  }
  const std::int64_t first = rows_.lo * end.row;
  chirp_ = chirp_table(end.n, {first, first + elements_there(first, rows_.size() * end.row)},
                       precision());
}

std::int64_t ChirpPass::elements_there(std::int64_t first, std::int64_t count) const {
  return std::clamp<std::int64_t>(axis_end_ - first, 0, count);
}

Precision ChirpPass::precision() const {
  const std::int64_t bytes = end_.is_real ? 2 * axis_bytes_ : axis_bytes_;
  return bytes == complex_bytes(Precision::f32)   ? Precision::f32
         : bytes == complex_bytes(Precision::f64) ? Precision::f64
                                                  : Precision::f80;
}

template <class T, class R>
void ChirpPass::to_row(const ChirpBlock& block, std::int64_t row, const T* axis, R* out) const {
  const std::int64_t first = row * end_.row + block.columns.lo;
  const std::int64_t there = elements_there(first, block.columns.size());
  const std::int64_t step = 2 * block.column_stride;
  const ChirpFactors<T> chirp(end_, *chirp_, first);
  for (std::int64_t i = 0; i < there; ++i) {
    const std::complex<T> x =
        product(element(end_, axis, axis_offset_ + first + i, first + i), chirp[i]);
    out[i * step] = static_cast<R>(x.real());
    out[i * step + 1] = static_cast<R>(x.imag());
  }
  for (std::int64_t i = there; i < block.columns.size(); ++i)
    out[i * step] = out[i * step + 1] = R{0};
}

template <class T, class R>
void ChirpPass::from_row(const ChirpBlock& block, std::int64_t row, const R* in, T* axis) const {
  const std::int64_t first = row * end_.row + block.columns.lo;
  const std::int64_t there = elements_there(first, block.columns.size());
  const std::int64_t step = 2 * block.column_stride;
  const ChirpFactors<T> chirp(end_, *chirp_, first);
  for (std::int64_t i = 0; i < there; ++i) {
    const std::complex<T> given{static_cast<T>(in[i * step]), static_cast<T>(in[i * step + 1])};
    const std::complex<T> x = product(given, chirp[i]);
    const std::int64_t at = axis_offset_ + first + i;
    if (end_.is_real) {
      axis[at] = x.real();
    } else {
      axis[2 * at] = x.real();
      axis[2 * at + 1] = x.imag();
    }
  }
}

template <class T, class R>
void ChirpPass::execute_as(void* const* buffers) const {
  T* const axis = static_cast<T*>(buffers[axis_buffer_]);
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
  for (std::int64_t row = rows_.lo; row < rows_.hi; ++row)
    for (const ChirpBlock& block : blocks_) {
      if (row < block.rows.lo || row >= block.rows.hi) continue;
      R* const rows = static_cast<R*>(buffers[block.buffer]) +
                      2 * (block.offset + (row - block.rows.lo) * block.row_stride);
      if (end_.to_rows)
        to_row<T, R>(block, row, axis, rows);
      else
        from_row<T, R>(block, row, rows, axis);
    }
}

MemoryTraffic ChirpPass::execute(void* const* buffers) const {
  if (narrow_rows_) {
    execute_as<double, float>(buffers);
  } else if (row_bytes_ == complex_bytes(Precision::f32)) {
    execute_as<float, float>(buffers);
  } else if (row_bytes_ == complex_bytes(Precision::f64)) {
    execute_as<double, double>(buffers);
  } else {
    using Extended = long double;
    execute_as<Extended, Extended>(buffers);
  }
  std::int64_t in_rows = 0;
  std::int64_t on_axis = 0;
  for (const ChirpBlock& block : blocks_)
    for (std::int64_t row = block.rows.lo; row < block.rows.hi; ++row) {
      const std::int64_t first = row * end_.row + block.columns.lo;
      in_rows += block.columns.size() * row_bytes_;
      on_axis += elements_there(first, block.columns.size()) * axis_bytes_;
    }
  return end_.to_rows ? MemoryTraffic{on_axis, in_rows} : MemoryTraffic{in_rows, on_axis};
}

}  // namespace weft::kernel
