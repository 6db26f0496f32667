#include "kernel/field_chain.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "base/rounding.hpp"
#include "kernel/cache.hpp"
#include "kernel/copy.hpp"

namespace weft::kernel {
namespace {

std::int64_t aligned(std::int64_t bytes) { return rounded_up(bytes, line_alignment_bytes); }

std::int64_t bytes_before(const AxisTransform& t, Precision precision) {
  const bool is_real = t.kind == LineKind::r2c || keeps_reals(t);
  return is_real ? real_bytes(precision) : complex_bytes(precision);
}

std::int64_t bytes_after(const AxisTransform& t, Precision precision) {
  const bool is_real = t.kind == LineKind::c2r || keeps_reals(t);
  return is_real ? real_bytes(precision) : complex_bytes(precision);
}

/// Returns the transforms of the first part with transforms.
const std::vector<AxisTransform>& first_transforms(const ChainSpec& spec) {
  for (const ChainPart& part : spec.parts)
    if (!part.transforms.empty()) return part.transforms;
  return spec.parts.front().transforms;
}

/// Returns the bytes of an element before (or after) a function.
std::int64_t element_bytes_at(const ChainSpec& spec, std::size_t function, bool before,
                              Precision precision) {
  const ChainPart& part = spec.parts[before ? function : function + 1];
  if (!part.transforms.empty())
    return before ? bytes_after(part.transforms.back(), precision)
                  : bytes_before(part.transforms.front(), precision);
  return before ? spec.inlet.element_bytes : spec.outlet.element_bytes;
}

/// Returns whether lines across memory stay rows in the cache, whatever is faster for lines alone.
/// Otherwise a part without transforms would be transposed while it is copied. A part of several
/// axes would be transposed between two axes. If each part transforms one axis, the lines are
/// gathered as in a sweep.
bool keeps_rows(const ChainSpec& spec) {
  return std::any_of(spec.parts.begin(), spec.parts.end(),
                     [](const ChainPart& part) { return part.transforms.size() != 1; });
}

void advance(Box& box, const AxisTransform& transform) {
  box.lower[transform.axis] = 0;
  box.upper[transform.axis] = output_extent(transform);
}

}  // namespace

void ChainCall::fail(std::exception_ptr reason) {
  const std::lock_guard turn(lock_);
  if (!failed_) error = std::move(reason);
  failed_ = true;
}

Place FieldChain::Station::place_of(std::int64_t field) const {
  Place moved = place;
  moved.pieces[0].offset = start_of(field) / place.element_bytes;
  return moved;
}

/// Makes one cell of a chain.
class FieldChain::CellMaker {
 public:
  CellMaker(const FieldChain& chain, const Box& region)
      : chain_(chain), spec_(chain.spec_), region_(region), row_axis_(row_axis()) {}

  /// `size` is increased to the needs of the cell.
  Cell made(ScratchSize& size) {
    add_stations();
    Shape widths = block_widths(region_, chain_.batch_axes_, block_memory(), spec_.inlet,
                                spec_.outlet, chain_.options_);
    widen(widths);
    Cell cell{BlockGrid(region_, chain_.batch_axes_, widths), region_};
    std::int64_t bytes = set_places(widths);
    cell.stations = stations_;
    grid_ = &cell.grid;
    Box box = region_;
    for (std::size_t part = 0; part < spec_.parts.size(); ++part) {
      add_passes(cell, part, box, bytes);
      for (const AxisTransform& t : spec_.parts[part].transforms) advance(box, t);
    }
    if (spec_.parts.front().transforms.empty())
      cell.gathers = copies(spec_.inlet, stations_.front());
    if (spec_.parts.back().transforms.empty())
      cell.scatters = copies(spec_.outlet, stations_.back());
    cell.pointers_offset = bytes;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < stations_.size(); i += 2)
      most = std::max(most, stations_[i].fields + stations_[i + 1].fields);
    size.grow_to({aligned(bytes + most * static_cast<std::int64_t>(sizeof(void*))), tile_bytes_});
    return cell;
  }

