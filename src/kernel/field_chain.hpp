#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include <weft/tile.h>

#include "kernel/block_grid.hpp"
#include "kernel/block_shape.hpp"
#include "kernel/sweep.hpp"

namespace weft::kernel {

/// A part of a chain: fields and their transforms, between two functions or at an end of the chain.
struct ChainPart {
  std::int64_t fields = 1;
  std::vector<AxisTransform> transforms = {};  ///< only the first and the last part may have none
};

/// A function of a chain.
struct ChainFunction {
  int number = 0;             ///< the function's position in ChainCall::functions
  bool in_spectrum = false;   ///< false: its tiles are of the array in space
  bool is_pointwise = false;  ///< output i may share memory with input i
  std::int64_t results = 0;   ///< count of its results for each tile
};

/// A chain: fields that go through the cache together. They are read from the inlet, transformed,
/// changed by functions, transformed, ..., and written to the outlet.
struct ChainSpec {
  Box box = {};                               ///< local box, with the extents before the first
                                              ///< transforms
  std::vector<ChainPart> parts = {};          ///< all parts with transforms have the same axes
  std::vector<ChainFunction> functions = {};  ///< one between each two parts
  Place inlet = {};                           ///< of each field of the first part
  Place outlet = {};                          ///< of each field of the last part
  std::int64_t least_block_bytes = 0;         ///< least bytes of one field in a tile, if the field
                                              ///< has that many
};

/// Coordinates and weights along one axis, for the tiles of a function.
struct AxisTable {
  std::vector<double> coordinates = {};  ///< of the whole axis
  std::vector<double> weights = {};      ///< empty: all are 1
};

/// The functions of one call of a chain, with their results.
class ChainCall {
 public:
  using Function = std::function<void(const Tile&)>;
  /// By ChainFunction::number; not owned.
  std::array<const Function*, 3> functions = {};
  /// The value of each function's results at the start of a tile, by ChainFunction::number.
  std::array<double, 3> initial = {};
  /// The first error of a function, if there was one. After it, no function is called.
  std::exception_ptr error = {};
  void fail(std::exception_ptr reason);
  bool has_failed() const { return failed_.load(std::memory_order_relaxed); }

 private:
  std::mutex lock_;
  std::atomic<bool> failed_ = false;  ///< other threads read it without the lock
};

/// Tables of the global arrays, by axis.
struct ChainTables {
  std::vector<AxisTable> spectrum = {};
  std::vector<AxisTable> space = {};
};

/// One trip of several local arrays through the cache. Functions change them on the way.
///
/// Inlet and outlet may share memory if every element returns to its place.
class FieldChain {
 public:
  /// `tables` must outlive the chain.
  FieldChain(const ChainSpec& spec, const ChainTables& tables, Precision precision,
             const LocalOptions& options);

  ScratchSize scratch_size() const { return size_; }
  std::int64_t blocks() const { return blocks_; }

  /// inputs[i][b] is the start of buffer b of field i of the first part. outputs[j][b] is the start
  /// of buffer b of field j of the last part. `results` has room for result_count() numbers of each
  /// block, in the order of blocks.
  MemoryTraffic execute(std::span<void* const* const> inputs, std::span<void* const* const> outputs,
                        const Scratch& scratch, ChainCall& call, double* results) const;
  std::int64_t result_count() const { return result_count_; }

 private:
  /// A station: fields in scratch memory between two steps of a chain.
  struct Station {
    PlaneShape shape;
    std::int64_t fields = 1;
    std::size_t bank = 0;  ///< stations of one bank share memory
    Box box;               ///< box of the cell, with the extents of this step along the chain's
                           ///< axes
    Place place;           ///< of its first field
    std::int64_t offset_bytes = 0;
    std::int64_t field_bytes = 0;

    std::int64_t start_of(std::int64_t field) const { return offset_bytes + field * field_bytes; }
    Place place_of(std::int64_t field) const;
  };
  /// The part of a piece that is copied to or from a station. Offsets are those of the cell's first
  /// element, in elements.
  struct CellCopy {
    int buffer = 0;
    std::int64_t array_offset = 0;
    std::int64_t plane_offset = 0;
    Shape array_strides;
    Box box;  ///< along the chain's axes; a block has its own extents along the others
  };
  /// Transforms of one field.
  struct FieldPasses {
    std::size_t field = 0;
    std::vector<TilePass> passes;
  };
  /// A region that no piece cuts along the batch axes.
  struct Cell {
    BlockGrid grid;
    Box region;
    std::vector<Station> stations = {};  ///< stations before and after each function, in this order
    std::vector<FieldPasses> passes = {};
    std::vector<std::size_t> passes_end = {};  ///< end of each part in `passes`
    std::vector<CellCopy> gathers = {};        ///< for a first part without transforms
    std::vector<CellCopy> scatters = {};       ///< for a last part without transforms
    std::int64_t pointers_offset = 0;          ///< of the addresses of a tile's arrays
  };
  class CellMaker;

  MemoryTraffic execute_block(std::int64_t block, std::span<void* const* const> inputs,
                              std::span<void* const* const> outputs, const ThreadScratch& scratch,
                              ChainCall& call, double* results) const;
  void call_function(const Cell& cell, std::size_t function, const BatchBlock& block, char* scratch,
                     ChainCall& call, double* results) const;
  MemoryTraffic copy_fields(const Cell& cell, bool is_gather, const BatchBlock& block,
                            std::span<void* const* const> arrays, char* scratch) const;

  ChainSpec spec_;
  const ChainTables* tables_;
  Precision precision_;
  LocalOptions options_;
  std::vector<int> batch_axes_;
  ScratchSize size_;
  std::vector<Cell> cells_;
  std::int64_t blocks_ = 0;
  std::int64_t result_count_ = 0;
};

}  // namespace weft::kernel
