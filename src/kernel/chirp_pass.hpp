#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/chirp_table.hpp"
#include "kernel/place.hpp"
#include "kernel/tile_pass.hpp"

namespace weft::kernel {

/// An end of a convolution that is a transform of n points: one axis in natural order, and the rows of
/// the convolution, of which the last may reach beyond it.
struct ChirpEnd {
  std::int64_t n = 0;
  std::int64_t row = 0;   ///< elements of a row
  bool to_rows = true;    ///< else from the rows to the axis
  int sign = -1;          ///< of the exponent of the chirp, exp(sign*pi*i*j^2/n)
  bool is_real = false;   ///< the axis has reals: of what comes from the rows, the real part
  bool is_half = false;   ///< the axis has half the spectrum of n reals; only to rows
  long double scale = 1;  ///< of the chirp
};

/// One pass between an axis and its rows, multiplied by the chirp; elements of rows that the axis does
/// not have become 0.
///
/// Of half a spectrum the inner elements count twice: x[j] is the real part of a sum over them alone.
class ChirpPass {
 public:
  /// `box` of the rows; the axis has one piece, which spans what it has of them.
  ChirpPass(const ChirpEnd& end, const Box& box, const Place& axis, const Place& rows, int threads);

  /// buffers[b] is where buffer b of the pieces starts.
  MemoryTraffic execute(void* const* buffers) const;

 private:
  /// What one piece of the rows has of the box.
  struct ChirpBlock {
    int buffer = 0;
    std::int64_t offset = 0;  ///< in elements, of its first one
    std::int64_t row_stride = 0;
    std::int64_t column_stride = 0;
    Range rows;
    Range columns;
  };
  Precision precision() const;  ///< of the axis
  template <class T, class R>
  void execute_as(void* const* buffers) const;
  template <class T, class R>
  void to_row(const ChirpBlock& block, std::int64_t row, const T* axis, R* out) const;
  template <class T, class R>
  void from_row(const ChirpBlock& block, std::int64_t row, const R* in, T* axis) const;
  std::int64_t elements_there(std::int64_t first, std::int64_t count) const;

  ChirpEnd end_;
  std::shared_ptr<const ChirpTable> chirp_;  ///< of what the axis has of the box
  int threads_ = 1;
  int axis_buffer_ = 0;
  std::int64_t axis_offset_ = 0;  ///< in elements, where element 0 of the whole axis would lie
  std::int64_t axis_end_ = 0;     ///< of the piece
  std::int64_t axis_bytes_ = 0;   ///< of an element
  std::int64_t row_bytes_ = 0;
  bool narrow_rows_ = false;
  Range rows_;
  std::vector<ChirpBlock> blocks_;
};

}  // namespace weft::kernel
