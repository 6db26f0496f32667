#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "weft/tile.h"

namespace weft {

/// How the results of tiles become one number: their sum, or the largest of them.
enum class Combine { sum, max };

/// A function of several fields, which weft calls on tiles of them. It may be called from several
/// threads at once. An exception ends the call with this error on all ranks.
struct FieldFunction {
  std::function<void(const Tile&)> call = {};
  /// Element i of the outputs depends on element i of the inputs alone. All inputs of an element
  /// are read before its outputs are written, so inputs and outputs may share memory.
  bool is_pointwise = false;
  std::int64_t results = 0;  ///< numbers that each call returns in Tile::results
  Combine combine = Combine::sum;
};

/// The functions of a round trip, and the fields between them.
///
/// apply_in_spectrum: inputs -> before -> forward -> function -> backward -> after -> outputs.
/// apply_in_space   : inputs -> before -> backward -> function -> forward -> after -> outputs.
struct FieldWork {
  FieldFunction function = {};
  std::optional<FieldFunction> before = {};
  std::optional<FieldFunction> after = {};
  std::int64_t fields_there = 0;  ///< transformed to the function; 0: as many as inputs
  std::int64_t fields_back = 0;   ///< transformed back; 0: as many as outputs
  /// The least bytes of one field in a tile, if the field has that many on this rank. For functions
  /// whose calls cost much.
  std::int64_t least_tile_bytes = 0;
};

}  // namespace weft
