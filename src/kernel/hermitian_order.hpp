#pragma once

#include <cstdint>
#include <vector>

#include "kernel/place.hpp"
#include "kernel/tile_pass.hpp"

namespace weft::kernel {

/// A change of the order of half the spectrum of n = n1*n2 real points. Element (k1, k2) of the
/// columns is X[k1 + n1*k2], with k1 up to n1/2.
struct HermitianOrder {
  std::int64_t n1 = 0;
  std::int64_t n2 = 0;
  bool to_natural = true;  ///< true: from the columns to the natural order; false: the reverse
};

/// A pass between the folded columns 0, n2-1, 1, n2-2, ... of half a spectrum and its natural order
/// X[0..n/2]. Row b of the natural order has n1 elements. The first half of them is column b. The
/// second half is the conjugate of column n2-1-b, from its end to its start.
///
/// Backward, rows 0 and n1/2 of the columns need both X[k] and its conjugate X[n-k]. The natural
/// order has only one of these two elements, and the other may be needed on another rank. A c2r
/// uses the mean of X[k] and the conjugate of X[n-k]. So the pass doubles the element of the
/// natural order, and sets the other to 0.
class HermitianOrderPass {
 public:
  /// `box` is a box of the folded columns. `natural` has a single piece with a single axis. The
  /// piece covers all elements that the rows of the box need.
  HermitianOrderPass(const HermitianOrder& half, const Box& box, const Place& columns,
                     const Place& natural, int threads);

  /// buffers[b] is the start of buffer b of the pieces.
  MemoryTraffic execute(void* const* buffers) const;

 private:
  /// Position of one side of a move in its buffer, in elements. Pair p consists of columns p and
  /// n2-1-p.
  struct RowEnd {
    int buffer = 0;
    std::int64_t offset = 0;
    std::int64_t row_stride = 0;
    std::int64_t pair_stride = 0;
  };
  struct Move {
    RowEnd from;
    RowEnd to;
    std::int64_t rows = 0;
    Range pairs;
    int times = 1;  ///< factor; 0: the target becomes 0 and nothing is read
    bool conjugates = false;
  };
  struct Part;

  void add_piece(const Piece& columns, const Box& common, const Piece& natural);
  void add_direct(const Part& part);
  void add_mirrored(const Part& part);
  void add(const Part& part, const Range& rows, const Range& pairs, bool mirrored, int times);
  template <class From, class To>
  static void execute_move(const Move& move, const Range& pairs, void* const* buffers);
  template <class From, class To>
  void execute_as(void* const* buffers) const;

  HermitianOrder half_;
  int threads_ = 1;
  std::int64_t from_bytes_ = 0;
  std::int64_t to_bytes_ = 0;
  bool narrow_from_ = false;
  bool narrow_to_ = false;
  Range pairs_;  ///< of the box
  std::vector<Move> moves_;
};

}  // namespace weft::kernel