 private:
  /// Adds the stations before and after each function. The two stations share memory if elements
  /// stay in place.
  void add_stations() {
    Box box = region_;
    for (std::size_t f = 0; f < spec_.functions.size(); ++f) {
      for (const AxisTransform& t : spec_.parts[f].transforms) advance(box, t);
      for (const bool before : {true, false}) {
        const std::int64_t element_bytes = element_bytes_at(spec_, f, before, chain_.precision_);
        Station station{plane_of_elements(first_transforms(spec_), spec_.inlet, element_bytes,
                                          chain_.options_, row_axis_),
                        spec_.parts[before ? f : f + 1].fields,
                        banks_,
                        box,
                        {}};
        const bool may_share = before ? f > 0 : spec_.functions[f].is_pointwise;
        if (may_share && stations_.back().shape.element_bytes == element_bytes)
          station.bank = stations_.back().bank;
        else
          ++banks_;
        stations_.push_back(std::move(station));
      }
    }
  }

  /// Returns the batch axis that is contiguous in the arrays, if all lines run across memory and
  /// also across tiles. Rows of the arrays then stay rows in the cache, also for the functions.
  /// Otherwise returns -1.
  int row_axis() const {
    const auto& strides = spec_.inlet.pieces[0].strides;
    for (const ChainPart& part : spec_.parts)
      for (const AxisTransform& t : part.transforms)
        if (!t.kind.is_c2c() || numbers_lines(t) || t.padding > 0 || strides[t.axis] == 1 ||
            chain_.options_.choice_of(t.kind, t.length, true).form != TileForm::across)
          return -1;
    for (const int axis : chain_.batch_axes_) {
      const auto is_row = [&](const Piece& piece) { return piece.strides[axis] == 1; };
      if (region_.extent(axis) > 1 && !spec_.inlet.narrow && !spec_.outlet.narrow &&
          std::all_of(spec_.inlet.pieces.begin(), spec_.inlet.pieces.end(), is_row) &&
          std::all_of(spec_.outlet.pieces.begin(), spec_.outlet.pieces.end(), is_row))
        return axis;
    }
    return -1;
  }

  /// Returns the largest number of fields of a bank's stations.
  std::int64_t fields_of(std::size_t bank) const {
    std::int64_t most = 0;
    for (const Station& station : stations_)
      if (station.bank == bank) most = std::max(most, station.fields);
    return most;
  }

  BlockMemory block_memory() const {
    std::int64_t bytes = 0;
    std::int64_t fields = 0;
    std::int64_t largest = 0;
    for (std::size_t bank = 0; bank < banks_; ++bank)
      for (const Station& station : stations_)
        if (station.bank == bank) {
          bytes += fields_of(bank) * station.shape.bytes;
          fields += fields_of(bank);
          largest = std::max(largest, station.shape.bytes);
          break;
        }
    const std::int64_t least = fields * spec_.least_block_bytes;
    return {bytes, std::max(cache_sizes().l2_bytes / 2, least)};
  }

  /// Makes blocks wider until each has the least bytes of a field, or is the whole region. The axis
  /// with the most parts loses one, because this changes the block least.
  void widen(Shape& widths) const {
    const std::vector<int>& axes = chain_.batch_axes_;
    const auto parts = [&](std::size_t i) {
      return divided_up(region_.extent(axes[i]), widths[i]);
    };
    while (!axes.empty()) {
      std::int64_t lines = 1;  // of the smallest block
      std::size_t most = 0;
      for (std::size_t i = 0; i < axes.size(); ++i) {
        lines *= region_.extent(axes[i]) / parts(i);
        if (parts(i) > parts(most)) most = i;
      }
      if (parts(most) == 1 || lines * least_plane_bytes() >= spec_.least_block_bytes) return;
      widths[most] = divided_up(region_.extent(axes[most]), parts(most) - 1);
    }
  }

