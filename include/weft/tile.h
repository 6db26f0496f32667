#ifndef WEFT_TILE_H
#define WEFT_TILE_H

#include <stdint.h>

/// The part of distributed arrays that is in cache while a function of the user works on it.
///
/// The function reads the inputs and writes every element of the outputs. All arrays have the same
/// layout, extents and strides. The element with the indices i[axis] is at the sum of
/// i[axis]*strides[axis] from the start of its array. A tile has whole lines along the axes that
/// its stage transforms.
///
/// The pointers have no `restrict`, because an output may be one of the inputs. Write `#pragma omp
/// simd` before the loop over a row if the row's elements are independent. Compilers then vectorise
/// the loop without checks for overlap.
typedef struct weft_tile {
  int64_t dims;
  int64_t input_count;
  int64_t output_count;
  int64_t result_count;
  int64_t real_bytes;      ///< bytes of a real number: 4, 8 or 16
  int64_t is_complex;      ///< 1: elements are pairs of real numbers
  const int64_t* lower;    ///< index of the first element in the global array, by axis
  const int64_t* extents;  ///< elements, by axis
  const int64_t* strides;  ///< in elements, by axis
  void* const* inputs;     ///< the first element of each array
  void* const* outputs;
  /// By axis, one number for each index of the tile. In the spectrum, the number is the wavenumber
  /// along a transformed axis: in units of 2*pi/L on Fourier axes, and of pi/L on cosine and sine
  /// axes. In space, and along other axes, the number is the position. For positions, the length of
  /// a transformed axis is 1, and the length of another axis is its extent.
  const double* const* coordinates;
  /// By axis, one number for each index of the tile, or NULL if all are 1. In half a spectrum, the
  /// number is the count of elements of the whole spectrum that the element represents: 1 or 2.
  const double* const* weights;
  double* results;  ///< sums or maxima of this tile, 0 or -infinity at first
} weft_tile;

#ifdef __cplusplus
namespace weft {
using Tile = weft_tile;
}
#endif

#endif
