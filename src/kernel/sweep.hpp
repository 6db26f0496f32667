#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "kernel/block_grid.hpp"
#include "kernel/chirp_pass.hpp"
#include "kernel/hermitian_order.hpp"
#include "kernel/tile_pass.hpp"

namespace weft::kernel {

/// The sizes of a thread's scratch memory for a sweep: a plane and two tiles.
struct ScratchSize {
  std::int64_t plane_bytes = 0;
  std::int64_t tile_bytes = 0;
  ScratchSize& grow_to(const ScratchSize& other);
  std::int64_t thread_bytes() const { return plane_bytes + 2 * tile_bytes; }
};

/// Scratch of all threads: size.thread_bytes() for each, aligned to 64 bytes. Not owned.
class Scratch {
 public:
  Scratch(const ScratchSize& size, void* memory, Progress* progress = nullptr)
      : size_(size), memory_(static_cast<char*>(memory)), progress_(progress) {}
  ThreadScratch of_thread(int thread) const;

 private:
  ScratchSize size_;
  char* memory_;
  Progress* progress_;
};

/// A sweep is one trip of a local array through the cache. It reads the inlet once, transforms one
/// or more axes, and writes the outlet once. Without an axis it is a copy.
///
/// Inlet and outlet may share memory if every element returns to the place of its line.
class Sweep {
 public:
  /// Does nothing.
  Sweep() = default;
  /// `box` is the local box before the transforms. The inlet covers it with the extents before the
  /// transforms, the outlet with the extents after them.
  Sweep(const Box& box, const std::vector<AxisTransform>& transforms, const Place& inlet,
        const Place& outlet, const LocalOptions& options);

  /// These sweeps transform no axis. One changes the order of half a spectrum. The other is the
  /// first or last step of a convolution.
  explicit Sweep(HermitianOrderPass hermitian_order) : own_pass_(std::move(hermitian_order)) {}
  explicit Sweep(ChirpPass chirp) : own_pass_(std::move(chirp)) {}

  ScratchSize scratch_size() const { return size_; }

  /// buffers[b] is the start of buffer b of the pieces.
  MemoryTraffic execute(void* const* buffers, const Scratch& scratch) const;

 private:
  /// A region of the batch that no piece cuts, and its division into blocks.
  struct Cell {
    BlockGrid grid;
    std::vector<TilePass> passes;
  };
  void execute_copy(const CommonBox& copy, void* const* buffers) const;
  void add_cell(const Box& region, const std::vector<AxisTransform>& transforms, const Place& inlet,
                const Place& outlet);
  MemoryTraffic execute_copies(void* const* buffers) const;
  MemoryTraffic execute_block(std::int64_t block, void* const* buffers,
                              const ThreadScratch& scratch) const;

  std::vector<int> batch_axes_;
  LocalOptions options_;
  std::int64_t in_element_bytes_ = 0;
  std::int64_t out_element_bytes_ = 0;
  ScratchSize size_;
  std::vector<Cell> cells_;
  std::vector<CommonBox> copies_;  ///< stored, so that executing allocates nothing
  std::variant<std::monostate, HermitianOrderPass, ChirpPass> own_pass_;
  std::int64_t blocks_ = 0;
};

}  // namespace weft::kernel