  /// Returns the bytes of the smallest plane of one field at any station, without padding.
  std::int64_t least_plane_bytes() const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Station& station : stations_) {
      std::int64_t bytes = station.shape.element_bytes;
      for (const int axis : station.shape.axes) bytes *= station.box.extent(axis);
      least = std::min(least, bytes);
    }
    return least;
  }

  /// Gives the stations their places in scratch memory. Returns the bytes of all stations.
  std::int64_t set_places(const Shape& widths) {
    std::int64_t end = 0;
    for (std::size_t bank = 0; bank < banks_; ++bank) {
      std::int64_t field_bytes = 0;
      for (Station& station : stations_)
        if (station.bank == bank) {
          field_bytes = aligned(planes_bytes(station.shape, chain_.batch_axes_, widths));
          station.offset_bytes = end;
          station.field_bytes = field_bytes;
          station.place = plane_place(station.shape, region_, chain_.batch_axes_, widths);
        }
      end += field_bytes * fields_of(bank);
    }
    widths_ = widths;
    return end;
  }

  /// Adds the passes of all fields of a part. `bytes` is the scratch memory in use, and may grow.
  void add_passes(Cell& cell, std::size_t part, const Box& box, std::int64_t& bytes) {
    const std::vector<AxisTransform>& transforms = spec_.parts[part].transforms;
    for (std::int64_t field = 0; field < spec_.parts[part].fields && !transforms.empty(); ++field) {
      const Place from = part == 0 ? spec_.inlet : stations_[2 * part - 1].place_of(field);
      const Place to =
          part + 1 == spec_.parts.size() ? spec_.outlet : stations_[2 * part].place_of(field);
      const Place between = transforms.size() == 1 ? from : between_place(part, from, to, bytes);
      FieldPasses passes{static_cast<std::size_t>(field), {}};
      Box now = box;
      for (std::size_t i = 0; i < transforms.size(); ++i) {
        passes.passes.emplace_back(transforms[i], now, chain_.batch_axes_, grid_->largest(),
                                   i == 0 ? from : between,
                                   i + 1 == transforms.size() ? to : between, chain_.options_);
        advance(now, transforms[i]);
        tile_bytes_ = std::max(tile_bytes_, passes.passes.back().tile_bytes());
      }
      cell.passes.push_back(std::move(passes));
    }
    cell.passes_end.push_back(cell.passes.size());
  }

  /// Returns the place of a field between two transforms of a part. It is the field's place before
  /// or after the part, if the widest elements fit there. Otherwise it is further scratch memory.
  Place between_place(std::size_t part, const Place& from, const Place& to, std::int64_t& bytes) {
    // All parts use planes of one shape, with the order of axes of the first transforms.
    const std::int64_t widest =
        plane_shape(spec_.parts[part].transforms, spec_.inlet, chain_.options_).element_bytes;
    const PlaneShape shape =
        plane_of_elements(first_transforms(spec_), spec_.inlet, widest, chain_.options_, row_axis_);
    const auto fits = [&](const Place& place) {
      return place.pieces[0].buffer == scratch_buffer && place.element_bytes == shape.element_bytes;
    };
    if (fits(to)) return to;
    if (fits(from)) return from;
    Place place = plane_place(shape, region_, chain_.batch_axes_, widths_);
    if (between_offset_ < 0) {
      between_offset_ = bytes;
      bytes += aligned(planes_bytes(shape, chain_.batch_axes_, widths_));
    }
    place.pieces[0].offset = between_offset_ / shape.element_bytes;
    return place;
  }

  std::vector<CellCopy> copies(const Place& array, const Station& station) const {
    std::vector<CellCopy> found;
    for (const Piece& piece : array.pieces) {
      if (!meets(piece.box, region_, chain_.batch_axes_)) continue;
      CellCopy copy{piece.buffer, piece.offset, 0, piece.strides,
                    intersect(piece.box, station.box)};
      for (int axis = 0; axis < region_.dims(); ++axis) {
        copy.array_offset += (copy.box.lower[axis] - piece.box.lower[axis]) * piece.strides[axis];
        copy.plane_offset += (copy.box.lower[axis] - station.box.lower[axis]) *
                             station.place.pieces[0].strides[axis];
      }
      if (!copy.box.empty()) found.push_back(std::move(copy));
    }
    return found;
  }

  const FieldChain& chain_;
  const ChainSpec& spec_;
  const Box& region_;
  int row_axis_ = -1;
  std::vector<Station> stations_;
  std::size_t banks_ = 0;
  Shape widths_;
  const BlockGrid* grid_ = nullptr;
  std::int64_t between_offset_ = -1;
  std::int64_t tile_bytes_ = 0;
};

