#include "kernel/sweep.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>

#include "kernel/block_shape.hpp"
#include "kernel/cache.hpp"
#include "kernel/copy.hpp"
#include "kernel/narrow.hpp"

namespace weft::kernel {

ScratchSize& ScratchSize::grow_to(const ScratchSize& other) {
  plane_bytes = std::max(plane_bytes, other.plane_bytes);
  tile_bytes = std::max(tile_bytes, other.tile_bytes);
  return *this;
}

ThreadScratch Scratch::of_thread(int thread) const {
  char* start = memory_ + thread * size_.thread_bytes();
  return {start, start + size_.plane_bytes, start + size_.plane_bytes + size_.tile_bytes,
          thread == 0 ? progress_ : nullptr};
}

Sweep::Sweep(const Box& box, const std::vector<AxisTransform>& transforms, const Place& inlet,
             const Place& outlet, const LocalOptions& options)
    : options_(options),
      in_element_bytes_(inlet.element_bytes),
      out_element_bytes_(outlet.element_bytes) {
  if (box.empty()) return;
  if (transforms.empty()) {
    copies_ = common_boxes(box, inlet, outlet);
    return;
  }
  batch_axes_ = batch_axes_of(box, transforms);
  for (const Box& region : cells(box, batch_axes_, inlet, outlet))
    add_cell(region, transforms, inlet, outlet);
  for (const Cell& cell : cells_) blocks_ += cell.grid.blocks();
}

void Sweep::add_cell(const Box& region, const std::vector<AxisTransform>& transforms,
                     const Place& inlet, const Place& outlet) {
  const PlaneShape plane = plane_shape(transforms, inlet, options_);
  const bool is_fused = transforms.size() > 1;
  const BlockMemory memory = is_fused ? fused_block_memory(plane.bytes) : BlockMemory{};
  const Shape widths = block_widths(region, batch_axes_, memory, inlet, outlet, options_);
  Cell cell{BlockGrid(region, batch_axes_, widths), {}};
  const Place between = plane_place(plane, region, batch_axes_, widths);
  for (std::size_t i = 0; i < transforms.size(); ++i) {
    const Place& from = i == 0 ? inlet : between;
    const Place& to = i + 1 == transforms.size() ? outlet : between;
    // Along the other axes of the sweep, the region has the extents at the time of this pass.
    Box pass_region = region;
    for (std::size_t j = 0; j < transforms.size(); ++j) {
      pass_region.lower[transforms[j].axis] = 0;
      pass_region.upper[transforms[j].axis] =
          j < i ? output_extent(transforms[j]) : input_extent(transforms[j]);
    }
    cell.passes.emplace_back(transforms[i], pass_region, batch_axes_, cell.grid.largest(), from, to,
                             options_);
    size_.grow_to({0, cell.passes.back().tile_bytes()});
  }
  if (transforms.size() > 1) {
    std::int64_t bytes = plane.bytes;
    for (std::int64_t width : widths) bytes *= width;
    size_.grow_to({bytes, 0});
  }
  cells_.push_back(std::move(cell));
}

MemoryTraffic Sweep::execute(void* const* buffers, const Scratch& scratch) const {
  if (const auto* hermitian_order = std::get_if<HermitianOrderPass>(&own_pass_))
    return hermitian_order->execute(buffers);
  if (const auto* chirp = std::get_if<ChirpPass>(&own_pass_)) return chirp->execute(buffers);
  if (!copies_.empty()) return execute_copies(buffers);
  MemoryTraffic total;
  if (options_.threads == 1 || blocks_ < 2) {
    for (std::int64_t block = 0; block < blocks_; ++block)
      total += execute_block(block, buffers, scratch.of_thread(0));
    return total;
  }
  // These are atomics, because an OpenMP reduction of two variables takes a lock of the whole
  // process. Suppose that a child is forked while another thread holds this lock. Then transforms
  // in the child would wait for ever.
  std::atomic<std::int64_t> read = 0;
  std::atomic<std::int64_t> written = 0;
#pragma omp parallel for schedule(dynamic) num_threads(options_.threads)
  for (std::int64_t block = 0; block < blocks_; ++block) {
    const MemoryTraffic traffic =
        execute_block(block, buffers, scratch.of_thread(omp_get_thread_num()));
    read.fetch_add(traffic.read_bytes, std::memory_order_relaxed);
    written.fetch_add(traffic.written_bytes, std::memory_order_relaxed);
  }
  return {read, written};
}

MemoryTraffic Sweep::execute_block(std::int64_t block, void* const* buffers,
                                   const ThreadScratch& scratch) const {
  const Cell* cell = cells_.data();
  for (; block >= cell->grid.blocks(); ++cell) block -= cell->grid.blocks();
  const BatchBlock part = cell->grid.block(block);
  MemoryTraffic traffic;
  for (const TilePass& pass : cell->passes) traffic += pass.execute(part, buffers, scratch);
  if (options_.outlet_stores == Stores::streaming) finish_streaming();
  return traffic;
}

/// If only one side is narrow, numbers are converted on the way.
void Sweep::execute_copy(const CommonBox& copy, void* const* buffers) const {
  const char* from =
      static_cast<const char*>(buffers[copy.from_buffer]) + copy.from_offset * in_element_bytes_;
  char* to = static_cast<char*>(buffers[copy.to_buffer]) + copy.to_offset * out_element_bytes_;
  if (in_element_bytes_ == out_element_bytes_)
    copy_box(to, copy.to_strides, from, copy.from_strides, copy.extents, in_element_bytes_);
  else if (in_element_bytes_ > out_element_bytes_)
    copy_narrowing(reinterpret_cast<float*>(to), copy.to_strides,
                   reinterpret_cast<const double*>(from), copy.from_strides, copy.extents,
                   in_element_bytes_ / 8);
  else
    copy_widening(reinterpret_cast<double*>(to), copy.to_strides,
                  reinterpret_cast<const float*>(from), copy.from_strides, copy.extents,
                  out_element_bytes_ / 8);
}

MemoryTraffic Sweep::execute_copies(void* const* buffers) const {
  std::int64_t elements = 0;
  const std::int64_t count = static_cast<std::int64_t>(copies_.size());
#pragma omp parallel for schedule(dynamic) num_threads(options_.threads) reduction(+ : elements) \
    if (options_.threads > 1)
  for (std::int64_t i = 0; i < count; ++i) {
    execute_copy(copies_[i], buffers);
    elements += copies_[i].elements;
  }
  return {elements * in_element_bytes_, elements * out_element_bytes_};
}

}  // namespace weft::kernel
