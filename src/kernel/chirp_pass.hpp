#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/chirp_table.hpp"
#include "kernel/place.hpp"
#include "kernel/tile_pass.hpp"

namespace weft::kernel {

/// The first or last step of a transform of n points as a convolution. It moves data between one
/// axis in natural order and the rows of the convolution. The last row may be longer than the rest
/// of the axis.
struct ChirpEnd {
  std::int64_t n = 0;
  std::int64_t row = 0;   ///< elements of a row
  bool to_rows = true;    ///< true: from the axis to the rows; false: from the rows to the axis
  int sign = -1;          ///< of the exponent of the chirp, exp(sign*pi*i*j^2/n)
  bool is_real = false;   ///< the axis has reals: the real part of the rows' elements
  bool is_half = false;   ///< the axis has half the spectrum of n reals; only if to_rows
  long double scale = 1;  ///< of the chirp
};

/// A pass between an axis and its rows, with a multiplication by the chirp. Elements of rows beyond
/// the axis become 0.
///
/// The inner elements of half a spectrum are doubled. Then x[j] is the real part of a sum over
/// these elements alone.
class ChirpPass {
 public:
  /// `box` is a box of the rows. `axis` must have one piece, with the elements of these rows.
  ChirpPass(const ChirpEnd& end, const Box& box, const Place& axis, const Place& rows, int threads);

  /// buffers[b] is the start of buffer b of the pieces.
  MemoryTraffic execute(void* const* buffers) const;

 private:
  /// The part of the box in one piece of the rows.
  struct ChirpBlock {
    int buffer = 0;
    std::int64_t offset = 0;  ///< of its first element, in elements
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
  std::shared_ptr<const ChirpTable> chirp_;  ///< chirp of the elements of the axis in the box
  int threads_ = 1;
  int axis_buffer_ = 0;
  std::int64_t axis_offset_ = 0;  ///< position of element 0 of the whole axis, in elements
  std::int64_t axis_end_ = 0;     ///< of the piece
  std::int64_t axis_bytes_ = 0;   ///< of an element
  std::int64_t row_bytes_ = 0;
  bool narrow_rows_ = false;
  Range rows_;
  std::vector<ChirpBlock> blocks_;
};

}  // namespace weft::kernel