FieldChain::FieldChain(const ChainSpec& spec, const ChainTables& tables, Precision precision,
                       const LocalOptions& options)
    : spec_(spec), tables_(&tables), precision_(precision), options_(options) {
  options_.keeps_rows = keeps_rows(spec);
  for (const ChainFunction& function : spec_.functions) result_count_ += function.results;
  if (spec_.box.empty()) return;
  batch_axes_ = batch_axes_of(spec_.box, first_transforms(spec_));
  for (const Box& region : cells(spec_.box, batch_axes_, spec_.inlet, spec_.outlet)) {
    cells_.push_back(CellMaker(*this, region).made(size_));
    blocks_ += cells_.back().grid.blocks();
  }
}

MemoryTraffic FieldChain::execute(std::span<void* const* const> inputs,
                                  std::span<void* const* const> outputs, const Scratch& scratch,
                                  ChainCall& call, double* results) const {
  const auto results_of = [&](std::int64_t block) { return results + block * result_count_; };
  MemoryTraffic total;
  if (options_.threads == 1 || blocks_ < 2) {
    for (std::int64_t block = 0; block < blocks_; ++block)
      total += execute_block(block, inputs, outputs, scratch.of_thread(0), call, results_of(block));
    return total;
  }
  std::atomic<std::int64_t> read = 0;
  std::atomic<std::int64_t> written = 0;
#pragma omp parallel for schedule(dynamic) num_threads(options_.threads)
  for (std::int64_t block = 0; block < blocks_; ++block) {
    const MemoryTraffic traffic = execute_block(
        block, inputs, outputs, scratch.of_thread(omp_get_thread_num()), call, results_of(block));
    read.fetch_add(traffic.read_bytes, std::memory_order_relaxed);
    written.fetch_add(traffic.written_bytes, std::memory_order_relaxed);
  }
  return {read, written};
}

MemoryTraffic FieldChain::execute_block(std::int64_t block, std::span<void* const* const> inputs,
                                        std::span<void* const* const> outputs,
                                        const ThreadScratch& scratch, ChainCall& call,
                                        double* results) const {
  const Cell* cell = cells_.data();
  for (; block >= cell->grid.blocks(); ++cell) block -= cell->grid.blocks();
  const BatchBlock part = cell->grid.block(block);
  MemoryTraffic traffic = copy_fields(*cell, true, part, inputs, scratch.plane);
  std::size_t next = 0;
  for (std::size_t i = 0; i < spec_.parts.size(); ++i) {
    const auto buffers = i + 1 == spec_.parts.size() ? outputs : inputs;
    for (; next < cell->passes_end[i]; ++next) {
      const FieldPasses& passes = cell->passes[next];
      // The middle parts use only scratch memory.
      void* const* of_field = passes.field < buffers.size() ? buffers[passes.field] : nullptr;
      for (const TilePass& pass : passes.passes) traffic += pass.execute(part, of_field, scratch);
    }
    if (i + 1 == spec_.parts.size()) break;
    call_function(*cell, i, part, scratch.plane, call, results);
    results += spec_.functions[i].results;
  }
  traffic += copy_fields(*cell, false, part, outputs, scratch.plane);
  if (options_.outlet_stores == Stores::streaming) finish_streaming();
  return traffic;
}

