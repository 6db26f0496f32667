#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "weft/tile.h"

namespace weft {

/// How the results of tiles become one number: their sum, or the largest of them.
enum class Combine { sum, max };

/// A function of several fields, which weft calls on tiles of the fields. It may be called from
/// several threads at once. If the function throws, the call of apply_in_spectrum or apply_in_space
/// fails on all ranks, with the text of this exception.
///
/// Loops  the pointers of a tile have no `restrict`, because an output may be one of the inputs.
///        Write `#pragma omp simd` before the loop over a row if the row's elements are
///        independent. Compilers then vectorise the loop without checks for overlap.
struct FieldFunction {
  std::function<void(const Tile&)> call = {};
  /// True if element i of the outputs depends only on element i of the inputs. The function must
  /// then read all inputs of an element before it writes the outputs, because inputs and outputs
  /// may share memory.
  bool is_pointwise = false;
  std::int64_t results = 0;  ///< numbers that each call returns in Tile::results
  Combine combine = Combine::sum;
  /// The function and its parameters in words. A call fails with disagreement if the words differ
  /// between ranks. The functions of weft/operators.hpp have words: "gaussian 0.1 over 1 x 2".
  /// Functions without words are not compared.
  std::string words = {};
};

/// The functions of a round trip, and the fields between them.
///
/// apply_in_spectrum: inputs -> before -> forward -> function -> backward -> after -> outputs.
/// apply_in_space   : inputs -> before -> backward -> function -> forward -> after -> outputs.
struct FieldWork {
  FieldFunction function = {};
  std::optional<FieldFunction> before = {};
  std::optional<FieldFunction> after = {};
  std::int64_t fields_there = 0;  ///< fields from the inputs to the function; 0: as many as inputs
  std::int64_t fields_back = 0;   ///< fields from the function to the outputs; 0: as many as
                                  ///< outputs
  /// A tile has at least this many bytes of one field, if the field has that many on this rank.
  /// Useful if each call of the function is expensive.
  std::int64_t least_tile_bytes = 0;
};

}  // namespace weft