MemoryTraffic FieldChain::copy_fields(const Cell& cell, bool is_gather, const BatchBlock& block,
                                      std::span<void* const* const> arrays, char* scratch) const {
  std::int64_t bytes = 0;
  const Station& station = is_gather ? cell.stations.front() : cell.stations.back();
  const std::int64_t element_bytes = station.place.element_bytes;
  for (const CellCopy& copy : is_gather ? cell.gathers : cell.scatters) {
    Extents extents{};
    std::int64_t offset = copy.array_offset;
    std::int64_t volume = 1;
    const auto dims = static_cast<std::size_t>(copy.box.dims());
    for (std::size_t axis = 0; axis < dims; ++axis)
      extents[axis] = copy.box.extent(static_cast<int>(axis));
    for (const int batch_axis : batch_axes_) {
      const auto axis = static_cast<std::size_t>(batch_axis);
      extents[axis] = block.extent[axis];
      offset += block.offset[axis] * copy.array_strides[axis];
    }
    for (std::size_t axis = 0; axis < dims; ++axis) volume *= extents[axis];
    for (std::int64_t field = 0; field < station.fields; ++field) {
      char* plane = scratch + station.start_of(field) + copy.plane_offset * element_bytes;
      char* array = static_cast<char*>(arrays[static_cast<std::size_t>(field)][copy.buffer]) +
                    offset * element_bytes;
      const Shape& plane_strides = station.place.pieces[0].strides;
      if (is_gather)
        copy_box(plane, plane_strides, array, copy.array_strides, {extents.data(), dims},
                 element_bytes);
      else
        copy_box(array, copy.array_strides, plane, plane_strides, {extents.data(), dims},
                 element_bytes);
      bytes += volume * element_bytes;
    }
  }
  return is_gather ? MemoryTraffic{bytes, 0} : MemoryTraffic{0, bytes};
}

void FieldChain::call_function(const Cell& cell, std::size_t function, const BatchBlock& block,
                               char* scratch, ChainCall& call, double* results) const {
  if (call.has_failed()) return;
  const ChainFunction& about = spec_.functions[function];
  const Station& before = cell.stations[2 * function];
  const Station& after = cell.stations[2 * function + 1];
  Extents lower{};
  Extents extents{};
  std::array<const double*, max_dims> coordinates{};
  std::array<const double*, max_dims> weights{};
  const auto& tables = about.in_spectrum ? tables_->spectrum : tables_->space;
  for (int axis = 0; axis < before.box.dims(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    lower[a] = before.box.lower[axis];
    extents[a] = before.box.extent(axis);
  }
  for (const int axis : batch_axes_) {
    const auto a = static_cast<std::size_t>(axis);
    lower[a] += block.offset[a];
    extents[a] = block.extent[a];
  }
  for (std::size_t a = 0; a < tables.size(); ++a) {
    coordinates[a] = tables[a].coordinates.data() + lower[a];
    weights[a] = tables[a].weights.empty() ? nullptr : tables[a].weights.data() + lower[a];
  }
  auto** const pointers = reinterpret_cast<void**>(scratch + cell.pointers_offset);
  for (std::int64_t i = 0; i < before.fields; ++i) pointers[i] = scratch + before.start_of(i);
  void** const outputs = pointers + before.fields;
  for (std::int64_t i = 0; i < after.fields; ++i) outputs[i] = scratch + after.start_of(i);
  Tile tile{};
  tile.dims = before.box.dims();
  tile.input_count = before.fields;
  tile.output_count = after.fields;
  tile.result_count = about.results;
  tile.real_bytes = real_bytes(precision_);
  tile.is_complex = before.shape.element_bytes == complex_bytes(precision_) ? 1 : 0;
  tile.lower = lower.data();
  tile.extents = extents.data();
  tile.strides = before.place.pieces[0].strides.data();
  tile.inputs = pointers;
  tile.outputs = outputs;
  tile.coordinates = coordinates.data();
  tile.weights = weights.data();
  const auto number = static_cast<std::size_t>(about.number);
  std::fill_n(results, about.results, call.initial[number]);
  tile.results = results;
  try {
    (*call.functions[number])(tile);
  } catch (...) {
    call.fail(std::current_exception());
  }
}

}  // namespace weft::kernel
